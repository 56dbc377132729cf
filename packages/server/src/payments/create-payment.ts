import { ApiError, invalidParam, limits, type PaymentCreate } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { takenError } from '../customers/customers.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import type { ChargeOutcome } from '../processors/port.ts';
import {
  type ClientInfo,
  customerOf,
  keptOfCard,
  toChargeRequest,
  withoutCardData,
} from './charge-request.ts';
import { clearUpstream } from './expire-payments.ts';
import type { PaymentParts } from './parts.ts';
import { type Plan, planPayment } from './plan-payment.ts';
import type { PaymentRow } from './present.ts';
import { notConnected } from './rules.ts';
import {
  afterOutcome,
  failed,
  type PaymentAnswer,
  settlePayment,
  stayInDoubt,
  withFacts,
  writePayment,
} from './settle-payment.ts';

export interface CreatePaymentInput {
  readonly request: PaymentCreate;
  readonly client: ClientInfo;
  readonly claim: Claim | null;
  /** The payment of an earlier attempt under the same idempotency key that never got its answer. */
  readonly resumes: string | null;
}

/** An error that is kept and replayed like an answer. */
export interface KeptRefusal {
  readonly refusal: ApiError;
  readonly keep: (text: string) => Promise<void>;
}

/**
 * Starts a payment (spec, "Payments"). The processor is asked once per payment, after the intent is committed; its answer,
 * the event and the stored reply are committed together.
 * @returns 201, or 200 with `status: failed` for a decline
 * @throws ApiError for every refusal; `provider_error` or `provider_unavailable` where the outcome is not known: then a
 *   retry with the same key carries the same attempt on; `missing_approval_url` where a wallet order cannot be approved
 */
export async function createPayment(
  parts: PaymentParts,
  context: AccountContext,
  input: CreatePaymentInput,
): Promise<PaymentAnswer | KeptRefusal> {
  const plan = await planPayment(parts, context, input.request);
  const processor = parts.connect(context);
  if (processor === undefined) throw notConnected();
  if (!processor.port.carries(input.request.amount, input.request.currency)) {
    throw invalidParam(
      'amount',
      `amount must be a whole number of larger units: the processor takes no smaller ${input.request.currency}.`,
    );
  }

  const started =
    input.resumes === null
      ? await begin(parts, context, input, plan)
      : await carryOn(parts, context, input.resumes, input.claim);
  if (!('payment' in started)) return started;

  const outcome = await processor.port.charge(
    processor.connection,
    toChargeRequest({
      ...started,
      context,
      links: parts.links,
      request: input.request,
      instrument: plan.instrument,
      // A customer made with the payment exists since the first attempt.
      customer: input.resumes === null ? plan.customer : await customerOf(parts, context, started.payment),
      client: input.client,
    }),
  );
  if ('answer' in outcome) throw await stayInDoubt(parts, started.payment, outcome);
  const answer = await settlePayment(parts, context, {
    before: started.payment,
    after: afterCharge(started.payment, outcome),
    claim: outcome.kind === 'missing_approval_url' ? null : input.claim,
  });
  if (answer === undefined) return lateAnswer(parts, context, started.payment, outcome, input.claim);
  return outcome.kind === 'missing_approval_url'
    ? missingApproval(parts, context, started.payment, input.claim)
    : answer;
}

type Started = { readonly payment: PaymentRow; readonly upstreamKey: string };

/** Commit 1: claim, payment, a customer made with it, and the intent to charge under our own upstream key. */
async function begin(
  parts: PaymentParts,
  context: AccountContext,
  { request, client, claim }: CreatePaymentInput,
  plan: Plan,
): Promise<Started | { lostClaim: true }> {
  const payment = newPaymentRow(parts, context, request, plan);
  const upstreamKey = `${payment.id}:c`;
  try {
    const begun = await parts.store.begin({
      payment,
      request: withoutCardData(request, client),
      newCustomer: plan.customerIsNew ? plan.customer : null,
      operation: { id: newId('op', context.now, parts.randomBytes), upstreamKey, lease: parts.lease() },
      claim,
    });
    return begun ? { payment, upstreamKey } : { lostClaim: true };
  } catch (error) {
    throw takenError(error, 'customer.') ?? error;
  }
}

const methodTypes = { card: 'card', card_fields: 'card_fields', wallet: 'processor_b' } as const;
const unknownCard = { brand: null, bin: null, last4: null, exp_month: null, exp_year: null };

