import { ApiError } from '@till/contract';
import { dashboardApi, type GoLiveRequirement } from '@till/contract/dashboard';
import { requireAccount } from '../../accounts/accounts.ts';
import { type AccountContext, tenantOf } from '../../accounts/context.ts';
import { hasAuthorized } from '../../payments/sql.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { managersBySecondFactor } from '../../users/people/reads.ts';
import type { DashboardApi, Staff } from '../api.ts';
import { stepsDone } from '../home/checklist-store.ts';
import type { SettingsDependencies } from './dependencies.ts';
import type { Account } from './present.ts';

type Requirement = GoLiveRequirement;
/** The dependencies, with either a transaction or the database. */
type Dependencies = Omit<SettingsDependencies, 'db'> & { readonly db: Queryable };
/** The person who asks, and the context of the request. */
interface Caller {
  readonly staff: Staff;
  readonly context: AccountContext;
}

type Found = Pick<Requirement, 'id' | 'done'> & { readonly detail?: string | null };

/** Required even while simulators stand in for live processors: the operator decides who takes payments. */
const alwaysRequired: ReadonlySet<Requirement['id']> = new Set(['activation']);

/** Whether the account has live payments: their holds, refunds and disputes must stay reachable. */
async function hasLivePayments(db: Queryable, live: Tenant): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>({
    name: 'has_live_payments',
    text: `select ${hasAuthorized} as found`,
    values: [live.tenant],
    scope: live,
  });
  return row?.found === true;
}

/** Whether an account may go live whatever is missing, because it was live before. */
async function wasLive(db: Queryable, account: Account): Promise<boolean> {
  if (account.activation !== 'not_activated' && account.activation !== 'active') return true;
  return hasLivePayments(db, tenantOf(account, true));
}

/** Checks the live credentials at the processor. The request is suspended meanwhile and holds no resources. */
async function checkAtProcessor(
  deps: Dependencies,
  { suspend }: AccountContext,
  asks: boolean,
  { account_id: accountId, processor }: Account,
): Promise<Found[]> {
  const live = deps.connect({ accountId, livemode: true, processor });
  if (live === undefined) {
    return [
      { id: 'credentials', done: false },
      { id: 'processor_check', done: false },
    ];
  }
  const credentials = { id: 'credentials', done: true } as const;
  if (deps.liveSimulation || !asks) return [credentials, { id: 'processor_check', done: true }];
  const findings = await suspend(() => deps.checkConnection(processor, live.connection));
  const wrong = findings.find(({ ok }) => !ok);
  const detail = wrong === undefined ? null : `${wrong.check}: ${wrong.detail}`;
  return [credentials, { id: 'processor_check', done: wrong === undefined, detail }];
}

/**
 * Every requirement, in the order in which the page shows them.
 * @param asks whether to call the processor, which must not happen inside a transaction; if false, existing credentials
 *   count as valid
 */
async function requirementsOf(
  deps: Dependencies,
  { staff, context }: Caller,
  { account, asks }: { readonly account: Account; readonly asks: boolean },
): Promise<Requirement[]> {
  const [managers, steps, upstream] = await Promise.all([
    managersBySecondFactor(deps.db, account.account_id),
    stepsDone(deps.db, staff),
    checkAtProcessor(deps, context, asks, account),
  ]);
  const { protected: safe, all } = managers;
  const found: readonly Found[] = [
    { id: 'two_factor', done: safe === all, detail: safe === all ? null : `${safe} of ${all} have one` },
    { id: 'webhook', done: steps.webhook },
    { id: 'connection', done: account.connection_status === 'connected' },
    { id: 'activation', done: account.activation === 'active' },
    ...upstream,
    { id: 'https', done: deps.publicAddress().startsWith('https:'), detail: deps.publicAddress() },
    { id: 'mail', done: deps.sendsMail },
  ];
  return found.map(({ id, done, detail = null }) => ({
    id,
    done,
    required: !deps.liveSimulation || alwaysRequired.has(id),
    detail: done ? null : detail,
  }));
}

const isReady = (requirements: readonly Requirement[]) =>
  requirements.every(({ done, required }) => done || !required);

/** Why an account cannot go live for the first time; null if it can, or if it was live before. */
export async function goLiveRefusal(
  deps: Dependencies,
  caller: Caller,
  looked: { readonly account: Account; readonly asks: boolean },
): Promise<ApiError | null> {
  const { account } = looked;
  if (account.environment === 'live' || (await wasLive(deps.db, account))) return null;
  if (account.activation === 'not_activated') return notActivated();
  const missing = (await requirementsOf(deps, caller, looked)).filter((one) => one.required && !one.done);
  if (missing.length === 0) return null;
  return new ApiError(
    'processing_not_enabled',
    `Not everything that live payments need is done (${missing.length} missing): Settings, Go live says what.`,
  );
}

const notActivated = () =>
  new ApiError(
    'processing_not_enabled',
    'This account is not activated for live payments. The operator of this service activates it.',
  );

/** The operation that lists what is missing before the account can go live. */
export function goLiveRoutes(api: DashboardApi, deps: SettingsDependencies): void {
  api.mount(dashboardApi.retrieveGoLive, async ({ staff, context }) => {
    const account = await requireAccount(deps, staff.accountId);
    const [requirements, before] = await Promise.all([
      requirementsOf(deps, { staff, context }, { account, asks: true }),
      wasLive(deps.db, account),
    ]);
    return { status: 200, body: { ready: before || isReady(requirements), requirements } };
  });
}
