import {
  ApiError,
  invalidParam,
  type PaymentCreate,
  type PaymentMethodInput,
  walletType,
} from '@till/contract';
import { currencyExponent } from '@till/contract/currencies';
import type { AccountContext } from '../../accounts/context.ts';
import { isExpired, normaliseCardNumber } from '../../lib/cards.ts';
import type { ProcessorCapabilities } from '../../processors/port/capabilities.ts';
import { notConnected } from '../../processors/port/connected.ts';
import type { AuthenticationDemand, Card } from '../../processors/port/port.ts';
import { capabilitiesOf, processorsThat } from '../../processors/registry.ts';

/** What is charged: a typed card, card fields or a wallet that the buyer completes later, or a saved method. */
export type Instrument =
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'card_fields' | 'wallet' }
  | { readonly kind: 'stored' /** Null: the customer's newest card. */; readonly id: string | null };

/** The kinds of instrument that rules distinguish. */
export type ChargedKind = Exclude<Instrument['kind'], 'stored'> | 'stored_card' | 'stored_wallet';

const detailFields = ['number', 'exp_month', 'exp_year', 'cvc', 'holder_name'] as const;

/** Whether a text has anything but spaces, control characters and invisible format characters. */
const isVisible = (text: string) => /[^\p{Z}\p{Cc}\p{Cf}]/u.test(text);

function readCard(method: PaymentMethodInput, now: Date): Card {
  const path = (field: string) => `payment_method.${field}`;
  const { number, exp_month: expMonth, exp_year: expYear, cvc, holder_name: holderName } = method;
  const missing = (['number', 'exp_month', 'exp_year', 'cvc'] as const).find(
    (field) => method[field] === undefined,
  );
  if (number === undefined || expMonth === undefined || expYear === undefined || cvc === undefined) {
    throw new ApiError('missing_field', `${path(missing ?? 'number')} is required for a card payment.`, {
      param: path(missing ?? 'number'),
    });
  }
  if (holderName === undefined) {
    throw invalidParam(path('holder_name'), `${path('holder_name')} is required for a card payment.`);
  }
  if (!isVisible(holderName)) {
    throw invalidParam(
      path('holder_name'),
      `${path('holder_name')} must be the name on the card; what was sent is only white space.`,
    );
  }
  if (isExpired(expMonth, expYear, now)) {
    throw invalidParam(
      path('exp_year'),
      `${path('exp_year')} and exp_month must not be in the past; ${expYear} and ${expMonth} were sent.`,
    );
  }
  return { number: normaliseCardNumber(number), expMonth, expYear, cvc, holderName };
}

function readMethod(method: PaymentMethodInput, context: AccountContext): Instrument {
  if (method.type === 'card') return { kind: 'card', card: readCard(method, context.now) };
  const kind = method.type === walletType ? 'wallet' : method.type;
  const offers = ({ browserMethods }: ProcessorCapabilities) => browserMethods.includes(kind);
  if (!offers(capabilitiesOf(context.processor))) {
    throw invalidParam(
      'payment_method.type',
      `payment_method.type ${method.type} needs an account on ${processorsThat(offers)}.`,
    );
  }
  const detail = detailFields.find((field) => method[field] !== undefined);
  if (detail !== undefined) {
    throw invalidParam(
      `payment_method.${detail}`,
      `payment_method.${detail} must not be sent with payment_method.type ${method.type}.`,
    );
  }
  return { kind };
}

/**
 * Reads which instrument the request charges (spec, "Create validation rules" 1, 2, 5, 6).
 * @throws ApiError `missing_field`, `invalid_params`
 */
export function readInstrument(request: PaymentCreate, context: AccountContext): Instrument {
  const { payment_method: method, stored_payment_method: stored, use_last_payment_method: useLast } = request;
  if (useLast === true) return readNewest(request);
  if (method !== undefined && stored !== undefined) {
    throw invalidParam('stored_payment_method', 'Send payment_method or stored_payment_method, not both.');
  }
  if (method !== undefined) return readMethod(method, context);
  if (stored === undefined) {
    throw invalidParam('payment_method', 'payment_method or stored_payment_method is required.');
  }
  if (request.customer === undefined) {
    throw invalidParam('customer', 'stored_payment_method needs the customer that it belongs to.');
  }
  return { kind: 'stored', id: stored };
}

function readNewest(request: PaymentCreate): Instrument {
  if (request.stored_payment_method !== undefined) {
    throw invalidParam(
      'use_last_payment_method',
      'use_last_payment_method cannot be sent with stored_payment_method.',
    );
  }
  if (request.payment_method !== undefined) {
    throw invalidParam(
      'use_last_payment_method',
      'use_last_payment_method cannot be sent with payment_method.',
    );
  }
  if (request.customer === undefined) {
    throw invalidParam('customer', 'use_last_payment_method needs a customer.');
  }
  return { kind: 'stored', id: null };
}

/** Whether this charge saves its instrument: the request says so, or a customer is attached and the account's default says so. */
export function savesInstrument(
  request: PaymentCreate,
  instrument: Instrument,
  context: AccountContext,
): boolean {
  if (instrument.kind === 'stored') return false;
  return request.save_payment_method ?? (request.customer !== undefined && context.storePaymentMethodDefault);
}

