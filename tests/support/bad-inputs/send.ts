import { type Reply, withRateLimitRetries } from '../merchant.ts';
import { sendBytes, sendPlain } from '../raw-http.ts';
import { publishedTriggers } from '../triggers.ts';
import { type BadInput, type BadRequest, placeholdersOf, type Value } from './cases.ts';
import { type Fill, toBytes, toJson, toText } from './values.ts';
import type { CaseWorld } from './world.ts';

/** Creates the values of all placeholders in a case. */
export async function fillFor(one: BadInput, world: CaseWorld): Promise<Fill> {
  const { times: _count, ...rest } = one;
  const values = new Map<string, string>();
  for (const name of placeholdersOf(rest)) values.set(name, await world.value(name));
  return (text) =>
    text.replaceAll(/\{([a-z][a-z0-9_]*)\}/g, (whole, name: string) => values.get(name) ?? whole);
}

/** Adds the published trigger value that makes the simulator behave as the case needs. */
export async function withTrigger(one: BadInput): Promise<BadInput> {
  const { trigger } = one;
  if (trigger === undefined) return one;
  const row = (await publishedTriggers()).find(
    ({ processor, outcome }) =>
      processor === trigger.processor && new RegExp(trigger.match, 'i').test(outcome),
  );
  if (row === undefined) throw new Error(`/docs/testing.json has no trigger for ${trigger.match}`);
  const [first = '', second] = row.trigger.field.split('.');
  const body = one.body as Record<string, Value>;
  const value =
    second === undefined
      ? row.trigger.value
      : { ...(body[first] as Record<string, Value>), [second]: row.trigger.value };
  return { ...one, body: { ...body, [first]: value } };
}

function headersOf(request: BadRequest, fill: Fill): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((item) => toText(item, fill)) : toText(value, fill),
    ]),
  );
}

function payloadOf(request: BadRequest, fill: Fill): Buffer | undefined {
  if (request.raw !== undefined) return toBytes(request.raw, fill);
  return request.body === undefined ? undefined : Buffer.from(toJson(request.body, fill));
}

/** Sends a request of the file once, without any changes. */
export async function sendOnce(request: BadRequest, fill: Fill): Promise<Reply> {
  const body = payloadOf(request, fill);
  if (request.method === 'RAW') return sendBytes(body ?? '');
  return sendPlain({
    method: request.method,
    path: fill(request.path ?? '/'),
    headers: headersOf(request, fill),
    body,
  });
}

/** Sends a request of the file, and retries it when its key is rate-limited. */
export const send = (request: BadRequest, fill: Fill): Promise<Reply> =>
  withRateLimitRetries(() => sendOnce(request, fill));

const maxTries = 5;

/**
 * Like `send`, but also measures the last response, without the waiting for the rate limit. Retries an error
 * response that took longer than `maxMs`: a search that never ends is slow each time, while a paused machine
 * is slow only once.
 */
export async function sendTimed(
  request: BadRequest,
  fill: Fill,
  maxMs: number,
): Promise<{ readonly reply: Reply; readonly ms: number }> {
  for (let tries = 1; ; tries += 1) {
    let began = 0;
    const reply = await withRateLimitRetries(() => {
      began = performance.now();
      return sendOnce(request, fill);
    });
    const ms = performance.now() - began;
    const isRefused = reply.status >= 400 && reply.status < 500;
    if (ms < maxMs || !isRefused || tries === maxTries) return { reply, ms };
  }
}
