import { ApiError, type CustomerCreate, invalidParam, type PaymentCreate } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { type CustomerParts, findCustomer, takenError } from '../customers/customers.ts';
import { checkCustomer } from '../customers/rules.ts';
import { type CustomerRow, newCustomerRow } from '../customers/store.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import type {
  AuthenticationDemand,
  Card,
  OrderData,
  ProcessorConnection,
  ProcessorPort,
} from '../processors/port.ts';
import { type ClientInfo, keptOfCard, toChargeRequest } from './charge-request.ts';
import { reconcile } from './line-items.ts';
import type { PaymentRow } from './present.ts';
import {
  authenticationDemand,
  checkCaptureMethod,
  checkProcessorAndCurrency,
  checkRecurring,
  checkReturnUrls,
  notConnected,
  readInstrument,
} from './rules.ts';
import { type PaymentAnswer, type SettleParts, settleCharge, toAnswer } from './settle-charge.ts';

export interface PaymentParts extends SettleParts {
  readonly customers: CustomerParts;
  /** The adapter and the way to its upstream; undefined where the account has none in this mode. */
  readonly connect: (
    context: AccountContext,
  ) => { port: ProcessorPort; connection: ProcessorConnection } | undefined;
  /** Where the upstream sends the buyer back to for this payment. */
  readonly returnUrl: (context: AccountContext, paymentId: string) => string;
}

export interface CreatePaymentInput {
  readonly request: PaymentCreate;
  readonly client: ClientInfo;
  readonly claim: Claim | null;
  /** The payment of an earlier attempt under the same idempotency key that never got its answer. */
  readonly resumes: string | null;
}

/** A request that passed every rule: what will be charged, and how. */
interface Plan {
  readonly card: Card;
  readonly order: OrderData;
  readonly authentication: AuthenticationDemand;
  readonly customer: CustomerRow | null;
  readonly customerIsNew: boolean;
}

/**
 * Charges a card (spec, "Payments"). The processor is asked once per payment, after the intent is committed; its answer,
 * the event and the stored reply are committed together.
 * @returns 201, or 200 with `status: failed` for a decline
 * @throws ApiError for every refusal; `provider_error` or `provider_unavailable` where the outcome is not known: then a
 *   retry with the same key carries the same attempt on
 */
export async function createPayment(
  parts: PaymentParts,
  context: AccountContext,
  input: CreatePaymentInput,
): Promise<PaymentAnswer> {
  const plan = await checkRequest(parts, context, input.request);
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
      ...plan,
      ...started,
      // A customer made with the payment exists since the first attempt.
      customer: input.resumes === null ? plan.customer : await customerOf(parts, context, started.payment),
      request: input.request,
      client: input.client,
      returnUrl: parts.returnUrl(context, started.payment.id),
    }),
  );
  return settleCharge(parts, context, started.payment, outcome, input.claim);
}

async function checkRequest(
  parts: PaymentParts,
  context: AccountContext,
  request: PaymentCreate,
): Promise<Plan> {
  const instrument = readInstrument(request, context);
  checkProcessorAndCurrency(request, context);
  checkCaptureMethod(request, context);
  checkRecurring(request, instrument, context);
  const authentication = authenticationDemand(request, instrument, context);
  checkReturnUrls(request, instrument, authentication);
  const order = checkOrder(request);
  const customer = await resolveCustomer(parts, context, request.customer);
  if (instrument.kind === 'stored') {
    throw instrument.id === null
      ? invalidParam('use_last_payment_method', 'The customer has no saved card.')
      : invalidParam('stored_payment_method', 'The stored payment method was not found.');
  }
  if (instrument.kind !== 'card') throw notConnected();
  return {
    card: instrument.card,
    order,
    authentication,
    customer,
    customerIsNew: typeof request.customer === 'object',
  };
}

function checkOrder(request: PaymentCreate): OrderData {
  const result = reconcile(request);
  if (!result.ok) throw invalidParam(result.param, result.message);
  return {
    ...result.order,
    ...(request.invoice_id === undefined ? {} : { invoiceId: request.invoice_id }),
    ...(request.description === undefined ? {} : { description: request.description }),
    ...(request.ships_from_postal_code === undefined
      ? {}
      : { shipsFromPostalCode: request.ships_from_postal_code }),
  };
}

async function resolveCustomer(
  parts: PaymentParts,
  context: AccountContext,
  wish: string | CustomerCreate | undefined,
): Promise<CustomerRow | null> {
  if (wish === undefined) return null;
  if (typeof wish === 'object') {
    checkCustomer(wish, context.now, 'customer.');
    return newCustomerRow(context, newId('cus', context.now, parts.randomBytes), wish, context.now);
  }
  const customer = await findCustomer(parts.customers, context, wish);
  if (customer === undefined) {
    throw new ApiError('customer_not_found', 'There is no customer with this id.', { param: 'customer' });
  }
  return customer;
}

async function customerOf(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
): Promise<CustomerRow | null> {
  if (payment.customer_id === null) return null;
  return (await findCustomer(parts.customers, context, payment.customer_id)) ?? null;
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
      operation: { id: newId('op', context.now, parts.randomBytes), upstreamKey },
      claim,
    });
    return begun ? { payment, upstreamKey } : { lostClaim: true };
  } catch (error) {
    throw takenError(error, 'customer.') ?? error;
  }
}

function newPaymentRow(
  parts: PaymentParts,
  context: AccountContext,
  request: PaymentCreate,
  plan: Plan,
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
    customer_id: plan.customer?.id ?? null,
    reference: request.reference ?? null,
    shopper_statement: request.shopper_statement ?? null,
    capture_method: request.capture_method ?? 'automatic',
    method_type: 'card',
    ...keptOfCard(plan.card),
    payment_method_id: null,
    renews_payment: request.renews_payment ?? null,
    failure_code: null,
    three_d_secure: null,
    avs: null,
    upstream_reference: null,
    network_transaction_reference: null,
    created_at: context.now,
  };
}

/** What is kept of the request: everything but the card number and the security code. */
function withoutCardData(request: PaymentCreate, client: ClientInfo): object {
  const { payment_method: method, ...rest } = request;
  if (method === undefined) return { ...rest, client };
  const { number: _number, cvc: _cvc, ...kept } = method;
  return { ...rest, payment_method: kept, client };
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
  if (payment.status !== 'processing') return storeKnownAnswer(parts, payment, claim);
  const upstreamKey = await parts.store.openUpstreamKey(payment);
  // Settled between the two reads: the repeat finds the stored answer.
  return upstreamKey === undefined ? { lostClaim: true } : { payment, upstreamKey };
}

/** The payment was settled by somebody else meanwhile: its present state is the answer from now on. */
async function storeKnownAnswer(
  parts: PaymentParts,
  payment: PaymentRow,
  claim: Claim | null,
): Promise<PaymentAnswer> {
  const answer = toAnswer(parts, payment);
  if (claim !== null)
    await parts.store.storeAnswer(payment, { claim, status: answer.status, body: answer.text });
  return answer;
}