function newPaymentRow(
  parts: PaymentParts,
  context: AccountContext,
  request: PaymentCreate,
  { instrument, authentication, customer }: Plan,
): PaymentRow {
  return {
    account_id: context.accountId,
    livemode: context.livemode,
    id: newId('pay', context.now, parts.randomBytes),
    status: 'processing',
    version: 1,
    event_count: 0,
    amount: request.amount,
    currency: request.currency,
    customer_id: customer?.id ?? null,
    reference: request.reference ?? null,
    shopper_statement: request.shopper_statement ?? null,
    capture_method: request.capture_method ?? 'automatic',
    method_type: methodTypes[instrument.kind],
    ...(instrument.kind === 'card' ? keptOfCard(instrument.card) : unknownCard),
    payment_method_id: null,
    renews_payment: request.renews_payment ?? null,
    failure_code: null,
    authentication,
    three_d_secure: null,
    avs: null,
    upstream: {},
    network_transaction_reference: null,
    required_action: false,
    next_action: null,
    redirect_url: null,
    confirm_by: null,
    returned: null,
    buyer_done_at: null,
    confirm_attempt: 0,
    authorization_guaranteed_until: null,
    authorization_expires: null,
    created_at: context.now,
  };
}

/** The attempt that an earlier request with the same idempotency key left without an answer. */
async function carryOn(
  parts: PaymentParts,
  context: AccountContext,
  paymentId: string,
  claim: Claim | null,
): Promise<Started | PaymentAnswer> {
  const payment = await parts.store.find(context, paymentId);
  if (payment === undefined) throw new Error(`claim names ${paymentId}, which does not exist`);
  if (payment.status !== 'processing') return keepKnown(parts, context, payment, claim);
  const open = await parts.operations.takeOver(payment, 'charge', parts.lease(), parts.clock.now());
  if (open !== undefined) return { payment, upstreamKey: open.upstream_key };
  // Recovery is asking the processor at this moment, or has just settled it.
  if (await parts.operations.isOpen(payment)) {
    throw new ApiError(
      'provider_unavailable',
      'The payment is being looked into. Retry with the same Idempotency-Key.',
      {
        retryAfterSeconds: 2,
      },
    );
  }
  return carryOn(parts, context, paymentId, claim);
}

/** The payment was settled under another hand while the processor answered: what it charged must not stay. */
async function lateAnswer(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  outcome: Exclude<ChargeOutcome, { answer: unknown }>,
  claim: Claim | null,
): Promise<PaymentAnswer> {
  const current = await parts.store.find(context, payment.id);
  if (current === undefined || current.status === 'processing') return { lostClaim: true };
  if (current.status === 'failed' && (outcome.kind === 'succeeded' || outcome.kind === 'authorized')) {
    parts.onTrouble('charged upstream after it failed here', current);
    await clearUpstream(parts, context, withFacts(current, outcome.facts), `${current.id}:t2`);
  }
  return keepKnown(parts, context, current, claim);
}

/** The payment was settled by somebody else meanwhile: its present state is the answer from now on. */
async function keepKnown(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  claim: Claim | null,
): Promise<PaymentAnswer> {
  const status = payment.status === 'failed' ? 200 : 201;
  const text = writePayment(parts, context, payment);
  if (claim !== null) {
    await parts.keepAnswer(context, claim, {
      resourceId: payment.id,
      status,
      body: text,
      createdAt: context.now,
    });
  }
  return { status, text };
}

/** The payment as the processor's answer leaves it. */
function afterCharge(payment: PaymentRow, outcome: Exclude<ChargeOutcome, { answer: unknown }>): PaymentRow {
  switch (outcome.kind) {
    case 'requires_action':
      return {
        ...withFacts(payment, outcome.facts),
        status: 'requires_action',
        required_action: true,
        next_action: outcome.action,
        redirect_url: outcome.redirectUrl,
        confirm_by: new Date(payment.created_at.getTime() + limits.confirmationMinutes * 60_000),
      };
    case 'missing_approval_url':
      return failed(withFacts(payment, outcome.facts), 'declined');
    case 'succeeded':
    case 'authorized':
    case 'declined':
      return afterOutcome(payment, outcome);
  }
}

/** The one error that is kept: the order is useless, and the spec asks for a new key (create rule 12). */
function missingApproval(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  claim: Claim | null,
): KeptRefusal {
  return {
    refusal: new ApiError(
      'missing_approval_url',
      'The processor accepted the order without an approval link. No money moved: retry with a new key.',
    ),
    async keep(text) {
      if (claim === null) return;
      await parts.keepAnswer(context, claim, {
        resourceId: payment.id,
        status: 502,
        body: text,
        createdAt: context.now,
      });
    },
  };
}
