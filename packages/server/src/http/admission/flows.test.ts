import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Flows } from './flows.ts';

const from = (remoteAddress: string | undefined, headers: Readonly<Record<string, string>> = {}) =>
  ({ headers, socket: { remoteAddress } }) as unknown as IncomingMessage;

describe('the flow of a request', () => {
  it('is its account once its key was found good, and never what an unknown key says', () => {
    const flows = new Flows([]);
    const request = from('192.0.2.1', { authorization: 'Bearer sk_one' });
    expect(flows.of(request)).toBe('address 192.0.2.1');
    flows.remember(from('192.0.2.2', { authorization: 'Bearer sk_one' }), 'acct_1');
    expect(flows.of(request)).toBe('acct_1');
    expect(flows.of(from('192.0.2.1', { authorization: 'Bearer sk_two' }))).toBe('address 192.0.2.1');
  });

  it('is that of 10,000 keys used lately at most, and of one in use however many come', () => {
    const flows = new Flows([]);
    const presenting = (key: string) => from('192.0.2.1', { authorization: `Bearer ${key}` });
    flows.remember(presenting('unused'), 'acct_1');
    for (let n = 0; n < 12_000; n += 1) {
      flows.remember(presenting(`key ${n}`), 'acct_2');
      if (n % 1_000 === 0) flows.remember(presenting('used'), 'acct_3');
    }
    expect(flows.of(presenting('used'))).toBe('acct_3');
    expect(flows.of(presenting('key 11999'))).toBe('acct_2');
    expect(flows.of(presenting('unused'))).toBe('address 192.0.2.1');
  });

  it('is one for all networks of an IPv6 site', () => {
    const flows = new Flows([]);
    expect(flows.of(from('2001:db8:1:ffff::1'))).toBe(flows.of(from('2001:db8:1:2::9')));
    expect(flows.of(from('2001:db8:2::1'))).not.toBe(flows.of(from('2001:db8:1::1')));
  });

  it('separates the clients of a trusted proxy', () => {
    const flows = new Flows(['10.0.0.0/8']);
    const via = (client: string) => flows.of(from('10.1.2.3', { 'x-forwarded-for': client }));
    expect([via('192.0.2.1'), via('192.0.2.2')]).toEqual(['address 192.0.2.1', 'address 192.0.2.2']);
    expect(via('198.51.100.7, 192.0.2.1')).toBe('address 192.0.2.1');
  });

  it('takes no address from a header that nobody vouches for', () => {
    const header = { 'x-forwarded-for': '192.0.2.1' };
    expect(new Flows([]).of(from('203.0.113.5', header))).toBe('address 203.0.113.5');
    expect(new Flows(['10.0.0.0/8']).of(from('203.0.113.5', header))).toBe('address 203.0.113.5');
  });

  it('is there for a connection that has ended', () => {
    expect(new Flows([]).of(from(undefined))).toBe('address ');
  });
});
