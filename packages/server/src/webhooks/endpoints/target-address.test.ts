import { describe, expect, it } from 'vitest';
import { addressPolicy, requireTargetUrl } from './target-address.ts';

const standard = addressPolicy({ allowed: [], loopback: false });
const freshMachine = addressPolicy({ allowed: [], loopback: true });

describe('the address of a new endpoint', () => {
  it.each([
    'https://shop.example/hooks',
    'http://hooks.example/x',
    'https://shop.example',
    'HTTPS://shop.example:8443/a/b?c=d#e',
    'http://127.0.0.1:3000/',
    'http://[::1]/',
    'https://bücher.example/ü',
  ])('may be %s', (url) => {
    expect(requireTargetUrl(url)).toBe(url);
  });

  it.each([
    '',
    ' ',
    'shop.example/hooks',
    '//shop.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'ftp://shop.example/',
    'gopher://shop.example/',
    'http:shop.example',
    'http:///shop.example',
    'http://',
    'http://?x',
    'https://user:secret@shop.example/',
    'https://user@shop.example/',
    'https://shop.example/a b',
    ' https://shop.example/',
    'https://shop.example/\r\nX: y',
    'http://999.999.999.999/',
    'https://shop.example:99999/',
    `https://shop.example/${'x'.repeat(2048)}`,
  ])('may not be %j', (url) => {
    expect(() => requireTargetUrl(url)).toThrow(expect.objectContaining({ code: 'invalid_url' }));
  });
});

describe('a network address', () => {
  it.each(['93.184.216.34', '8.8.8.8', '2606:2800:220:1:248:1893:25c8:1946', '::ffff:8.8.8.8'])(
    'that is public may be sent to: %s',
    (address) => {
      expect(standard.allows(address)).toBe(true);
    },
  );

  it.each([
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '0.1.2.3',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',

    '100.64.0.1',
    '169.254.169.254',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',

    '::',
    '::1',
    '::127.0.0.1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:169.254.169.254',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    '100::1',

    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'fd00:ec2::254',
    'ff02::1',
    '4000::1',
    '',
    'localhost',
    'shop.example',
    '1.2.3',
    '8.8.8.8/32',
  ])('that is not public unicast may not: %s', (address) => {
    expect(standard.allows(address)).toBe(false);
  });

  it('of this machine may be sent to in the fresh-machine profile, and nothing else beside', () => {
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
      expect(freshMachine.allows(address)).toBe(true);
    }
    for (const address of ['0.0.0.0', '10.0.0.1', '169.254.169.254', '64:ff9b::7f00:1', '::7f00:1']) {
      expect(freshMachine.allows(address)).toBe(false);
    }
  });

  it('may be sent to where the operator names it', () => {
    const policy = addressPolicy({ allowed: ['10.1.0.0/16', '192.168.7.9', 'fd12::/16'], loopback: false });
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '192.168.7.9', 'fd12::1', '8.8.8.8']) {
      expect(policy.allows(address)).toBe(true);
    }
    for (const address of ['10.2.0.1', '192.168.7.10', 'fd13::1', '127.0.0.1', '::1']) {
      expect(policy.allows(address)).toBe(false);
    }
  });

  it('of cloud metadata may never be sent to, whatever the operator names', () => {
    const everything = addressPolicy({ allowed: ['0.0.0.0/0', '::/0'], loopback: true });
    expect(everything.allows('10.0.0.1')).toBe(true);
    for (const address of [
      '169.254.169.254',
      '169.254.0.1',
      '::ffff:169.254.169.254',
      '::169.254.169.254',
      '64:ff9b::a9fe:a9fe',

      '2002:a9fe:a9fe::',
      'fe80::a9fe:a9fe',
      'fd00:ec2::254',
      'fd20:ce::254',
      '100.100.100.200',
      '192.0.0.192',
      '168.63.129.16',
    ]) {
      expect(everything.allows(address)).toBe(false);
    }
  });
});
