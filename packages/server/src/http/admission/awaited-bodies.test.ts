import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { AwaitedBodies, hasBody } from './awaited-bodies.ts';

const stopped = { delay: () => new Promise<void>(() => {}), elapsed: () => 0 };
const from = (ip: string) =>
  ({ raw: new EventEmitter(), ip, authenticated: false, logFields: {} }) as unknown as FastifyRequest;

it('one IPv6 site may have 32 bodies awaited, however many networks it sends from', () => {
  const bodies = new AwaitedBodies(stopped);
  const taken = Array.from({ length: 512 }, (_one, n) =>
    bodies.expect(from(`2001:db8:1:${n.toString(16)}::1`)),
  );
  expect(taken.filter((end) => end !== null)).toHaveLength(32);
  expect(bodies.expect(from('2001:db8:2::1'))).not.toBeNull();
  expect(bodies.expect(from('192.0.2.1'))).not.toBeNull();
});

it('request_timeout is the error of a body that takes more than 5 s, and not of one that came', async () => {
  let passed = () => {};
  let nowMs = 0;
  const delay = (ms: number) =>
    new Promise<void>((resolve) => {
      passed = () => {
        nowMs += ms;
        resolve();
      };
    });
  const bodies = new AwaitedBodies({ delay, elapsed: () => nowMs });
  const [late, came] = [from('192.0.2.1'), from('192.0.2.2')];
  const errors: unknown[] = [];
  for (const { raw } of [late, came]) raw.on('error', (error) => errors.push(error));
  bodies.expect(late);
  bodies.expect(came)?.();
  passed();
  await Promise.resolve();
  expect(nowMs).toBe(5_000);
  expect(errors).toMatchObject([{ code: 'request_timeout', status: 408 }]);
});

it.each([
  [{}, false],
  [{ 'content-length': '0' }, false],
  [{ 'content-length': '2' }, true],
  [{ 'transfer-encoding': 'chunked' }, true],
])('of a request with %o a body is awaited: %s', (headers, expected) => {
  expect(hasBody({ headers } as IncomingMessage)).toBe(expected);
});
