import { isFaultDue } from '../../directives/faults.ts';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import type { JsonObject } from '../../lib/json.ts';
import { jsonResponse, type WireResponse } from '../../lib/wire.ts';
import { stillInProgress } from '../authorisation/errors.ts';
import type { RequestRow, Settled } from '../store/store.ts';

/** A request that is authenticated and parsed and names its merchant account. */
export interface Call {
  readonly body: JsonObject;
  readonly merchantAccount: string;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export type AnsweredRow = RequestRow & { readonly status: number; readonly body: string };

/** Returns the response to this request, or the stored one of an earlier request with the same key. */
export function answerOf(row: AnsweredRow, settled: Settled): WireResponse {
  if (settled.kind === 'in_flight') throw stillInProgress();
  const { status, body } = settled.kind === 'stored' ? settled : row;
  return jsonResponse(status, body);
}

/**
 * Whether to inject a fault into this request: into the first one with a key, and into every one without a
 * key.
 */
export async function isDueNow(
  { database }: Pick<SandboxDependencies, 'database'>,
  { merchantAccount, idempotencyKey }: Call,
  now: Date,
): Promise<boolean> {
  return idempotencyKey === undefined || isFaultDue(database, merchantAccount, idempotencyKey, now);
}
