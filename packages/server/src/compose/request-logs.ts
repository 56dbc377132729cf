import { KeyUse } from '../api-keys/key-use.ts';
import type { AppDependencies } from '../http/server/app.ts';
import { periodically } from '../jobs/periodic.ts';
import { describeError } from '../lib/log.ts';
import { keepRequestDays } from '../request-logs/keep-days.ts';
import { RequestRecorder } from '../request-logs/recorder.ts';
import { insertEntries } from '../request-logs/store.ts';
import type { ServerDependencies } from './dependencies.ts';

const keyUseMs = 5_000;

/** The accounts' own log of their requests, and when their keys were used: both beside the hot path. */
export function composeRequestLogs({ db, clock, keys, log, metrics }: ServerDependencies) {
  const onTrouble = (error: unknown) =>
    log.error('the log of requests was not written', describeError(error));
  const recorder = new RequestRecorder({
    clock,
    breathe: () => clock.delay(0),
    hash: (text) => keys.token(`request log ${text}`),
    write: (entries) => insertEntries(db, entries),
    count: (outcome, requests) => metrics.requestLogs.inc({ outcome }, requests),
    onTrouble,
  });
  const keyUse = new KeyUse(db, clock.now);
  const onAnswered: NonNullable<AppDependencies['onAnswered']> = (exchange, request, reply, durationMs) => {
    const key = request.headers['idempotency-key'];
    recorder.note({
      ...exchange,
      id: request.id,
      url: request.url,
      status: reply.statusCode,
      code: request.logFields.code ?? null,
      durationMs,
      ip: request.ip,
      idempotencyKey: typeof key === 'string' && key !== '' ? key : null,
      replayed: reply.hasHeader('idempotent-replayed'),
      body: Buffer.isBuffer(request.body) ? request.body : null,
    });
  };
  return {
    keyUse,
    onAnswered,
    /** Begins to write. @returns stops it; resolves once everything that waits is written */
    start(): () => Promise<void> {
      const stops = [recorder.start(), periodically(clock, keyUseMs, () => keyUse.write(), onTrouble)];
      return async () => {
        await Promise.all(stops.map((stop) => stop()));
        await keyUse.write().catch(onTrouble);
      };
    },
    /** Makes the tables of the coming days and drops those older than 30 days. */
    keepPartitions: () => keepRequestDays(db, clock.now()),
  };
}
