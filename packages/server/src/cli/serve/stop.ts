import type { Config } from '../../config/config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/log.ts';

/** How long jobs in flight may take: as long as a receiver of a delivery or mail may take, and the writes after that. */
const jobsTimeoutMs = 15_000;

interface Stopping {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error' | 'info'>;
  /** Seconds for which the server keeps serving after it reports not ready, and seconds for requests in flight after that. */
  readonly config: Pick<Config, 'unreadySeconds' | 'drainSeconds'>;
  readonly server: {
    /** Makes the server report that it is not ready. */
    readonly beginStop: () => void;
    /** Refuses new requests, and resolves once the requests in flight have been answered. */
    readonly drain: () => Promise<void>;
  };
  /** Each function stops some jobs, for example those of a cell, and may take as long as a receiver. They run concurrently. */
  readonly jobs: readonly (() => Promise<void>)[];
  /** Stops services that the jobs needed until their end. */
  readonly endRest: () => Promise<void>;
  /** Closes the database, last. */
  readonly close: () => Promise<void>;
}

/**
 * Stops a server. At first it only reports not ready, for as long as a load balancer needs to notice. Requests that exceed the
 * drain time do not prevent the jobs from ending gracefully, and jobs do not prevent the database from being closed.
 * @returns whether everything ended in time
 */
export async function stopServer({
  clock,
  log,
  config,
  server,
  jobs,
  endRest,
  close,
}: Stopping): Promise<boolean> {
  server.beginStop();
  if (config.unreadySeconds > 0) {
    log.info('not ready any more');
    await clock.delay(config.unreadySeconds * 1000);
  }
  log.info('draining');
  const areAnswered = await endsWithin(server.drain(), config.drainSeconds * 1000, clock);
  if (!areAnswered) log.error('requests were still running at the end of the drain');
  const ended = Promise.all(jobs.map((end) => end())).then(endRest);
  const haveEnded = await endsWithin(ended, jobsTimeoutMs, clock);
  if (!haveEnded) log.error('jobs were still running when the server was stopped');
  await close();
  return areAnswered && haveEnded;
}

async function endsWithin(work: Promise<void>, ms: number, clock: Clock): Promise<boolean> {
  const ended = new AbortController();
  const inTime = await Promise.race([work.then(() => true), clock.delay(ms, ended.signal).then(() => false)]);
  ended.abort();
  return inTime;
}
