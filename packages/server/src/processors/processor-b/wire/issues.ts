import type { FailureCode } from '@till/contract';
import type { NoAnswer } from '../../port/port.ts';
import { errorAnswer, unknown } from '../../upstream/no-answer.ts';
import { jsonText } from '../../wire/json.ts';
import type { UpstreamAnswer } from './client.ts';

const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/**
 * Issues that fail the payment, wherever they come up (PayPal REST Orders v2 and Payments v2, error codes). What is not
 * listed anywhere here is a fault of our request or of the merchant's account.
 */
const declineIssues: readonly (readonly [FailureCode, ReadonlySet<string>])[] = [
  [
    'declined',
    names(`INSTRUMENT_DECLINED PAYMENT_SOURCE_DECLINED_BY_PROCESSOR ALIAS_DECLINED_BY_PROCESSOR
      TRANSACTION_LIMIT_EXCEEDED TRANSACTION_RECEIVING_LIMIT_EXCEEDED MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED
      REDIRECT_PAYER_FOR_ALTERNATE_FUNDING ORDER_EXPIRED`),
  ],
  [
    'refused',
    names(`PAYMENT_SOURCE_CANNOT_BE_USED PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED TRANSACTION_REFUSED
      COMPLIANCE_VIOLATION PAYEE_BLOCKED_TRANSACTION TRANSACTION_BLOCKED_BY_PAYEE DECLINED_DUE_TO_RELATED_TXN`),
  ],
  [
    'restricted_card',
    names(`PAYER_CANNOT_PAY PAYER_ACCOUNT_RESTRICTED PAYER_ACCOUNT_LOCKED_OR_CLOSED DOMESTIC_TRANSACTION_REQUIRED
      CARD_BRAND_NOT_SUPPORTED CARD_TYPE_NOT_SUPPORTED CURRENCY_NOT_SUPPORTED_FOR_CARD_TYPE`),
  ],
  ['expired_card', names('CARD_EXPIRED REFERENCED_CARD_EXPIRED INVALID_EXPIRY_DATE')],
  ['invalid_cvv', names('INVALID_SECURITY_CODE_LENGTH')],
];

/** Of a saved instrument: there is nothing left to charge, now or later. */
export const goneIssues = names(`TOKEN_ID_NOT_FOUND TOKEN_EXPIRED AGREEMENT_ALREADY_CANCELLED
  BILLING_AGREEMENT_NOT_FOUND IDENTIFIER_NOT_FOUND MISMATCHED_VAULT_ID_TO_PAYMENT_SOURCE`);

/** The merchant's account, or this instrument, cannot be saved; nothing was charged. */
export const notSavedIssues = names('NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE');

/** Of a 400: the value of a field is not what the upstream takes. */
const fieldIssues = names('INVALID_PARAMETER_VALUE INVALID_PARAMETER_SYNTAX INVALID_STRING_LENGTH');

/** The buyer has not approved, authenticated or typed the card yet. */
export const notApprovedIssues = names(
  'ORDER_NOT_APPROVED PAYER_ACTION_REQUIRED CARD_NUMBER_REQUIRED CARD_EXPIRY_REQUIRED',
);

/** The order says what became of it: an earlier request may have completed it. */
export const settledIssues =
  names(`ORDER_ALREADY_CAPTURED ORDER_ALREADY_AUTHORIZED AUTHORIZATION_ALREADY_CAPTURED
  ORDER_COMPLETION_IN_PROGRESS ORDER_COMPLETED_OR_VOIDED DUPLICATE_INVOICE_ID`);

/** Of a card typed into our page: the order has its card already. */
export const approvedIssues = names(
  'ORDER_ALREADY_CAPTURED ORDER_ALREADY_AUTHORIZED PAYMENT_ALREADY_APPROVED',
);

/** Of a hold: it was collected. */
export const collectedIssues = names(
  'AUTHORIZATION_ALREADY_CAPTURED PREVIOUSLY_CAPTURED MAX_CAPTURE_COUNT_EXCEEDED DUPLICATE_INVOICE_ID',
);

/** Of a hold: there is nothing left of it. */
export const releasedIssues =
  names(`AUTHORIZATION_EXPIRED AUTHORIZATION_VOIDED AUTHORIZATION_DENIED PREVIOUSLY_VOIDED
  INVALID_RESOURCE_ID`);

/**
 * An earlier copy of the request is being carried out, or was: our invoice ids are unique, so one that is taken was
 * taken by this payment, and charging under another one would charge twice.
 */
const repeatIssues = names('PREVIOUS_REQUEST_IN_PROGRESS ORDER_COMPLETION_IN_PROGRESS DUPLICATE_INVOICE_ID');

