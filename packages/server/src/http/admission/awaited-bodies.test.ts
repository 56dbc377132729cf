import { EventEmitter } from 'node:events';
import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { AwaitedBodies } from './awaited-bodies.ts';

const never = () => new Promise<void>(() => {});
const from = (ip: string) =>
  ({ raw: new EventEmitter(), ip, authenticated: false, logFields: {} }) as unknown as FastifyRequest;

it('one IPv6 site may have 32 bodies awaited, however many networks it sends from', () => {
  const bodies = new AwaitedBodies(never);
  const taken = Array.from({ length: 512 }, (_one, n) =>
    bodies.expect(from(`2001:db8:1:${n.toString(16)}::1`)),
  );
  expect(taken.filter((end) => end !== null)).toHaveLength(32);
  expect(bodies.expect(from('2001:db8:2::1'))).not.toBeNull();
  expect(bodies.expect(from('192.0.2.1'))).not.toBeNull();
});
