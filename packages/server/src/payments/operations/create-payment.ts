import { ApiError, invalidParam, type PaymentCreate } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { requireWithinAmount, takeOnce } from '../../api-keys/limits.ts';
import { takenError } from '../../customers/customers.ts';
import type { Claim } from '../../idempotency/claims.ts';
import { unsupportedAmountReason } from '../../processors/port/amounts.ts';
import { requireAvailable } from '../../processors/port/availability.ts';
import { notConnected, outcomeUnknown, unreachableReason } from '../../processors/port/connected.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { requestOf } from '../drafts.ts';
import { type ClientInfo, keptRequest } from '../kept-request.ts';
import { toChargeRequest } from '../request/charge-request.ts';
import { newPaymentRow } from '../request/new-payment.ts';
import { type Plan, type PlannedInstrument, planPayment } from '../request/plan-payment.ts';
import { openMethod } from '../request/saved-instrument.ts';
import { sentBefore, sentCustomer, sentFirst } from '../request/sent-with.ts';
import type { PaymentAnswer } from '../settle-payment.ts';
import type { LinkAttempt } from '../store.ts';
import { chargeKey } from './charge.ts';
import { endWithoutAnswer } from './discard-payment.ts';
import {
  begunPayment,
  resumeCharge,
  type Started,
  stillInDoubt,
  storePresentAnswer,
} from './resume-payment.ts';
import { type StoredRefusal, settleCharge } from './settle-charge.ts';

export interface CreatePaymentInput {
  readonly request: PaymentCreate;
  readonly client: ClientInfo;
  readonly claim: Claim | null;
  /** Id of the payment that an earlier request with the same idempotency key began and that got no answer; null: none. */
  readonly resumes: string | null;
  /** Set if a buyer pays with a link: the link, and the buyer's form, browser and network. */
  readonly link?: LinkAttempt;
  /** Called after commit 1, once the payment and the attempt with its link are written, before the processor is asked. */
  readonly onBegun?: () => void;
}

/**
 * Creates a payment (spec, "Payments"). Commit 1 writes the intent, then the processor is asked under one upstream key, and
 * commit 2 writes its answer, the event and the stored reply together.
 * @returns 201, or 200 with `status: failed` for a decline; or, as a refusal to be kept, `missing_approval_url` if a wallet order
 *   cannot be approved
 * @throws ApiError for every other refusal; `provider_error` or `provider_unavailable` if the outcome is not known (a retry with
 *   the same key resumes the same attempt), or if certainly nothing was carried out (a retry is a new request)
 */
export async function createPayment(
  deps: PaymentDependencies,
  context: AccountContext,
  input: CreatePaymentInput,
): Promise<PaymentAnswer | StoredRefusal> {
  const { request } = input;
  if (input.resumes === null) requireWithinAmount(context, request);
  const processor = deps.connect(context);
  const resumed = input.resumes === null ? null : await begunPayment(deps, context, input.resumes);
  if (resumed !== null && resumed.status !== 'processing') {
    return storePresentAnswer(deps, context, resumed, input.claim);
  }
  // If the connection is now another merchant account at the processor, asking there would charge a second time.
  const why = resumed === null ? null : unreachableReason(processor, resumed);
  if (why !== null) throw outcomeUnknown(why);
  const plan = await planPayment(deps, context, request, processor, resumed, input.link !== undefined).catch(
    (error: unknown) => {
      // A rule may fail only because something changed since the first attempt, which may have charged. So answer "in doubt"
      // instead of a refusal, from which the merchant would conclude that nothing was charged.
      throw resumed !== null && error instanceof ApiError ? stillInDoubt() : error;
    },
  );
  if (processor === undefined) throw notConnected();
  const uncarried = unsupportedAmountReason(processor.port, request.amount, request.currency);
  if (uncarried !== null) throw invalidParam('amount', uncarried);
  requireAvailable(processor, { inDoubt: resumed !== null });
  // The saved method was removed since the first attempt. Recovery finds out what that did, and needs no token for it.
  if (resumed !== null && isRemoved(plan.instrument)) {
    await deps.operations.expedite(resumed, deps.clock.now());
    throw stillInDoubt();
  }
  const instrument =
    plan.instrument.kind === 'stored'
      ? await openMethod(deps, context, plan.instrument, request.merchant_initiated === true)
      : plan.instrument;

  const started =
    resumed === null
      ? await begin(deps, context, input, plan, processor.identity)
      : await resumeCharge(deps, context, resumed, processor.port, input.claim);
  if (!('payment' in started)) return started;

  const charge = toChargeRequest({
    context,
    deps,
    request,
    instrument,
    ...started,
    sent:
      started.sent ??
      (await sentBefore(deps, context, started.payment, await requestOf(deps.db, started.payment))),
    isRepeat: resumed !== null,
  });
  const outcome = await processor.port.charge(processor.connection, charge);
  const { claim } = input;
  const { leaseUntil, uncount } = started;
  const { now: at, suspend } = context;
  const end = { claim, customerIsNew: plan.customerIsNew, leaseUntil, at, suspend, uncount };
  if ('answer' in outcome) {
    const begunNow = resumed === null ? end : null;
    throw await endWithoutAnswer(deps, context, started.payment, begunNow, { outcome, leaseUntil });
  }
  const answer = await settleCharge(deps, context, started.payment, outcome, end);
  return { warnings: processor.port.unsentFields(charge), ...answer };
}

/**
 * Counts the amount towards the API key's limits. A hold moves nothing yet: its capture counts.
 * @returns a function that takes the count back, or null if another request has the idempotency key
 */
function takeMoved(
  deps: PaymentDependencies,
  context: AccountContext,
  request: PaymentCreate,
  claim: Claim | null,
): Promise<(() => Promise<void>) | null> {
  if (request.capture_method === 'manual') return Promise.resolve(async () => {});
  return takeOnce(deps, context, request, claim);
}

const isRemoved = (instrument: PlannedInstrument) =>
  instrument.kind === 'stored' && instrument.method.removed_at !== null;

/** Commit 1: writes the claim, the payment, a customer created with it, and the intent to charge under our own upstream key. */
async function begin(
  deps: PaymentDependencies,
  context: AccountContext,
  { request, client, claim, link, onBegun }: CreatePaymentInput,
  plan: Plan,
  identity: string,
): Promise<Started | { keyTaken: true }> {
  const payment = newPaymentRow(deps, context, request, plan, identity, link?.id ?? null);
  const sent = await sentFirst(deps, payment, request, { client, customer: plan.customer });
  // This has to come before commit 1: from then on no payment link may save another card for this customer.
  if (link === undefined && plan.customer !== null && !plan.customerIsNew) {
    await deps.customers.store.takeFromLinks(plan.customer);
  }
  const upstreamKey = chargeKey(payment.id);
  const lease = deps.lease();
  const giveBack = await takeMoved(deps, context, request, claim);
  if (giveBack === null) return { keyTaken: true };
  try {
    const begun = await deps.store.begin({
      payment,
      request: keptRequest(request, client, sentCustomer(request, sent)),
      newCustomer: plan.customerIsNew ? plan.customer : null,
      operation: { upstreamKey, lease },
      claim,
      link: link ?? null,
    });
    if (begun) {
      onBegun?.();
      return { payment, sent, upstreamKey, leaseUntil: lease.until, uncount: giveBack };
    }
    await giveBack();
    return { keyTaken: true };
  } catch (error) {
    const taken = plan.customer && (await takenError(deps.customers, error, plan.customer, 'customer.'));
    if (taken) await giveBack();
    throw taken ?? error;
  }
}
