import type { ErrorCode } from '@till/contract';

/** What each error code means and what to do; the compiler keeps the list complete. `doc_url` points here. */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  missing_idempotency_key:
    'Send an Idempotency-Key header: a unique value per payment or refund, the same on every retry.',
  missing_field: 'The body is not a JSON object, or a required field is missing. The message names it.',
  bad_request: 'What arrived is not valid HTTP.',
  missing_api_key: 'Send the header Authorization: Bearer with your API key.',
  invalid_api_key: 'The key is not known or was revoked. Create a new one.',
  key_mode_mismatch: 'The key belongs to the other environment. Create a key in the present one.',
  invalid_signature:
    "A processor's notification does not come from the account's processor, or its signature is wrong.",
  customer_not_found: 'The payment names a customer that does not exist in this account and mode.',
  not_found: 'There is nothing with this id in this account and mode, or no such address.',
  method_not_allowed: 'The address exists, but not for this method. The Allow header lists the methods.',
  request_timeout: 'The request did not arrive in time.',
  key_reused: 'The Idempotency-Key was used with another body. Use a new key for a new request.',
  body_too_large: 'The body is over 256 KiB, or an uploaded file is over 5 MiB.',
  uri_too_long: 'The address is too long.',
  headers_too_large: 'The headers are too large.',
  invalid_params:
    'A field has a wrong type or value, or fields contradict each other. The param member names the field.',
  customer_email_taken:
    'A customer with this e-mail address exists. Find it with the email filter of the list.',
  customer_external_id_taken: 'A customer with this external_id exists.',
  amount_invalid: 'The refund is not above zero, or is more than what is left to refund.',
  payment_not_refundable: 'Only a succeeded payment can be refunded.',
  metadata_invalid: 'Too many metadata keys, or a value over the size limit.',
  provider_not_configured:
    'The account has no active connection to a processor, or the named provider is not its own.',
  processing_not_enabled: 'The live account is not activated yet. The sandbox is exempt.',
  processing_not_active: 'The live account is suspended, restricted or closed; the message names which.',
  no_provider_connection: 'The account has no connected processor_b.',
  rate_limited: 'Too many requests with this key. Wait as long as Retry-After says.',
  internal_error:
    'A fault on our side. Retry with the same Idempotency-Key and quote the request id to support.',
  missing_approval_url:
    'The wallet order was accepted without an approval link. No money moved: retry with a new key.',
  provider_error: 'The processor failed or refused our request. Retry with the same Idempotency-Key.',
  provider_unavailable:
    'The processor did not answer. Retry with the same Idempotency-Key: the same attempt is carried on.',
  service_unavailable: 'The service cannot answer right now. Retry with the same Idempotency-Key.',
};
