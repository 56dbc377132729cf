import { jsonResponse, type WireResponse } from '../wire.ts';

/** Name and message that go with a status (PayPal REST, error_400 to error_503). */
const errors = {
  400: ['INVALID_REQUEST', 'Request is not well-formed, syntactically incorrect, or violates schema.'],
  401: [
    'AUTHENTICATION_FAILURE',
    'Authentication failed due to missing authorization header, or invalid authentication credentials.',
  ],
  403: ['NOT_AUTHORIZED', 'Authorization failed due to insufficient permissions.'],
  404: ['RESOURCE_NOT_FOUND', 'The specified resource does not exist.'],
  405: ['METHOD_NOT_SUPPORTED', 'The server does not implement the requested HTTP method.'],
  409: ['RESOURCE_CONFLICT', 'The server has detected a conflict while processing this request.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', "The server does not support the request payload's media type."],
  422: [
    'UNPROCESSABLE_ENTITY',
    'The requested action could not be performed, semantically incorrect, or failed business validation.',
  ],
  500: ['INTERNAL_SERVER_ERROR', 'An internal server error occurred.'],
  503: ['SERVICE_UNAVAILABLE', 'Service Unavailable.'],
} as const;

/** What each issue says (PayPal Orders v2 and Payments v2, error details). */
const descriptions = {
  ACTION_DOES_NOT_MATCH_INTENT:
    "Order was created with an intent to 'CAPTURE'. Please use v2/checkout/orders/order_id/capture to complete the transaction or alternately Create an order with an intent of 'AUTHORIZE'.",
  AMOUNT_MISMATCH:
    'Should equal item_total + tax_total + shipping + handling + insurance - shipping_discount - discount.',
  AUTHORIZATION_ALREADY_CAPTURED: 'Authorization has previously been captured.',
  AUTHORIZATION_DENIED: 'An denied authorization cannot be captured.',
  AUTHORIZATION_EXPIRED: 'An expired authorization cannot be captured.',
  AUTHORIZATION_VOIDED: 'A voided authorization cannot be captured or reauthorized. ',
  AUTH_CAPTURE_CURRENCY_MISMATCH: 'Currency of capture must be the same as currency of authorization.',
  CANNOT_BE_ZERO_OR_NEGATIVE:
    'Must be greater than zero. If the currency supports decimals, only two decimal place precision is supported.',
  CARD_EXPIRED: 'The card is expired',
  CARD_EXPIRY_REQUIRED: 'The card expiry is required when attempting to process payment with card.',
  CARD_NUMBER_REQUIRED: 'The card number is required when attempting to process payment with card.',
  DECIMAL_PRECISION: 'If the currency supports decimals, only two decimal place precision is supported.',
  DUPLICATE_INVOICE_ID:
    'Duplicate Invoice ID detected. To avoid a potential duplicate transaction your account setting requires that Invoice Id be unique for each transaction.',
  INSTRUMENT_DECLINED:
    "The instrument presented  was either declined by the processor or bank, or it can't be used for this payment.",
  INVALID_CURRENCY_CODE:
    'Currency code is invalid or is not currently supported. Please refer https://developer.paypal.com/api/rest/reference/currency-codes/ for list of supported currency codes.',
  INVALID_PARAMETER_SYNTAX: 'The value of a field does not conform to the expected format.',
  INVALID_PARAMETER_VALUE: 'A parameter value is not valid.',
  INVALID_RESOURCE_ID: 'Specified resource ID does not exist. Please check the resource ID and try again.',
  INVALID_SECURITY_CODE_LENGTH: 'The security_code length is invalid for the specified card brand.',
  INVALID_STRING_LENGTH: 'The value of a field is either too short or too long.',
  INVALID_TOKEN: 'Token signature verification failed',
  ITEM_TOTAL_MISMATCH:
    'Should equal sum of (unit_amount * quantity) across all items for a given purchase_unit.',
  ITEM_TOTAL_REQUIRED:
    'If item details are specified (items.unit_amount and items.quantity) corresponding amount.breakdown.item_total is required.',
  MALFORMED_REQUEST_JSON: 'The request JSON is not well formed.',
  MAX_CAPTURE_AMOUNT_EXCEEDED:
    'Capture amount exceeds allowable limit. Please contact customer service or your account manager to request the change to your overage limit. The default overage limit is 115%, which allows the sum of all captures to be up to 115% of the order amount. The ability to over capture is subjected to regulatory approvals.',
  MISSING_REQUIRED_PARAMETER: 'A required parameter is missing.',
  ORDER_ALREADY_AUTHORIZED:
    "Order already authorized.If 'intent=AUTHORIZE' only one authorization per order is allowed.",
  ORDER_ALREADY_CAPTURED: "Order already captured.If 'intent=CAPTURE' only one capture per order is allowed.",
  ORDER_NOT_APPROVED:
    "Payer has not yet approved the Order for payment. Please redirect the payer to the 'rel':'approve' url returned as part of the HATEOAS links within the Create Order call or provide a valid `payment_source` in the request.",
  PAYPAL_REQUEST_ID_REQUIRED:
    "A PayPal-Request-Id is required if you are trying to process payment for an Order. Please specify a PayPal-Request-Id or Create the Order without a 'payment_source' specified.",
  PREVIOUSLY_CAPTURED: 'Authorization has been previously captured and hence cannot be voided.',
  PREVIOUSLY_VOIDED: 'Authorization has been previously voided and hence cannot be voided again.',
  PREVIOUS_REQUEST_IN_PROGRESS:
    'A previous request on this resource is currently in progress. Please wait for sometime and try again. It is best to space out the initial and the subsequent request(s) to avoid receiving this error.',
  TAX_TOTAL_MISMATCH: 'Should equal sum of (tax * quantity) across all items for a given purchase_unit.',
  TAX_TOTAL_REQUIRED:
    'If item details are specified (items.tax_total and items.quantity) corresponding amount.breakdown.tax_total is required.',
  UNSUPPORTED_INTENT:
    '`intent=AUTHORIZE` is not supported for multiple purchase units. Only `intent=CAPTURE` is supported.',
} as const;