/** The upstream refused the request. */
export const isClientError = ({ status }: UpstreamAnswer): boolean => status >= 400 && status < 500;

/** The upstream did what it was asked, or had done it before. */
export const isSuccess = ({ status }: UpstreamAnswer): boolean => status === 200 || status === 201;

/** Whether an error is the upstream's own, which has a name: any other may come from something in between. */
export const namesError = ({ body, issues }: UpstreamAnswer): boolean =>
  jsonText(body, 'name') !== null || issues.length > 0;

/** Whether an answer blames one of these issues. */
export const blames = (answer: UpstreamAnswer, issues: ReadonlySet<string>): boolean =>
  isClientError(answer) && answer.issues.some(({ code }) => issues.has(code));

/** Whether the same key should be asked again a little later. */
export const isStillProcessing = (answer: UpstreamAnswer): boolean => blames(answer, repeatIssues);

/** Why the answer fails the payment; undefined where it does not. */
export function declineOf(answer: UpstreamAnswer): FailureCode | undefined {
  if (!isClientError(answer) || answer.status === 401 || answer.status === 403) return undefined;
  const listed = declineIssues.find(([, issues]) => blames(answer, issues))?.[0];
  const badNumber = answer.issues.some(
    ({ code, field }) => fieldIssues.has(code) && /\bcard\/number$/.test(field),
  );
  return listed ?? (badNumber ? 'invalid_card' : undefined);
}

/** Which addresses the answer blames, which no payment should fail for. */
export function blamedAddresses(answer: UpstreamAnswer): { billing: boolean; delivery: boolean } {
  const blamed = { billing: false, delivery: false };
  if (answer.status !== 400 && answer.status !== 422) return blamed;
  for (const { code, field } of answer.issues) {
    const ofAny = code === 'CITY_REQUIRED' || code === 'POSTAL_CODE_REQUIRED';
    const inBilling = /\/(?:billing_address|paypal\/address)\b/.test(field);
    const inDelivery = /\/shipping(?:_address)?\b/.test(field);
    const unplaced = ofAny && !inBilling && !inDelivery;
    blamed.billing ||= code === 'BILLING_ADDRESS_INVALID' || inBilling || unplaced;
    blamed.delivery ||= code === 'SHIPPING_ADDRESS_INVALID' || inDelivery || unplaced;
  }
  return blamed;
}

/** Fields of an order that the merchant sent, by the end of the upstream's pointer to them. */
const orderFields: readonly (readonly [pattern: RegExp, param: string])[] = [
  [/\bcard\/name$/, 'payment_method.holder_name'],
  [/\bcard\/security_code$/, 'payment_method.cvc'],
  [/\bcard\/expiry$/, 'payment_method.exp_year'],
  [/\bamount\/currency_code$/, 'currency'],
];

/** The field of the payment request that a refusal of a charge means; undefined where it means none. */
export function blamedField(answer: UpstreamAnswer): string | undefined {
  const blamed = answer.issues.filter(
    ({ code }) => fieldIssues.has(code) || code === 'INVALID_CURRENCY_CODE',
  );
  for (const { code, field } of answer.status === 400 || answer.status === 422 ? blamed : []) {
    const found = orderFields.find(([pattern]) => pattern.test(field))?.[1];
    if (found !== undefined) return found;
    if (code === 'INVALID_CURRENCY_CODE') return 'currency';
  }
  return undefined;
}

/**
 * Whether the upstream itself says that it has nothing under the id, by its documented error. A bare 404 may come from
 * something in between (PayPal REST, error RESOURCE_NOT_FOUND).
 */
export const isMissing = ({ status, name, issues }: UpstreamAnswer): boolean =>
  status === 404 &&
  (name === 'RESOURCE_NOT_FOUND' || issues.some(({ code }) => code === 'INVALID_RESOURCE_ID'));

/**
 * The result of an answer without an outcome. The upstream's own refusal says that nothing was carried out,
 * except where it speaks of an earlier copy; after anything else the request may have been carried out.
 */
export function faultOf(answer: UpstreamAnswer): NoAnswer {
  const { status, name, issues } = answer;
  const error = { status, code: issues[0]?.code ?? name };
  const reason = `status ${status}${error.code === null ? '' : ` ${error.code}`}`;
  if (isClientError(answer) && (status === 409 || isStillProcessing(answer))) {
    return { ...unknown('provider_unavailable', reason), error };
  }
  return errorAnswer(error, namesError(answer), reason);
}

/** As `faultOf`, of a request that only reads: it did nothing in any case. */
export const readFaultOf = (answer: UpstreamAnswer): NoAnswer => ({
  ...faultOf(answer),
  kind: 'not_executed',
});
