import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Agent, request as send } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import type { TelemetryTarget } from '../../lib/tracing/settings.ts';
import { errorType } from '../../lib/tracing/span.ts';
import { userAgent } from '../../lib/version.ts';
import type { Fields, Message } from '../otlp/messages.ts';
import { encode } from '../otlp/protobuf.ts';

const compress = promisify(gzip);

/** HTTP statuses after which an export is retried (OTLP, "Failures" of OTLP/HTTP). */
const retried = new Set([429, 502, 503, 504]);
const firstGapMs = 1000;
const maxGapMs = 5000;

export interface Exporter {
  /** Sends a message. Never rejects: after the timeout the message is dropped. @returns whether the collector accepted it */
  send(message: Message, signal?: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

interface ExporterDependencies {
  readonly clock: Clock;
  /** Called with the error's kind or the HTTP status when exports begin to fail, and with null when they succeed again. */
  readonly onChange: (failure: string | null) => void;
}

/** Posts messages to a collector one after the other. The target's timeout applies to each message with all its retries. */
export function createExporter(
  target: TelemetryTarget,
  fields: Fields,
  { clock, onChange }: ExporterDependencies,
): Exporter {
  const dispatcher = new Agent({ connections: 1 });
  let failure: string | null = null;
  const note = (now: string | null) => {
    if ((failure === null) !== (now === null)) onChange(now);
    failure = now;
  };
  const headers = {
    'user-agent': userAgent,
    'content-type': target.protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
    ...(target.compresses ? { 'content-encoding': 'gzip' } : {}),
    ...target.headers,
  };
  const post = async (body: Buffer, signal: AbortSignal) => {
    const answer = await send(target.url, { dispatcher, method: 'POST', headers, body, signal });
    await answer.body.dump();
    return { status: answer.statusCode, retryAfterMs: Number(answer.headers['retry-after']) * 1000 || 0 };
  };
  /** @returns whether the collector accepted the message, or the minimum delay before a retry */
  const attempt = async (body: Buffer, signal: AbortSignal): Promise<boolean | { afterMs: number }> => {
    try {
      const { status, retryAfterMs } = await post(body, signal);
      const isTaken = status < 300;
      note(isTaken ? null : String(status));
      return retried.has(status) ? { afterMs: retryAfterMs } : isTaken;
    } catch (error) {
      note(signal.aborted ? 'timeout' : errorType(error));
      return { afterMs: 0 };
    }
  };
  const bodyOf = (message: Message): Promise<Buffer> | Buffer => {
    const plain =
      target.protocol === 'http/json' ? Buffer.from(JSON.stringify(message)) : encode(fields, message);
    return target.compresses ? compress(plain) : plain;
  };
  return {
    async send(message, stop) {
      const body = await bodyOf(message);
      const deadline = AbortSignal.timeout(target.timeoutMs);
      const signal = stop === undefined ? deadline : AbortSignal.any([deadline, stop]);
      for (let gapMs = firstGapMs; ; gapMs = Math.min(2 * gapMs, maxGapMs)) {
        const outcome = await attempt(body, signal);
        if (typeof outcome === 'boolean') return outcome;
        // Node.js fires a timer of more than 25 days at once.
        await clock.delay(Math.min(Math.max(gapMs, outcome.afterMs), target.timeoutMs), signal);
        if (signal.aborted) return false;
      }
    },
    close: () => dispatcher.destroy(),
  };
}
