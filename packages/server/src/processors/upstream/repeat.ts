import { createHash } from 'node:crypto';

/** Delays in milliseconds before each repeat of a request while its first copy is still being processed. */
const repeatDelaysMs = [250, 750];

export interface Exchange<Reply> {
  readonly reply: Reply;
  /**
   * An earlier copy of the request was still being processed, so it may have been carried out whatever the last response
   * says.
   */
  readonly duplicate: boolean;
}

/** Runs one exchange and repeats it after a delay while the upstream still processes an earlier copy of the request. */
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

/** Maximum length of an idempotency key that every upstream accepts. */
const maxKeyLength = 64;

/** Derives the key for a modified copy of a request: the readable form if it fits, otherwise its digest. */
export function suffixedKey(key: string, suffix: string): string {
  const suffixed = `${key}${suffix}`;
  return suffixed.length <= maxKeyLength ? suffixed : createHash('sha256').update(suffixed).digest('hex');
}