export type Issue = keyof typeof descriptions;

export interface Detail {
  readonly issue: Issue;
  /** JSON pointer into the request body. */
  readonly field?: string;
}

/** A request that executes nothing: every answer of PayPal outside of 2xx. It never repeats what the request held. */
export class Refusal extends Error {
  readonly status: keyof typeof errors;
  readonly detail: Detail | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: keyof typeof errors, detail?: Detail, headers: Readonly<Record<string, string>> = {}) {
    super(detail?.issue ?? errors[status][0]);
    this.name = 'Refusal';
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}

/** A request that breaks a rule of business or state (HTTP 422). */
export function unprocessable(issue: Issue, field?: string): Refusal {
  return new Refusal(422, field === undefined ? { issue } : { issue, field });
}

/** A field that is missing or malformed (HTTP 400). */
export function malformed(issue: Issue, field?: string): Refusal {
  return new Refusal(400, field === undefined ? { issue } : { issue, field });
}

export function unknownResource(): Refusal {
  return new Refusal(404, { issue: 'INVALID_RESOURCE_ID' });
}

export function refusalResponse(refusal: Refusal, debugId: string): WireResponse {
  const [name, message] = errors[refusal.status];
  const { detail } = refusal;
  const details =
    detail === undefined
      ? []
      : [
          {
            ...(detail.field === undefined ? {} : { field: detail.field, location: 'body' }),
            issue: detail.issue,
            description: descriptions[detail.issue],
          },
        ];
  const body = {
    name,
    message,
    debug_id: debugId,
    details,
    links: [],
    // The gateway in front of the API words a bad token in OAuth's own way.
    ...(refusal.status === 401
      ? { error: 'invalid_token', error_description: descriptions.INVALID_TOKEN }
      : {}),
  };
  return jsonResponse(refusal.status, JSON.stringify(body), {
    'paypal-debug-id': debugId,
    ...refusal.headers,
  });
}
