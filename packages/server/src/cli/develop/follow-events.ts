import { OperatorError } from '../../accounts/accounts.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import { userAgent } from '../../lib/version.ts';

/** The delay before the first retry. It doubles with each further one up to the maximum, and is reset once a stream has begun. */
const firstPauseMs = 1000;
const maxPauseMs = 30_000;

export interface StreamedEvent {
  /** The position of the event in the account's event log. */
  readonly id: string;
  readonly type: string;
  /** The event as JSON, in the same bytes as a webhook delivery. */
  readonly data: string;
}

interface FollowOptions {
  readonly server: string;
  readonly apiKey: string;
  /** Unix seconds of the first event; if absent, only new events are streamed. */
  readonly since?: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called when the connection is lost, before it is opened again. */
  readonly onLost: (reason: string) => void;
}

/** A block of the stream that has an id: an event, or the position at which the stream begins. */
interface Block {
  readonly id: string;
  readonly type: string;
  /** Absent in the block that only names the position at which the stream begins. */
  readonly data?: string | undefined;
}

/** Parses one block of a stream of server-sent events; undefined for comments. */
function readBlock(block: string): Block | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split('\n')) {
    // Without the flag `s`, `.` would stop at U+2028 and U+2029, which JSON does not escape.
    const [, name = '', value = ''] = /^([a-z]+): ?(.*)$/s.exec(line) ?? [];
    if (name !== '') fields[name] = value;
  }
  const { id, event, data } = fields;
  return id === undefined ? undefined : { id, type: event ?? '', data };
}

async function* readBlocks(body: ReadableStream<Uint8Array>): AsyncGenerator<Block> {
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const one of blocks) {
      const block = readBlock(one);
      if (block !== undefined) yield block;
    }
  }
}

/** @throws OperatorError `invalid_params` for an address or a key that no HTTP request can carry */
function requestFor(options: FollowOptions, last: string | undefined): Request {
  const query = last === undefined && options.since !== undefined ? `?since=${options.since}` : '';
  try {
    return new Request(`${options.server}/api/v1/events/stream${query}`, {
      headers: {
        authorization: `Bearer ${options.apiKey}`,
        'user-agent': userAgent,
        ...(last === undefined ? {} : { 'last-event-id': last }),
      },
      // `fetch` drops the Authorization header when it follows a redirect to another origin.
      redirect: 'manual',
      signal: options.signal,
    });
  } catch {
    // The error itself is dropped: its message repeats the key.
    throw new OperatorError(
      'invalid_params',
      'No request can be made of this server address and API key. Check --server and --api-key.',
    );
  }
}

/**
 * Opens the stream.
 * @throws OperatorError if the server refuses the request or is not a Till server: a retry would not help
 * @throws Error for a temporary failure
 */
async function open(options: FollowOptions, last: string | undefined): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(requestFor(options, last)).catch((error: unknown) => {
    if (options.signal.aborted || isTemporary(error, last !== undefined)) throw error;
    throw unusable(`No event stream can be opened at ${options.server}: ${reasonOf(error)}`);
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (response.ok && isStream && response.body !== null) return response.body;
  const { status } = response;
  if (status >= 500 || status === 429 || status === 408) {
    await response.body?.cancel();
    throw new Error(`the server answers ${status}`);
  }
  throw refusalOf(await response.text()) ?? unusable(`${options.server} answers ${status} without events`);
}

const unusable = (what: string) =>
  new OperatorError('server_unusable', `${what}. Check --server: it names no Till server.`);

/** The error object of Till's API; undefined if another program sent the response. */
function refusalOf(text: string): OperatorError | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    const { code, message } = error ?? {};
    if (typeof code !== 'string' || typeof message !== 'string') return undefined;
    return new OperatorError(code, message);
  } catch {
    return undefined;
  }
}

/** `fetch` reports the actual reason of a failure in the error's cause. */
const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error;

const reasonOf = (error: unknown): string => messageOf(causeOf(error));

/** Error codes if the server speaks no HTTP or no TLS, or has an untrusted certificate (Node.js, "Errors" and "TLS"). */
const wrongProtocol = /^HPE_|^EPROTO$|^ERR_(SSL|TLS)_|^CERT_|_CERT|^UNABLE_TO_/;

/**
 * Whether the next attempt to connect may succeed. Network failures have a code. `fetch` itself refuses some addresses, such as
 * those with a port reserved for another service, with an error that has no code.
 * @param wasOpen whether a connection has succeeded before: then an unknown host name is a temporary failure of DNS
 */
function isTemporary(error: unknown, wasOpen: boolean): boolean {
  const cause = causeOf(error);
  if (!(cause instanceof Error && 'code' in cause && typeof cause.code === 'string')) return false;
  return !wrongProtocol.test(cause.code) && (wasOpen || cause.code !== 'ENOTFOUND');
}

/**
 * Streams the account's events as they happen. Reconnects with backoff after the connection is lost, and continues after the
 * last event.
 * @throws OperatorError if the server refuses the key or the start time, or if no Till server answers at the address
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<StreamedEvent> {
  let last: string | undefined;
  let pauseMs = firstPauseMs;
  while (!options.signal.aborted) {
    try {
      for await (const { id, type, data } of readBlocks(await open(options, last))) {
        if (data !== undefined) yield { id, type, data };
        last = id;
        pauseMs = firstPauseMs;
      }
      if (!options.signal.aborted) options.onLost('the server ended the connection');
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      if (!options.signal.aborted) options.onLost(reasonOf(error));
    }
    await options.clock.delay(pauseMs, options.signal);
    pauseMs = Math.min(2 * pauseMs, maxPauseMs);
  }
}
