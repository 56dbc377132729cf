import { invalidParam } from '@till/contract';
import { type ClockMove, dashboardApi, type SandboxState, sandboxLimits } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { disputedAmount } from '../../disputes/present.ts';
import { listDisputeRows } from '../../disputes/reads.ts';
import { nextPositions } from '../../disputes/state.ts';
import { eventsAfter, placeInLog } from '../../events/events.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { countHolds, type NewestPayment, newestPayments } from '../../payments/reads.ts';
import { newestPendingRefunds } from '../../refunds/reads.ts';
import { advanceTestClock, requireSandbox } from '../../sandbox-helpers/helpers.ts';
import type { DashboardApi, StaffCall } from '../api.ts';
import type { SandboxToolDependencies } from './dependencies.ts';
import { playRoutes } from './play.ts';
import { simulateRoutes } from './simulate.ts';
import { triggerRoutes } from './triggers.ts';

const isoOrNull = (time: Date | null) => time && isoSeconds(time);

const presentPayment = (row: NewestPayment) => ({
  ...row,
  created_at: isoSeconds(row.created_at),
  confirm_by: isoOrNull(row.confirm_by),
});

async function readState(
  { db, clock }: SandboxToolDependencies,
  context: AccountContext,
): Promise<SandboxState> {
  const [waiting, disputable, refunds, disputes] = await Promise.all([
    newestPayments(db, context, 'requires_action', sandboxLimits.listed),
    newestPayments(db, context, 'succeeded', sandboxLimits.listed),
    newestPendingRefunds(db, context, sandboxLimits.listed),
    listDisputeRows(db, context, { per_page: sandboxLimits.listed }),
  ]);
  return {
    now: isoSeconds(context.now),
    ahead_seconds: Math.round((context.now.getTime() - clock.now().getTime()) / 1000),
    processor: context.processor,
    three_d_secure: context.connection.threeDSecure,
    waiting: waiting.map(presentPayment),
    disputable: disputable.map(presentPayment),
    refunds: refunds.map((row) => ({ ...row, created_at: isoSeconds(row.created_at) })),
    disputes: disputes.rows.map((row) => ({
      id: row.id,
      payment: row.payment_id,
      ...disputedAmount(row),
      state: row.state,
      status: row.status,
      respond_by: isoOrNull(row.respond_by),
      next: nextPositions(row),
    })),
  };
}

/** Moves the clock in one commit with its audit entry. @returns what changed */
async function move(
  { db, helpers }: SandboxToolDependencies,
  { context, body, audit }: StaffCall<typeof dashboardApi.advanceSandboxClock>,
): Promise<ClockMove> {
  const place = await placeInLog(db, context, null);
  const before = { now: isoSeconds(context.now) };
  const now = await advanceTestClock(helpers, context, body.seconds, (tx, moved) =>
    audit({ objectId: context.accountId, before, after: { now: isoSeconds(moved) } }, tx),
  );
  const [holds, events] = await Promise.all([
    countHolds(db, context, context.now, now),
    eventsAfter(db, context, place, sandboxLimits.events + 1),
  ]);
  return {
    before: isoSeconds(context.now),
    now: isoSeconds(now),
    events: events.slice(0, sandboxLimits.events).map(({ type, body: text }) => {
      const { id, data } = JSON.parse(text) as { id: string; data: { object: { id: string } } };
      return { id, type, object_id: data.object.id };
    }),
    has_more_events: events.length > sandboxLimits.events,
    holds_unguaranteed: holds.unguaranteed,
    holds_expired: holds.expired,
  };
}

/** The tools of a sandbox account. */
export function sandboxDashboardRoutes(api: DashboardApi, deps: SandboxToolDependencies): void {
  api.mount(
    dashboardApi.retrieveSandbox,
    async ({ context }) => ({ status: 200, body: await readState(deps, context) }),
    ({ context }) => requireSandbox(context),
  );
  api.mount(
    dashboardApi.advanceSandboxClock,
    async (call) => ({ status: 200, body: await move(deps, call) }),
    ({ context }) => requireSandbox(context),
  );
  api.mount(
    dashboardApi.payOutSandbox,
    async ({ context, audit }) => {
      const paid = await deps.payOut(context, (tx, imported) =>
        audit({ objectId: context.accountId, after: { ...imported } }, tx),
      );
      if (paid === null) throw invalidParam('status', 'Nothing was charged since the last payout.');
      return { status: 200, body: paid };
    },
    ({ context }) => requireSandbox(context),
  );
  triggerRoutes(api, deps);
  simulateRoutes(api, deps);
  playRoutes(api, deps);
}
