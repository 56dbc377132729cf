import type { FailureCode } from '@till/contract';
import type { NoAnswer } from '../../port/port.ts';
import { errorAnswer, unknown } from '../../upstream/no-answer.ts';
import { jsonText } from '../../wire/json.ts';
import type { UpstreamAnswer } from './client.ts';

const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/**
 * Issues that fail the payment in any operation (PayPal REST Orders v2 and Payments v2, error codes). An issue that is not
 * listed in this file is a fault of our request or of the merchant's account.
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

/** Issues of a saved instrument: it can never be charged again. */
export const instrumentGoneIssues = names(`TOKEN_ID_NOT_FOUND TOKEN_EXPIRED AGREEMENT_ALREADY_CANCELLED
  BILLING_AGREEMENT_NOT_FOUND IDENTIFIER_NOT_FOUND MISMATCHED_VAULT_ID_TO_PAYMENT_SOURCE`);

/** The merchant's account cannot save instruments, or cannot save this one; nothing was charged. */
export const notSavedIssues = names('NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE');

/** Issues of a 400: the upstream does not accept a field's value. */
const fieldIssues = names('INVALID_PARAMETER_VALUE INVALID_PARAMETER_SYNTAX INVALID_STRING_LENGTH');

/** The buyer has not yet approved, authenticated or typed the card. */
export const notApprovedIssues = names(
  'ORDER_NOT_APPROVED PAYER_ACTION_REQUIRED CARD_NUMBER_REQUIRED CARD_EXPIRY_REQUIRED',
);

/** An earlier request may have completed the order; reading the order shows its outcome. */
export const alreadyCompletedIssues =
  names(`ORDER_ALREADY_CAPTURED ORDER_ALREADY_AUTHORIZED AUTHORIZATION_ALREADY_CAPTURED
  ORDER_COMPLETION_IN_PROGRESS ORDER_COMPLETED_OR_VOIDED DUPLICATE_INVOICE_ID`);

/** Issues of a card typed into our page: the order already has its card. */
export const approvedIssues = names(
  'ORDER_ALREADY_CAPTURED ORDER_ALREADY_AUTHORIZED PAYMENT_ALREADY_APPROVED',
);

/** Issues of a hold that was captured. */
export const capturedIssues = names(
  'AUTHORIZATION_ALREADY_CAPTURED PREVIOUSLY_CAPTURED MAX_CAPTURE_COUNT_EXCEEDED DUPLICATE_INVOICE_ID',
);

/** Issues of a hold that no longer exists. */
export const holdGoneIssues =
  names(`AUTHORIZATION_EXPIRED AUTHORIZATION_VOIDED AUTHORIZATION_DENIED PREVIOUSLY_VOIDED
  INVALID_RESOURCE_ID`);

/**
 * An earlier copy of the request is being carried out, or was. Our invoice ids are unique, so an id that is taken was taken
 * by this payment, and charging under another one would charge twice.
 */
const repeatIssues = names('PREVIOUS_REQUEST_IN_PROGRESS ORDER_COMPLETION_IN_PROGRESS DUPLICATE_INVOICE_ID');

/** Whether the upstream refused the request. */
export const isClientError = ({ status }: UpstreamAnswer): boolean => status >= 400 && status < 500;

/** Whether the upstream carried the request out, now or before. */
export const isSuccess = ({ status }: UpstreamAnswer): boolean => status === 200 || status === 201;

/** Whether an error comes from the upstream itself, which names its errors. Any other may come from an intermediary. */
export const namesError = ({ body, issues }: UpstreamAnswer): boolean =>
  jsonText(body, 'name') !== null || issues.length > 0;

/** Whether a response contains one of these issues. */
export const blames = (answer: UpstreamAnswer, issues: ReadonlySet<string>): boolean =>
  isClientError(answer) && answer.issues.some(({ code }) => issues.has(code));

/** Whether the request should be repeated with the same key a little later. */
export const isStillProcessing = (answer: UpstreamAnswer): boolean => blames(answer, repeatIssues);

/** The failure code with which a response fails the payment; undefined if it does not. */
export function declineOf(answer: UpstreamAnswer): FailureCode | undefined {
  if (!isClientError(answer) || answer.status === 401 || answer.status === 403) return undefined;
  const listed = declineIssues.find(([, issues]) => blames(answer, issues))?.[0];
  const badNumber = answer.issues.some(
    ({ code, field }) => fieldIssues.has(code) && /\bcard\/number$/.test(field),
  );
  return listed ?? (badNumber ? 'invalid_card' : undefined);
}

/** Which addresses the response complains about. No payment should fail because of an address. */
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

/** Fields of an order that come from the merchant, by the end of the upstream's JSON pointer. */
const orderFields: readonly (readonly [pattern: RegExp, param: string])[] = [
  [/\bcard\/name$/, 'payment_method.holder_name'],
  [/\bcard\/security_code$/, 'payment_method.cvc'],
  [/\bcard\/expiry$/, 'payment_method.exp_year'],
  [/\bamount\/currency_code$/, 'currency'],
];

/** The field of the payment request that caused the refusal of a charge; undefined if no field did. */
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
 * Whether the upstream itself reports, with its documented error, that it has nothing under the id. A bare 404 may come from
 * an intermediary (PayPal REST, error RESOURCE_NOT_FOUND).
 */
export const isMissing = ({ status, name, issues }: UpstreamAnswer): boolean =>
  status === 404 &&
  (name === 'RESOURCE_NOT_FOUND' || issues.some(({ code }) => code === 'INVALID_RESOURCE_ID'));

/**
 * Result of a response without an outcome. The upstream's own refusal proves that nothing was carried out, unless it is about
 * an earlier copy. After any other response the request may have been carried out.
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

/** Like `faultOf`, for a read: it changes nothing in any case. */
export const readFaultOf = (answer: UpstreamAnswer): NoAnswer => ({
  ...faultOf(answer),
  kind: 'not_executed',
});
