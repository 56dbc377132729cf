import { createHash } from 'node:crypto';

/** Milliseconds before each repeat of a request whose first copy is still being processed. */
const repeatDelaysMs = [250, 750];

export interface Exchange<Reply> {
  readonly reply: Reply;
  /** An earlier copy of the request was still being processed, so it may have been carried out whatever came last. */
  readonly duplicate: boolean;
}

/** One exchange, repeated a little later while the upstream still processes an earlier copy of the request. */
export async function repeatWhileProcessing<Reply>(
  delay: (ms: number) => Promise<void>,
  attempt: () => Promise<Reply>,
  isStillProcessing: (reply: Reply) => boolean,
): Promise<Exchange<Reply>> {
  let reply = await attempt();
  let duplicate = false;
  for (const ms of repeatDelaysMs) {
    if (!isStillProcessing(reply)) break;
    duplicate = true;
    await delay(ms);
    reply = await attempt();
  }
  return { reply, duplicate };
}

/** Longest idempotency key that every upstream takes. */
const keyLengthMax = 64;

/** A key for a changed copy of a request: as readable as fits, else its digest. */
export function suffixedKey(key: string, suffix: string): string {
  const suffixed = `${key}${suffix}`;
  return suffixed.length <= keyLengthMax ? suffixed : createHash('sha256').update(suffixed).digest('hex');
}
