import { jsonResponse, type WireResponse } from '../../lib/wire.ts';

/** Name and message of each status (PayPal REST, error_400 to error_503). */
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

/** Description of each issue (PayPal Orders v2, Payments v2 and Customer Disputes v1, error details). */
const descriptions = {
  ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE:
    'This action is not allowed for this dispute ID. For the allowed actions, see the HATEOAS link in show dispute details.',
  ACTION_DOES_NOT_MATCH_INTENT:
    "Order was created with an intent to 'CAPTURE'. Please use v2/checkout/orders/order_id/capture to complete the transaction or alternately Create an order with an intent of 'AUTHORIZE'.",
  AGREEMENT_ALREADY_CANCELLED: 'The requested agreement is already canceled.',
  AMOUNT_MISMATCH:
    'Should equal item_total + tax_total + shipping + handling + insurance - shipping_discount - discount.',
  AUTHORIZATION_ALREADY_CAPTURED: 'Authorization has previously been captured.',
  AUTHORIZATION_DENIED: 'An denied authorization cannot be captured.',
  AUTHORIZATION_EXPIRED: 'An expired authorization cannot be captured.',
  AUTHORIZATION_VOIDED: 'A voided authorization cannot be captured or reauthorized. ',
  AUTH_CURRENCY_MISMATCH:
    'The currency specified during reauthorization should be the same as the currency specified in the original authorization. Please check the currency of the authorization for which you are trying to reauthorize and try again.',
  AUTH_CAPTURE_CURRENCY_MISMATCH: 'Currency of capture must be the same as currency of authorization.',
  CANNOT_BE_ZERO_OR_NEGATIVE:
    'Must be greater than zero. If the currency supports decimals, only two decimal place precision is supported.',
  CAPTURE_FULLY_REFUNDED: 'The capture has already been fully refunded',
  CARD_EXPIRED: 'The card is expired',
  CARD_EXPIRY_REQUIRED: 'The card expiry is required when attempting to process payment with card.',
  CARD_NUMBER_REQUIRED: 'The card number is required when attempting to process payment with card.',
  DECIMAL_PRECISION: 'If the currency supports decimals, only two decimal place precision is supported.',
  DUPLICATE_INVOICE_ID:
    'Duplicate Invoice ID detected. To avoid a potential duplicate transaction your account setting requires that Invoice Id be unique for each transaction.',
  INCOMPATIBLE_PARAMETER_VALUE:
    'The value of the field is incompatible/redundant with other fields in the order.',
  INSTRUMENT_DECLINED:
    "The instrument presented  was either declined by the processor or bank, or it can't be used for this payment.",
  INVALID_CURRENCY_CODE:
    'Currency code is invalid or is not currently supported. Please refer https://developer.paypal.com/api/rest/reference/currency-codes/ for list of supported currency codes.',
  INVALID_JSON_POINTER_FORMAT:
    'Path should be a valid JSON Pointer https://tools.ietf.org/html/rfc6901 that references a location within the request where the operation is performed.',
  INVALID_PARAMETER_SYNTAX: 'The value of a field does not conform to the expected format.',
  INVALID_PARAMETER_VALUE: 'A parameter value is not valid.',
  INVALID_PATCH_OPERATION:
    "The operation cannot be honored. Cannot add a property that's already present, use replace. Cannot remove a property thats not present, use add. Cannot replace a property thats not present, use add.",
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
  MERCHANT_INITIATED_WITH_SECURITY_CODE:
    '`stored_payment_source.payment_initiator` = `MERCHANT` is not supported if `payment_source.card.security_code` is present in the order. `security_code` can be present in the order only when customer is the payment initiator. It is semantically incorrect to perform a merchant initiated payment with `security_code` is the order.',
  MISMATCHED_VAULT_ID_TO_PAYMENT_SOURCE:
    'The vault_id does not match the payment_source provided. Please verify that the vault_id token used refers to the matching payment_source and try again. For example, a PayPal token cannot be passed in the vault_id field in the payment_source.card object.',
  MISSING_REQUIRED_PARAMETER: 'A required parameter is missing.',
  NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE:
    'The API caller or the merchant on whose behalf the API call is initiated is not allowed to vault the given source. Please contact PayPal customer support for assistance.',
  NOT_PATCHABLE: 'Cannot be patched.',
  ORDER_ALREADY_AUTHORIZED:
    "Order already authorized.If 'intent=AUTHORIZE' only one authorization per order is allowed.",
  ORDER_ALREADY_CAPTURED: "Order already captured.If 'intent=CAPTURE' only one capture per order is allowed.",
  ORDER_ALREADY_COMPLETED: 'The order cannot be patched after it is completed.',
  ORDER_NOT_APPROVED:
    "Payer has not yet approved the Order for payment. Please redirect the payer to the 'rel':'approve' url returned as part of the HATEOAS links within the Create Order call or provide a valid `payment_source` in the request.",
  PATCH_PATH_REQUIRED: "Please specify a 'path' for the field for which the operation needs to be performed.",
  PATCH_VALUE_REQUIRED: "Please specify a 'value' to for the field that is being patched.",
  PAYER_CANNOT_PAY:
    'Payer cannot pay for this transaction. Please contact the payer to find other ways to pay for this transaction.',
  PAYPAL_REQUEST_ID_REQUIRED:
    "A PayPal-Request-Id is required if you are trying to process payment for an Order. Please specify a PayPal-Request-Id or Create the Order without a 'payment_source' specified.",
  PERMISSION_DENIED: 'You do not have permission to access or perform operations on this resource.',
  PREVIOUSLY_CAPTURED: 'Authorization has been previously captured and hence cannot be voided.',
  PREVIOUSLY_VOIDED: 'Authorization has been previously voided and hence cannot be voided again.',
  PREVIOUS_REQUEST_IN_PROGRESS:
    'A previous request on this resource is currently in progress. Please wait for sometime and try again. It is best to space out the initial and the subsequent request(s) to avoid receiving this error.',
  REAUTHORIZATION_NOT_SUPPORTED:
    'A reauthorize cannot be attempted on an authorization_id that is the result of a prior reauthorization or on an authorization made on an Order saved using the `v2/orders/id/save` API.',
  REFERENCE_ID_NOT_FOUND:
    'Filter expression value is incorrect. Please check the value of the reference_id and try again.',
  REFUND_AMOUNT_EXCEEDED:
    'The refund amount must be less than or equal to the capture amount that has not yet been refunded.',
  REFUND_CAPTURE_CURRENCY_MISMATCH: 'Refund must be in the same currency as the capture',
  REFUND_NOT_ALLOWED: 'Capture cannot be refunded.',
  SETUP_TOKEN_NOT_APPROVED: 'The setup token has not been approved by the payer.',
  TAX_TOTAL_MISMATCH: 'Should equal sum of (tax * quantity) across all items for a given purchase_unit.',
  TAX_TOTAL_REQUIRED:
    'If item details are specified (items.tax_total and items.quantity) corresponding amount.breakdown.tax_total is required.',
  TOKEN_ID_NOT_FOUND: 'Specified token was not found. Verify the token and try the request again.',
  UNSUPPORTED_INTENT:
    '`intent=AUTHORIZE` is not supported for multiple purchase units. Only `intent=CAPTURE` is supported.',
  VAULT_INSTRUCTION_REQUIRED:
    'Vault instruction is required. Please use `vault.store_in_vault` to provide vault instruction.',
} as const;

export type Issue = keyof typeof descriptions;

export interface Detail {
  readonly issue: Issue;
  /** JSON pointer into the request body. */
  readonly field?: string;
}

/**
 * An error for a request that has no effect, with any of PayPal's response statuses other than 2xx. It never
 * quotes the request.
 */
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

/** An error for a request that violates a business rule or the object's state (HTTP 422). */
export function unprocessable(issue: Issue, field?: string): Refusal {
  return new Refusal(422, field === undefined ? { issue } : { issue, field });
}

/** An error for a missing or malformed field (HTTP 400). */
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
    // PayPal's API gateway reports an invalid token in OAuth's format.
    ...(refusal.status === 401
      ? { error: 'invalid_token', error_description: descriptions.INVALID_TOKEN }
      : {}),
  };
  return jsonResponse(refusal.status, JSON.stringify(body), {
    'paypal-debug-id': debugId,
    ...refusal.headers,
  });
}
