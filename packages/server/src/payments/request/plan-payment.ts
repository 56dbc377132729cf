import { ApiError, type CustomerCreate, invalidParam, type PaymentCreate } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { findCustomer } from '../../customers/customers.ts';
import { checkCustomer } from '../../customers/rules.ts';
import { type CustomerRow, newCustomerRow } from '../../customers/store.ts';
import { newId } from '../../lib/ids.ts';
import { type Connected, notConnected } from '../../processors/port/connected.ts';
import type { RecurringModel } from '../../processors/port/instruments.ts';
import type { AuthenticationDemand } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';
import { reconcile } from './line-items.ts';
import {
  authenticationDemand,
  checkActivation,
  checkCaptureMethod,
  checkCurrency,
  checkProcessor,
  checkRecurring,
  checkReturnUrls,
  checkTax,
  type Instrument,
  readInstrument,
} from './rules.ts';
import { type ChosenMethod, checkRenewal, chooseMethod, methodOf, modelToSave } from './saved-instrument.ts';

/** A request that passed every rule: what will be charged, and how. */
export interface Plan {
  readonly instrument: PlannedInstrument;
  readonly authentication: AuthenticationDemand;
  readonly customer: CustomerRow | null;
  readonly customerIsNew: boolean;
  /** The model under which the instrument is saved; null: it is not saved. */
  readonly saveModel: RecurringModel | null;
}

export type PlannedInstrument = Exclude<Instrument, { kind: 'stored' }> | ChosenMethod;

/**
 * Applies all rules for a create request in the order of checks: fields, then references.
 * @param processor the connection that will be asked; undefined: there is none
 * @param begun the payment of an earlier attempt, which has chosen the saved method already; null: this is the first attempt
 * @param onOurPage whether the buyer pays by a link and comes back to our own page
 * @throws ApiError `missing_field`, `invalid_params`, `provider_not_configured`, `customer_not_found`
 */
export async function planPayment(
  deps: PaymentDependencies,
  context: AccountContext,
  request: PaymentCreate,
  processor: Connected | undefined,
  begun: PaymentRow | null,
  onOurPage = false,
): Promise<Plan> {
  // The route has checked the activation for a new request. A resumed one is checked only here: a refusal leaves it in doubt.
  checkActivation(context);
  const options = readInstrument(request, context);
  checkCurrency(request);
  checkTax(request);
  checkProcessor(request, context);
  if (processor === undefined) throw notConnected();
  checkCaptureMethod(request, context);
  checkRecurring(request, options, context);
  const saveModel = modelToSave(request, options, context, processor.port);
  // A payment by a link needs no return addresses: without them our own page shows the outcome.
  if (options.kind !== 'stored' && !onOurPage) {
    checkReturnUrls(request, options.kind, authenticationDemand(request, options.kind, context));
  }
  const order = reconcile(request);
  if (!order.ok) throw invalidParam(order.param, order.message);
  const customer = await resolveCustomer(deps, context, request.customer, onOurPage);
  const instrument = await resolveInstrument(deps, context, request, options, {
    customer,
    begun,
    processor,
  });
  const kind = kindOf(instrument);
  const authentication = authenticationDemand(request, kind, context);
  if (!onOurPage) checkReturnUrls(request, kind, authentication);
  await checkRenewal(deps, context, request.renews_payment, customer);
  return {
    instrument,
    authentication,
    customer,
    customerIsNew: typeof request.customer === 'object',
    saveModel,
  };
}

const kindOf = (instrument: PlannedInstrument) => {
  if (instrument.kind !== 'stored') return instrument.kind;
  return instrument.method.type === 'card' ? 'stored_card' : 'stored_wallet';
};

async function resolveInstrument(
  deps: PaymentDependencies,
  context: AccountContext,
  request: PaymentCreate,
  options: Instrument,
  {
    customer,
    begun,
    processor,
  }: {
    readonly customer: CustomerRow | null;
    readonly begun: PaymentRow | null;
    readonly processor: Connected;
  },
): Promise<PlannedInstrument> {
  if (options.kind !== 'stored') return options;
  if (begun !== null) return methodOf(deps, request, begun);
  if (customer === null) throw new Error('a stored method was let through without a customer');
  return chooseMethod(deps, context, request, { customer, id: options.id, processor });
}

async function resolveCustomer(
  deps: PaymentDependencies,
  context: AccountContext,
  options: string | CustomerCreate | undefined,
  ofLinks: boolean,
): Promise<CustomerRow | null> {
  if (options === undefined) return null;
  if (typeof options === 'object') {
    checkCustomer(options, context.now, 'customer.');
    const id = newId('cus', deps.clock.now(), deps.randomBytes);
    return newCustomerRow(context, id, options, context.now, ofLinks);
  }
  const customer = await findCustomer(deps.customers, context, options);
  if (customer === undefined) {
    throw new ApiError('customer_not_found', 'There is no customer with this id.', { param: 'customer' });
  }
  return customer;
}
