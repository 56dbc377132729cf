import type { SandboxDatabase, SandboxDependencies } from '../lib/dependencies.ts';
import { replaceDocument } from '../lib/documents.ts';
import { ConnectionDropped, type WireResponse } from '../lib/wire.ts';

interface Described {
  readonly case: string;
  readonly value: string;
  readonly outcome: string;
}

/**
 * A fault injected before the request is executed (`lost`) or after it (`done`), and only for the first
 * request with a key.
 */
export interface Breakdown extends Described {
  readonly strikes: 'lost' | 'done';
  readonly shows: 500 | 503 | 'silence' | 'drop';
}

/** A fault of the connection to the processor rather than of the payment. `slow` only delays the response. */
export type Fault = Breakdown | (Described & { readonly strikes: 'slow' });

export const slowAnswerMs = 8_000;
const maxSilenceMs = 120_000;

/**
 * Every fault that a holder name or a description can ask for. The documentation and the simulator read this
 * table.
 */
export const faults: readonly Fault[] = [
  {
    case: 'X1',
    value: 'SIM-500',
    strikes: 'lost',
    shows: 500,
    outcome:
      'The processor answers HTTP 500 and charges nothing: 502 provider_error. The same Idempotency-Key again is approved',
  },
  {
    case: 'X2',
    value: 'SIM-503',
    strikes: 'lost',
    shows: 503,
    outcome:
      'The processor answers HTTP 503 (unavailable) and charges nothing: 503 provider_unavailable. The same Idempotency-Key again is approved',
  },
  {
    case: 'X3',
    value: 'SIM-TIMEOUT-LOST',
    strikes: 'lost',
    shows: 'silence',
    outcome:
      'Time-out: the processor never answers and charged nothing: 503 provider_unavailable. The same Idempotency-Key again is approved and charges once',
  },
  {
    case: 'X4',
    value: 'SIM-TIMEOUT-DONE',
    strikes: 'done',
    shows: 'silence',
    outcome:
      'Time-out: the processor charges but never answers: 503 provider_unavailable. The same Idempotency-Key again is approved, with exactly one charge',
  },
  {
    case: 'X5',
    value: 'SIM-SLOW',
    strikes: 'slow',
    outcome: 'Slow processor: approved after 8 seconds',
  },
  {
    case: 'X7',
    value: 'SIM-500-DONE',
    strikes: 'done',
    shows: 500,
    outcome:
      'The processor charges but answers HTTP 500: 502 provider_error. The same Idempotency-Key again is approved, with exactly one charge',
  },
  {
    case: 'X8',
    value: 'SIM-DROP',
    strikes: 'lost',
    shows: 'drop',
    outcome:
      'The connection to the processor is dropped before it charges anything: 503 provider_unavailable. The same Idempotency-Key again is approved',
  },
  {
    case: 'X9',
    value: 'SIM-DROP-DONE',
    strikes: 'done',
    shows: 'drop',
    outcome:
      'The processor charges, then the connection is dropped: 503 provider_unavailable. The same Idempotency-Key again is approved, with exactly one charge',
  },
];

const byValue = new Map(faults.map((fault) => [fault.value, fault]));

/** Returns the fault that a directive stands for, or undefined if the directive means something else. */
export function findFault(directive: string): Fault | undefined {
  return byValue.get(directive);
}

const weekMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Whether this is the fault's first request with this idempotency key. Records the key, so that later calls
 * return false.
 */
export const isFaultDue = (
  database: SandboxDatabase,
  merchantAccount: string,
  key: string,
  at: Date,
): Promise<boolean> =>
  replaceDocument(database, { kind: 'fault', id: key, merchantAccount, body: {}, at }, weekMs);

/**
 * Shows the client a fault: a server error, a closed connection, or no response until the client gives up.
 */
export async function showFault(
  fault: Breakdown,
  deps: Pick<SandboxDependencies, 'delay'>,
  signal: AbortSignal | undefined,
  serverError: (status: 500 | 503) => WireResponse,
): Promise<WireResponse> {
  if (typeof fault.shows === 'number') return serverError(fault.shows);
  if (fault.shows === 'silence') await deps.delay(maxSilenceMs, signal);
  throw new ConnectionDropped();
}
