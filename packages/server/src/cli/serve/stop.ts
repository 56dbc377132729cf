import type { Config } from '../../config/config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/log.ts';

/** How long deliveries, mails and other jobs under way may take: as long as a receiver may, and what is written afterwards. */
const jobsTimeoutMs = 15_000;

interface Stopping {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error' | 'info'>;
  /** Seconds of serving on once it says that it is not ready, and for requests that are under way then. */
  readonly config: Pick<Config, 'unreadySeconds' | 'drainSeconds'>;
  readonly server: {
    /** From now on it says that it is not ready. */
    readonly beginStop: () => void;
    /** Answers what is under way and takes nothing new. */
    readonly drain: () => Promise<void>;
  };
  /** Each ends some of what runs beside the requests, as that of a cell, and may take as long as a receiver: beside each other. */
  readonly jobs: readonly (() => Promise<void>)[];
  /** Ends what they still needed. */
  readonly endRest: () => Promise<void>;
  /** Closes the database, last. */
  readonly close: () => Promise<void>;
}

/**
 * Stops a server. First it only says that it is not ready, for as long as what sends it requests needs to notice. Requests that
 * are still running after their time do not keep the jobs from ending as they should, nor jobs the database from being closed.
 * @returns whether all of it ended in time
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
