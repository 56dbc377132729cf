import { bodyOf, reply } from '../wire/test-transport.ts';
import { TransportError } from '../wire/transport.ts';
import { createProcessorA } from './adapter.ts';

/** Whether refusals are kept under their key, and replayed to a request that repeats it. */
export type Refusals = 'stored' | 'not stored';

/**
 * The adapter with an upstream that replays the response to a key and that may become stricter about addresses. It validates
 * a body before it looks the key up, unless it stores refusals as well.
 */
export function strictUpstream(refusals: Refusals = 'not stored') {
  const answers = new Map<string, ReturnType<typeof reply>>();
  const state = { refusesAddresses: false, losesAnswers: false, losesCopies: false, charges: 0 };
  const sent: { key: string; isWithAddress: boolean }[] = [];
  let number = 0;

  const answerTo = (key: string, isWithAddress: boolean) => {
    const known = answers.get(key);
    const isRefused = state.refusesAddresses && isWithAddress;
    if (known !== undefined && (!isRefused || refusals === 'stored')) return known;
    number += 1;
    const headers = { 'idempotency-key': key };
    const answer = isRefused
      ? reply(422, { status: 422, errorCode: '131', pspReference: `REFUSED${number}` }, headers)
      : reply(200, { resultCode: 'Authorised', pspReference: `PSP${number}` }, headers);
    if (!isRefused) state.charges += 1;
    if (!isRefused || refusals === 'stored') answers.set(key, answer);
    return answer;
  };
  const port = createProcessorA({
    transport: async (request) => {
      if (!request.url.endsWith('/payments')) return reply(201, { status: 'received' });
      const key = String(request.headers['idempotency-key']);
      const isWithAddress = bodyOf(request).billingAddress !== undefined;
      sent.push({ key, isWithAddress });
      const answer = answerTo(key, isWithAddress);
      if (state.losesAnswers || (state.losesCopies && !isWithAddress)) throw new TransportError('timeout');
      return answer;
    },
    delay: async () => {},
    elapsed: () => 0,
    observe: () => {},
  });
  return { port, state, sent };
}
