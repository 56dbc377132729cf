import { FairSweep } from '../../jobs/fair-sweep.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { Tenant, TenantId } from '../../store/tenant.ts';
import {
  countAttempts,
  countEvents,
  countRequests,
  type Part,
  readProgress,
  recountAttempts,
  recountPayments,
  recountRequests,
  takeAttempts,
  takeProgress,
  tenantsOf,
  tenantsWithUpdates,
} from './store.ts';

export interface FigureDependencies {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now' | 'delay'>;
}

/** What one transaction counts at most. */
interface Step {
  readonly events: number;
  readonly requests: number;
}

/** A reader waits for a few large ones, and what is more is left to the job. */
const stepOfReader: Step = { events: 5_000, requests: 20_000 };
const stepsOfReader = 4;
/**
 * The job counts in small ones with pauses: a step of a reader's size takes a core for some 30 ms, for which each payment waits
 * that is made meanwhile.
 */
const stepOfJob: Step = { events: 500, requests: 1_000 };
const pauseMs = 50;
/** How often, and how far apart, a reader looks again while another transaction counts. */
const looksOfReader = 20;
const pollIntervalMs = 25;
/** Accounts that the job counts at the same time. */
const countedAtOnce = 2;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Later than this after its beginning no attempt is written: an exchange has 10 s. */
const settledMs = minuteMs;
/** Logs are kept for 30 days: what is younger than this is there for certain. */
const retentionMs = 29 * 24 * hourMs;

const nextPart = (from: number, last: number, max: number): Part => ({
  from,
  to: Math.min(last, from + max),
});

/** Counts some of what is new. @returns how much of it; `elsewhere`: another transaction counts at this moment */
async function countSome(
  { db }: Pick<FigureDependencies, 'db'>,
  tenant: Tenant,
  step: Step,
): Promise<'all' | 'a part' | 'elsewhere'> {
  return db.transaction(async (tx) => {
    const known = await takeProgress(tx, tenant, false);
    if (known === undefined) return 'elsewhere';
    const events = nextPart(known.events, known.lastEvent, step.events);
    const requests = nextPart(known.requests, known.lastRequest, step.requests);
    if (events.to > events.from) await countEvents(tx, tenant, events);
    if (requests.to > requests.from) await countRequests(tx, tenant, requests);
    return events.to < known.lastEvent || requests.to < known.lastRequest ? 'a part' : 'all';
  });
}

/** Whether an account's sums hold everything that is on record there. */
export async function isCounted(db: Queryable, tenant: Tenant): Promise<boolean> {
  const { events, lastEvent, requests, lastRequest } = await readProgress(db, tenant);
  return events >= lastEvent && requests >= lastRequest;
}

/**
 * Counts what is new in an account, for somebody who wants to see it now. Waits for what somebody else counts at this
 * moment; what is too much to wait for is left to the job.
 * @returns whether all payments up to now were counted
 */
export async function catchUp(
  deps: { readonly db: Database; readonly clock: Pick<Clock, 'delay'> },
  tenant: Tenant,
): Promise<boolean> {
  const { lastEvent, lastRequest } = await readProgress(deps.db, tenant);
  for (let steps = 0, looks = 0; steps < stepsOfReader && looks < looksOfReader; ) {
    const { events, requests } = await readProgress(deps.db, tenant);
    if (events >= lastEvent && requests >= lastRequest) return true;
    if ((await countSome(deps, tenant, stepOfReader)) === 'elsewhere') {
      looks += 1;
      await deps.clock.delay(pollIntervalMs);
    } else {
      steps += 1;
    }
  }
  return (await readProgress(deps.db, tenant)).events >= lastEvent;
}

/**
 * The job: counts what is new in all accounts, one step of each, round robin. May run in several processes at once. Accounts
 * that could not be counted keep nobody else from it.
 * @param stopping aborts where the job is to end: the next step of an account is then left for later
 * @returns how many accounts had updates
 * @throws AggregateError what went wrong with some of them, once the others are counted
 */
export async function countFigures(deps: FigureDependencies, stopping?: AbortSignal): Promise<number> {
  const counted = new Set<TenantId>();
  const errors: unknown[] = [];
  const queue: FairSweep<Tenant> = new FairSweep<Tenant>({
    places: countedAtOnce,
    perTenant: 1,
    dueTenants: (after, max) => tenantsWithUpdates(deps.db, after, max),
    take: async (tenant) => ({ rows: [tenant], more: false }),
    async work(tenant) {
      counted.add(tenant.tenant);
      if ((await countSome(deps, tenant, stepOfJob)) !== 'a part') return;
      await deps.clock.delay(pauseMs, stopping);
      if (stopping?.aborted !== true) queue.add(tenant);
    },
    onError: (error) => void errors.push(error),
  });
  await queue.run();
  await deps.db.transaction(async (tx) => {
    const until = await takeAttempts(tx, false);
    const settled = new Date(deps.clock.now().getTime() - settledMs);
    if (until !== undefined && until < settled) await countAttempts(tx, until, settled);
  });
  if (errors.length > 0) {
    throw new AggregateError(errors, 'the figures of some accounts could not be counted');
  }
  return counted.size;
}

/**
 * Makes the sums anew from what is on record: payments and refunds of all times, requests and webhook attempts of the
 * last 29 days, since older ones are no longer there.
 * @returns what was made anew
 */
export async function rebuildFigures(deps: FigureDependencies, accountId: string): Promise<Tenant[]> {
  const tenants = await tenantsOf(deps.db, accountId);
  const kept = deps.clock.now().getTime() - retentionMs;
  const since = new Date(Math.ceil(kept / hourMs) * hourMs);
  for (const tenant of tenants) {
    await deps.db.transaction(async (tx) => {
      await takeProgress(tx, tenant, true);
      await recountPayments(tx, tenant);
    });
    // Apart, so that the row of its progress, which counted attempts are noted in too, is not held for both.
    await deps.db.transaction(async (tx) => {
      await takeProgress(tx, tenant, true);
      await recountRequests(tx, tenant, since);
    });
    await deps.db.transaction(async (tx) => {
      const until = await takeAttempts(tx, true);
      if (until !== undefined) await recountAttempts(tx, tenant, { since, until });
    });
  }
  return tenants;
}
