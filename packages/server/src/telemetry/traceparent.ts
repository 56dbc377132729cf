import { scrubCardNumbers } from '../lib/log/scrub.ts';

/** The caller's trace and span, and whether the caller records the trace. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Whether an id looks like a card number. Such an id may not be exported. */
export const looksLikeCard = (id: string): boolean => scrubCardNumbers(id) !== id;

/**
 * Reads the header `traceparent` (W3C Trace Context, section 3.2).
 * @returns undefined if it is missing or malformed: then the request begins a new trace
 */
export function readTraceParent(header: unknown): TraceParent | undefined {
  const found = typeof header === 'string' && header.length <= 512 ? form.exec(header) : null;
  const [, traceId = '', spanId = '', flags = ''] = found ?? [];
  // Version 00 ends with the flags; later versions may have more fields.
  if (found === null || (found[0].startsWith('00') && found[4] !== undefined)) return undefined;
  if (looksLikeCard(traceId) || looksLikeCard(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
