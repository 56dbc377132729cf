import { expect } from 'vitest';
import { type Reply, target } from './merchant.ts';

/** Every error code of the specification's table and of decisions, with its statuses and its type. */
export const errorTable: Readonly<Record<string, readonly [status: readonly number[], type: string]>> = {
  missing_idempotency_key: [[400], 'invalid_request_error'],
  missing_field: [[400], 'invalid_request_error'],
  bad_request: [[400], 'invalid_request_error'],
  missing_api_key: [[401], 'authentication_error'],
  invalid_api_key: [[401], 'authentication_error'],
  key_mode_mismatch: [[401], 'authentication_error'],
  invalid_signature: [[401], 'authentication_error'],
  insufficient_scope: [[403], 'authentication_error'],
  limit_exceeded: [[403], 'authentication_error'],
  customer_not_found: [[404], 'invalid_request_error'],
  not_found: [[404], 'invalid_request_error'],
  method_not_allowed: [[405], 'invalid_request_error'],
  key_reused: [[409], 'idempotency_error'],
  body_too_large: [[413], 'invalid_request_error'],
  invalid_params: [[422], 'validation_error'],
  customer_email_taken: [[422], 'validation_error'],
  customer_external_id_taken: [[422], 'validation_error'],
  amount_invalid: [[422], 'validation_error'],
  payment_not_refundable: [[422], 'validation_error'],
  metadata_invalid: [[422], 'validation_error'],
  provider_not_configured: [[422], 'validation_error'],
  processing_not_enabled: [[422], 'validation_error'],
  processing_not_active: [[422], 'validation_error'],
  no_provider_connection: [[422], 'invalid_request_error'],
  rate_limited: [[429], 'rate_limit_error'],
  internal_error: [[500], 'api_error'],
  missing_approval_url: [[502], 'provider_error'],
  provider_error: [[502, 503], 'provider_error'],
  provider_unavailable: [[502, 503], 'provider_error'],
};

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever fields they name
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any
}

/**
 * Checks the error envelope, which is the same for every error (spec, "Errors"; decisions, "Order of
 * checks").
 */
export function expectEnvelope(reply: Answer): void {
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  expect(reply.body).toEqual({
    error: {
      type: expect.any(String),
      code: expect.any(String),
      message: expect.stringMatching(/\S/),
      doc_url: expect.stringMatching(/^https?:\/\//),
      request_id: reply.headers.get('service-request-id'),
      ...('param' in reply.body.error ? { param: expect.stringMatching(/\S/) } : {}),
      ...('customer' in reply.body.error ? { customer: expect.stringMatching(/^cus_[a-z0-9]{24}$/) } : {}),
    },
  });
  expect(reply.headers.get('service-request-id')).toMatch(/^\S+$/);
}

/**
 * Checks that a response is an error with this code and its status and type. If `param` is given, the error
 * must name this field.
 */
export function expectError(reply: Answer, code: string, param?: string): void {
  expect({ status: reply.status, code: reply.body?.error?.code }).toEqual({ status: reply.status, code });
  const [statuses, type] = errorTable[code] ?? [[], 'unknown'];
  expect(statuses).toContain(reply.status);
  expectEnvelope(reply);
  expect(reply.body.error.type).toBe(type);
  if (param !== undefined) {
    expect(reply.body.error.param).toBe(param);
    if (code === 'invalid_params' || code === 'missing_field') {
      expect(reply.body.error.message).toContain(param);
    }
  }
}

/** Returns an error's text without the request id, the only part that differs between requests. */
export const withoutRequestId = (reply: Reply): string =>
  reply.text.replace(/"request_id":"[^"]*"/, '"request_id":"…"');

/** Host and port of the server under test. */
export function targetAddress(): { host: string; port: number } {
  const { hostname, port } = new URL(target().baseUrl);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) };
}
