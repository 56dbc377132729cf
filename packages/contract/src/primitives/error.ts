import { type Static, Type } from 'typebox';

export const errorTypes = [
  'invalid_request_error',
  'authentication_error',
  'validation_error',
  'idempotency_error',
  'rate_limit_error',
  'provider_error',
  'api_error',
] as const;
export type ErrorType = (typeof errorTypes)[number];

/** Every error code with its HTTP status and type (spec, "Errors"; decisions, "Order of checks"). */
export const errorCatalogue = {
  missing_idempotency_key: [400, 'invalid_request_error'],
  missing_field: [400, 'invalid_request_error'],
  bad_request: [400, 'invalid_request_error'],
  missing_api_key: [401, 'authentication_error'],
  invalid_api_key: [401, 'authentication_error'],
  key_mode_mismatch: [401, 'authentication_error'],
  invalid_signature: [401, 'authentication_error'],
  insufficient_scope: [403, 'authentication_error'],
  limit_exceeded: [403, 'authentication_error'],
  customer_not_found: [404, 'invalid_request_error'],
  not_found: [404, 'invalid_request_error'],
  method_not_allowed: [405, 'invalid_request_error'],
  request_timeout: [408, 'invalid_request_error'],
  key_reused: [409, 'idempotency_error'],
  body_too_large: [413, 'invalid_request_error'],
  uri_too_long: [414, 'invalid_request_error'],
  headers_too_large: [431, 'invalid_request_error'],
  invalid_params: [422, 'validation_error'],
  customer_email_taken: [422, 'validation_error'],
  customer_external_id_taken: [422, 'validation_error'],
  amount_invalid: [422, 'validation_error'],
  payment_not_refundable: [422, 'validation_error'],
  metadata_invalid: [422, 'validation_error'],
  provider_not_configured: [422, 'validation_error'],
  processing_not_enabled: [422, 'validation_error'],
  processing_not_active: [422, 'validation_error'],
  no_provider_connection: [422, 'invalid_request_error'],
  rate_limited: [429, 'rate_limit_error'],
  internal_error: [500, 'api_error'],
  missing_approval_url: [502, 'provider_error'],
  provider_error: [502, 'provider_error'],
  provider_unavailable: [503, 'provider_error'],
  service_unavailable: [503, 'api_error'],
} as const satisfies Record<string, readonly [number, ErrorType]>;
export type ErrorCode = keyof typeof errorCatalogue;

export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        type: Type.Enum([...errorTypes], { description: 'The class of the error.' }),
        code: Type.String({ description: 'Stable; match on it.' }),
        message: Type.String({ description: 'For people; may change.' }),
        param: Type.Optional(Type.String({ description: 'Path of the field at fault.' })),
        customer: Type.Optional(
          Type.String({
            description:
              '`cus_` id of your customer who has this e-mail address or `external_id`: of `customer_email_taken` and `customer_external_id_taken`.',
          }),
        ),
        doc_url: Type.String({ description: 'A page that says what the code means and what to do.' }),
        request_id: Type.String({
          description: 'The same as the header `Service-Request-Id`; quote it to support.',
        }),
      },
      { description: 'Why the request was refused.' },
    ),
  },
  { $id: 'Error' },
);
export type ErrorBody = Static<typeof ErrorBody>;