/**
 * Checks the rules for saving a method and for charging a saved one (spec, "Payment create request fields" and rules 3, 7).
 * @throws ApiError `invalid_params`
 */
export function checkRecurring(
  request: PaymentCreate,
  instrument: Instrument,
  context: AccountContext,
): void {
  const stored = instrument.kind === 'stored';
  if (request.save_payment_method === true && request.customer === undefined) {
    throw invalidParam(
      'save_payment_method',
      'save_payment_method needs a customer: a customer is required to save.',
    );
  }
  if (request.merchant_initiated === true && !stored) {
    throw invalidParam(
      'merchant_initiated',
      'merchant_initiated is only possible when a stored method is charged.',
    );
  }
  if (
    request.recurring_processing_model !== undefined &&
    !stored &&
    !savesInstrument(request, instrument, context)
  ) {
    throw invalidParam(
      'recurring_processing_model',
      'recurring_processing_model is only possible when a method is saved or a stored one is charged.',
    );
  }
  if (request.renews_payment !== undefined && !stored) {
    throw invalidParam(
      'renews_payment',
      'renews_payment cannot be used here: charging a stored method is required.',
    );
  }
}

/** @throws ApiError `invalid_params` for a hold that is not possible (decisions, "Payments") */
export function checkCaptureMethod(request: PaymentCreate, context: AccountContext): void {
  if (request.capture_method !== 'manual') return;
  const holds = (capabilities: ProcessorCapabilities) => capabilities.holds;
  if (!holds(capabilitiesOf(context.processor))) {
    throw invalidParam(
      'capture_method',
      `capture_method manual needs an account on ${processorsThat(holds)}.`,
    );
  }
  if (request.merchant_initiated === true) {
    throw invalidParam('capture_method', 'capture_method manual cannot be combined with merchant_initiated.');
  }
}

/** @throws ApiError `invalid_params` for a currency that is not in use */
export function checkCurrency(request: PaymentCreate): void {
  if (currencyExponent(request.currency) !== undefined) return;
  throw invalidParam(
    'currency',
    `currency must be an active ISO 4217 code with minor units, such as EUR; "${request.currency}" was sent.`,
  );
}

/** @throws ApiError `invalid_params` for more tax than the amount that includes it (decisions, "Limits and refusals") */
export function checkTax({ amount, tax_amount: tax }: PaymentCreate): void {
  if (tax === undefined || tax <= amount) return;
  throw invalidParam(
    'tax_amount',
    `tax_amount must be at most amount, which includes it: ${amount}; ${tax} was sent.`,
  );
}

/** @throws ApiError `provider_not_configured` if the account is not connected to the named processor (spec, "Errors") */
export function checkProcessor(request: PaymentCreate, context: AccountContext): void {
  if (request.provider !== undefined && request.provider !== context.processor) {
    throw new ApiError('provider_not_configured', `This account is not connected to ${request.provider}.`, {
      param: 'provider',
    });
  }
  if (!context.connection.connected) throw notConnected();
}

/**
 * Whether this charge asks for 3-D Secure (decisions, "Payments"). A connection set to `always` decides; otherwise the request
 * does, and without a demand in the request the connection's setting. A merchant-initiated charge never meets a challenge.
 */
export function authenticationDemand(
  request: PaymentCreate,
  kind: ChargedKind,
  context: AccountContext,
): AuthenticationDemand {
  if (kind === 'wallet' || kind === 'stored_wallet' || request.merchant_initiated === true) return 'never';
  const setting = context.connection.threeDSecure;
  if (setting === 'always') return 'always';
  return request.authentication ?? (setting === 'enabled' ? 'automatic' : 'never');
}

/** Requires both return URLs if the buyer may have to leave the merchant's page. @throws ApiError `invalid_params` */
export function checkReturnUrls(
  request: PaymentCreate,
  kind: ChargedKind,
  demand: AuthenticationDemand,
): void {
  if (demand === 'never' && kind !== 'wallet') return;
  const missing = (['success_url', 'failure_url'] as const).find((field) => request[field] === undefined);
  if (missing === undefined) return;
  const reason = kind === 'wallet' ? 'a wallet payment' : 'a card payment with 3-D Secure';
  throw invalidParam(missing, `${missing} is required for ${reason}.`);
}

/**
 * Step 7: a live account must be active; the sandbox is exempt (spec, "Create validation rules" 11).
 * @throws ApiError `processing_not_enabled`, `processing_not_active` naming the status
 */
export function checkActivation(context: AccountContext): void {
  if (!context.livemode || context.activation === 'active') return;
  if (context.activation === 'not_activated') {
    throw new ApiError('processing_not_enabled', 'Live processing is not enabled for this account yet.');
  }
  throw new ApiError('processing_not_active', `Live processing is ${context.activation} for this account.`);
}

/** The sent fields that the account's processor does not use. */
export const unusedFields = ({ stc }: PaymentCreate, { processor }: AccountContext): string[] =>
  stc !== undefined && !capabilitiesOf(processor).transactionContext ? ['stc'] : [];
