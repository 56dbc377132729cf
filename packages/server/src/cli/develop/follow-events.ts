import { OperatorError } from '../../accounts/accounts.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import { userAgent } from '../../lib/version.ts';

const pauseMs = 1000;

export interface StreamedEvent {
  /** The event's place in the account's log. */
  readonly id: string;
  readonly type: string;
  /** The event as delivered. */
  readonly data: string;
}

interface FollowOptions {
  readonly server: string;
  readonly apiKey: string;
  /** Unix seconds; only what comes from now on where it is absent. */
  readonly since?: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called when the connection is lost, before it is opened again. */
  readonly onLost: (reason: string) => void;
}

/** A block of the stream that names a place in the log: an event, or where the stream begins. */
interface Block {
  readonly id: string;
  readonly type: string;
  /** Absent where the stream begins. */
  readonly data?: string | undefined;
}

/** One block of a stream of server-sent events; undefined for comments. */
function readBlock(block: string): Block | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split('\n')) {
    // `.` alone stops at the separators U+2028 and U+2029, which JSON leaves as they are.
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

/** @throws OperatorError where the server refuses: trying again would not help */
async function open(options: FollowOptions, last: string | undefined): Promise<ReadableStream<Uint8Array>> {
  const query = last === undefined && options.since !== undefined ? `?since=${options.since}` : '';
  const answer = await fetch(`${options.server}/api/v1/events/stream${query}`, {
    headers: {
      authorization: `Bearer ${options.apiKey}`,
      'user-agent': userAgent,
      ...(last === undefined ? {} : { 'last-event-id': last }),
    },
    signal: options.signal,
  });
  if (answer.ok && answer.body !== null) return answer.body;
  const text = await answer.text();
  if (answer.status >= 500 || answer.status === 429) throw new Error(`the server answers ${answer.status}`);
  const { error } = JSON.parse(text) as { error: { code: string; message: string } };
  throw new OperatorError(error.code, error.message);
}

/** What `fetch` says of a failure stands in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return messageOf(cause);
}

/**
 * The account's events as they happen. A lost connection is opened again after a second and goes on where it was.
 * @throws OperatorError where the server refuses the key or the time
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<StreamedEvent> {
  let last: string | undefined;
  while (!options.signal.aborted) {
    try {
      for await (const { id, type, data } of readBlocks(await open(options, last))) {
        if (data !== undefined) yield { id, type, data };
        last = id;
      }
      if (!options.signal.aborted) options.onLost('the server ended the connection');
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      if (!options.signal.aborted) options.onLost(reasonOf(error));
    }
    await options.clock.delay(pauseMs, options.signal);
  }
}
