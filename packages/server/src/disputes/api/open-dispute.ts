import { ApiError, invalidParam, type TestDispute } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { requirePayment } from '../../payments/reads.ts';
import type { PaymentStore } from '../../payments/store.ts';
import type { DisputeReason, DisputeState } from '../../processors/port/disputes.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import type { DisputeRow } from '../present.ts';
import type { Position } from '../state.ts';

/** Timeout and polling interval for the simulated processor's notification to be applied. */
const waitMs = 15_000;
const pollMs = 50;

/** Opens and moves disputes at the simulated processors. Their notifications then arrive like those of live ones. */
export interface DisputeSimulator {
  /** @returns null if the processor collected nothing for the payment; `amount_not_carried` if it cannot represent the amount */
  open(
    tenant: Pick<AccountContext, 'accountId' | 'livemode' | 'processor'>,
    payment: Pick<PaymentRow, 'id'>,
    options: {
      readonly state: DisputeState;
      readonly amount: number | null;
      readonly reason: DisputeReason | null;
    },
  ): Promise<{ upstreamId: string } | 'amount_not_carried' | null>;
  /** @returns false if the processor does not know the dispute */
  move(
    tenant: Pick<AccountContext, 'accountId' | 'livemode' | 'processor'>,
    upstreamId: string,
    to: Position,
  ): Promise<boolean>;
}

export interface TestDisputeDependencies {
  readonly disputes: Pick<DisputeDependencies, 'store' | 'clock'>;
  readonly payments: PaymentStore;
  readonly simulator: DisputeSimulator;
  /** Delivers and applies the notifications that the simulated processors have due for this account. */
  readonly deliver: (accountId: string) => Promise<void>;
}

/**
 * Waits until a notification has put a dispute into the state that the caller expects.
 * @returns undefined on timeout
 */
export async function waitForDispute(
  { store, clock }: Pick<DisputeDependencies, 'store' | 'clock'>,
  tenant: Tenant & Pick<AccountContext, 'suspend'>,
  upstreamId: string,
  isThere: (dispute: DisputeRow) => boolean = () => true,
): Promise<DisputeRow | undefined> {
  const deadline = clock.elapsed() + waitMs;
  for (;;) {
    const dispute = await store.findByUpstreamId(tenant, upstreamId);
    if (dispute !== undefined && isThere(dispute)) return dispute;
    if (clock.elapsed() > deadline) return undefined;
    await tenant.suspend(() => clock.delay(pollMs));
  }
}

/** The error message for an amount that the processor cannot represent. */
export const uncarriedPart =
  'amount must be one that the processor can pass on: it counts the currency in larger units.';

/**
 * Opens a dispute of a sandbox payment, as the buyer would (decisions, "Sandbox").
 * @throws ApiError `not_found`; `invalid_params` if the payment was not charged, or the amount exceeds it or cannot be
 *   represented by the processor; `provider_unavailable` if the notification does not arrive
 */
export async function openTestDispute(
  deps: TestDisputeDependencies,
  context: AccountContext,
  paymentId: string,
  options: TestDispute,
): Promise<DisputeRow> {
  const payment = await requirePayment(deps.payments, context, paymentId);
  if (payment.status !== 'succeeded') {
    throw invalidParam(
      'status',
      `Only a succeeded payment can be disputed; this one has the status ${payment.status}.`,
    );
  }
  if (options.amount !== undefined && options.amount > payment.amount) {
    throw invalidParam('amount', `amount must be at most the payment's ${payment.amount}.`);
  }
  const state = options.state ?? 'chargeback';
  const opened = await deps.simulator.open(context, payment, {
    state,
    amount: options.amount ?? null,
    reason: options.reason ?? null,
  });
  if (opened === 'amount_not_carried') throw invalidParam('amount', uncarriedPart);
  if (opened === null) throw invalidParam('status', 'The processor collected nothing for this payment.');
  await deps.deliver(context.accountId);
  const dispute = await waitForDispute(
    deps.disputes,
    context,
    opened.upstreamId,
    (one) => one.state === state,
  );
  if (dispute === undefined) {
    throw new ApiError('provider_unavailable', "The processor's notification has not arrived yet.", {
      retryAfterSeconds: 2,
    });
  }
  return dispute;
}
