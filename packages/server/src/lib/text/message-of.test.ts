import { expect, it } from 'vitest';
import { messageOf } from './message-of.ts';

it('of a host with several addresses, none of which answers, names what is wrong with each once', () => {
  const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}`);
  const all = [refused('::1:5432'), refused('127.0.0.1:5432'), refused('127.0.0.1:5432')];
  expect(messageOf(new AggregateError(all))).toBe(
    'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
  );
  expect(messageOf(new AggregateError(all, 'three failed'))).toBe('three failed');
  expect(messageOf(new Error('x'))).toBe('x');
  expect(messageOf('x')).toBe('x');
});
