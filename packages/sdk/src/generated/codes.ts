// Made from the contract by `npm run generate`; do not change it by hand.

export type ErrorCode =
  | 'missing_idempotency_key'
  | 'missing_field'
  | 'bad_request'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'key_mode_mismatch'
  | 'invalid_signature'
  | 'insufficient_scope'
  | 'limit_exceeded'
  | 'customer_not_found'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'key_reused'
  | 'body_too_large'
  | 'uri_too_long'
  | 'headers_too_large'
  | 'invalid_params'
  | 'customer_email_taken'
  | 'customer_external_id_taken'
  | 'amount_invalid'
  | 'payment_not_refundable'
  | 'metadata_invalid'
  | 'provider_not_configured'
  | 'processing_not_enabled'
  | 'processing_not_active'
  | 'no_provider_connection'
  | 'rate_limited'
  | 'internal_error'
  | 'missing_approval_url'
  | 'provider_error'
  | 'provider_unavailable'
  | 'service_unavailable';

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'validation_error'
  | 'idempotency_error'
  | 'rate_limit_error'
  | 'provider_error'
  | 'api_error';

export type EventType =
  | 'payment.succeeded'
  | 'payment.failed'
  | 'payment.requires_action'
  | 'payment.authorized'
  | 'payment.voided'
  | 'refund.succeeded'
  | 'refund.failed'
  | 'dispute.created'
  | 'dispute.updated'
  | 'dispute.closed'
  | 'payment_link.created'
  | 'payment_link.updated'
  | 'approval.created'
  | 'approval.decided'
  | 'endpoint.test';

export type FailureCode =
  | 'refused'
  | 'do_not_honor'
  | 'expired_card'
  | 'insufficient_funds'
  | 'invalid_cvv'
  | 'invalid_card'
  | 'restricted_card'
  | 'declined'
  | 'lost_card'
  | 'stolen_card'
  | 'pickup_card'
  | '3ds_failed'
  | '3ds_abandoned'
  | '3ds_token_expired'
  | '3ds_not_available'
  | 'confirmation_expired'
  | 'not_processed';

export interface ErrorBody {
  /** Why the request was refused. */
  error: {
    /** The class of the error. */
    type:
      | 'invalid_request_error'
      | 'authentication_error'
      | 'validation_error'
      | 'idempotency_error'
      | 'rate_limit_error'
      | 'provider_error'
      | 'api_error';
    /** Stable; match on it. */
    code: string;
    /** For people; may change. */
    message: string;
    /** Path of the field at fault. */
    param?: string;
    /**
     * `cus_` id of your customer who has this e-mail address or `external_id`: of
     * `customer_email_taken` and `customer_external_id_taken`.
     */
    customer?: string;
    /** A page that says what the code means and what to do. */
    doc_url: string;
    /** The same as the header `Service-Request-Id`; quote it to support. */
    request_id: string;
  };
}
