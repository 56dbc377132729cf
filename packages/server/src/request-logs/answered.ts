import type { Operation } from '@till/contract';
import type { Tenant } from '../store/tenant.ts';

/** A field that the request was accepted without. Contains none of the values that were sent. */
export interface RequestWarning {
  /** Path of the field in the notation of error messages. */
  readonly param: string;
  readonly message: string;
}

/**
 * An answered request with a valid API key, as received: nothing in it is redacted yet. The tenant is that of the environment
 * that the account was in.
 */
export interface AnsweredRequest extends Tenant {
  /** The `Service-Request-Id`. */
  readonly id: string;
  readonly operation: Operation;
  readonly keyId: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly status: number;
  /** The error code; null if the response is no error. */
  readonly code: string | null;
  readonly durationMs: number;
  readonly ip: string;
  readonly idempotencyKey: string | null;
  /** Whether the response was replayed from an earlier request with the same idempotency key. */
  readonly replayed: boolean;
  readonly body: Buffer | null;
  readonly answer: string | null;
  /** The fields that the request was accepted without. */
  readonly warnings: readonly RequestWarning[];
}

/** Larger bodies are not stored; only their size is. */
export const maxBodyBytes = 32 * 1024;

/** An answered request in the buffer. A large body is replaced by its size, so that buffered requests take little memory. */
export interface BufferedRequest extends AnsweredRequest {
  readonly bodyBytes: number;
  readonly answerBytes: number;
}

/** Lists every property because it runs for each answered request: a spread takes several times as long. */
export function hold(request: AnsweredRequest): BufferedRequest {
  const bodyBytes = request.body?.length ?? 0;
  const answerBytes = request.answer === null ? 0 : Buffer.byteLength(request.answer);
  return {
    tenant: request.tenant,
    accountId: request.accountId,
    livemode: request.livemode,
    id: request.id,
    operation: request.operation,
    keyId: request.keyId,
    url: request.url,
    status: request.status,
    code: request.code,
    durationMs: request.durationMs,
    ip: request.ip,
    idempotencyKey: request.idempotencyKey,
    replayed: request.replayed,
    body: bodyBytes > maxBodyBytes ? null : request.body,
    answer: answerBytes > maxBodyBytes ? null : request.answer,
    warnings: request.warnings,
    bodyBytes,
    answerBytes,
  };
}
