import type { Operation } from '@till/contract';
import type { Tenant } from '../store/tenant.ts';

/** A field that the request was accepted without. Holds nothing that was sent. */
export interface RequestWarning {
  /** Path of the field, as errors name it. */
  readonly param: string;
  readonly message: string;
}

/**
 * A request of a known API key after its answer, as it came: nothing in it is redacted yet. The tenant is that of the
 * environment that the account was in.
 */
export interface AnsweredRequest extends Tenant {
  /** The `Service-Request-Id`. */
  readonly id: string;
  readonly operation: Operation;
  readonly keyId: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly status: number;
  /** Of the error, if it is one. */
  readonly code: string | null;
  readonly durationMs: number;
  readonly ip: string;
  readonly idempotencyKey: string | null;
  /** The answer is that of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
  readonly body: Buffer | null;
  readonly answer: string | null;
  /** What the request was accepted without. */
  readonly warnings: readonly RequestWarning[];
}

/** Bodies beyond this are not read, only measured. */
export const maxBodyBytes = 32 * 1024;

/** Holds no more of a long request or answer than its size, so that waiting for the writer costs little memory. */
export interface HeldRequest extends AnsweredRequest {
  readonly bodyBytes: number;
  readonly answerBytes: number;
}

/** Written out, as every answered request is held: a spread takes several times as long. */
export function hold(request: AnsweredRequest): HeldRequest {
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
