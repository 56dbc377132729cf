import { expect, it } from 'vitest';
import { isPrivateAddress } from './private-address.ts';

it.each([
  ['http://10.0.0.7', true],
  ['https://192.168.1.2:8443/hooks', true],
  ['https://172.20.0.1', true],
  ['https://172.32.0.1', false],
  ['http://169.254.169.254/', true],
  ['http://100.64.0.1', true],
  ['http://[fd12::1]/', true],
  ['http://[fe80::1]/', true],
  ['https://shop.example/10.0.0.7', false],
  ['https://10.example', false],
  ['https://203.0.113.7', false],
  ['http://localhost:3000', true],
  ['http://127.0.0.1:3000', true],
  ['10.0.0', false],
])('%s is of a private network: %s', (url, isPrivate) => {
  expect(isPrivateAddress(url, 'till.example')).toBe(isPrivate);
});

it('a server on this machine sends to this machine', () => {
  expect(isPrivateAddress('http://localhost:3000', '127.0.0.1')).toBe(false);
  expect(isPrivateAddress('http://10.0.0.7', 'localhost')).toBe(true);
});
