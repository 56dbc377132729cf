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

/** The maximum that one transaction counts. */
interface Step {
  readonly events: number;
  readonly requests: number;
}

/** A reader waits for a few large steps. The job counts the rest. */
const stepOfReader: Step = { events: 5_000, requests: 20_000 };
const stepsOfReader = 4;
/**
 * The job counts in small steps with pauses. A step of a reader's size occupies a core for some 30 ms, which delays every
 * payment that is made meanwhile.
 */
const stepOfJob: Step = { events: 500, requests: 1_000 };
const pauseMs = 50;
/** How often, and at which interval, a reader polls while another transaction counts. */
const pollsOfReader = 20;
const pollIntervalMs = 25;
/** How many accounts the job counts concurrently. */
const countedAtOnce = 2;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** No attempt is recorded later than this after its start: an exchange takes at most 10 s. */
const settledMs = minuteMs;
/** Logs are stored for 30 days, so everything younger than this is certainly there. */
const retentionMs = 29 * 24 * hourMs;

const nextPart = (from: number, last: number, max: number): Part => ({
  from,
  to: Math.min(last, from + max),
});

/**
 * Counts some of the uncounted rows.
 * @returns how much is counted; `elsewhere` if another transaction is counting at this moment
 */
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

/** Whether the sums of a tenant include all recorded payments and requests. */
export async function isCounted(db: Queryable, tenant: Tenant): Promise<boolean> {
  const { events, lastEvent, requests, lastRequest } = await readProgress(db, tenant);
  return events >= lastEvent && requests >= lastRequest;
}

/**
 * Counts the uncounted rows of a tenant for a reader who wants the figures now. Waits while another transaction counts, and
 * leaves anything that would take too long to the job.
 * @returns whether all payments up to now are counted
 */
export async function catchUp(
  deps: { readonly db: Database; readonly clock: Pick<Clock, 'delay'> },
  tenant: Tenant,
): Promise<boolean> {
  const { lastEvent, lastRequest } = await readProgress(deps.db, tenant);
  for (let steps = 0, polls = 0; steps < stepsOfReader && polls < pollsOfReader; ) {
    const { events, requests } = await readProgress(deps.db, tenant);
    if (events >= lastEvent && requests >= lastRequest) return true;
    if ((await countSome(deps, tenant, stepOfReader)) === 'elsewhere') {
      polls += 1;
      await deps.clock.delay(pollIntervalMs);
    } else {
      steps += 1;
    }
  }
  return (await readProgress(deps.db, tenant)).events >= lastEvent;
}

/**
 * The job that counts the uncounted rows of all accounts, one step of each, round robin. May run in several processes at
 * once. An account that cannot be counted does not hold up the others.
 * @param stopping aborts when the job is to end: the next step of an account is then left for later
 * @returns how many accounts had uncounted rows
 * @throws AggregateError the errors of some accounts, once the others are counted
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
 * Recomputes the sums from the records: payments and refunds of all time, and requests and webhook attempts of the last 29
 * days, since older ones are no longer stored.
 * @returns the tenants that were recomputed
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
    // A transaction of its own, so that the row of the tenant's progress, which also records counted attempts, is not
    // locked for both.
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
