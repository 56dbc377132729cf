import type { Transport, WireRequest, WireResponse } from './transport.ts';

/** What a scripted upstream does with one request: a response, or an error to reject with. */
export type Step = WireResponse | Error;

/** A JSON response, for tests. */
export const reply = (
  status: number,
  body: unknown = {},
  headers: Record<string, string> = {},
): WireResponse => ({
  status,
  headers,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

/** A transport that plays the steps in order and repeats the last one, and the requests that it received; for tests. */
export function scriptedTransport(steps: readonly Step[]): { transport: Transport; sent: WireRequest[] } {
  const sent: WireRequest[] = [];
  return {
    sent,
    async transport(request) {
      const step = steps[Math.min(sent.length, steps.length - 1)];
      sent.push(request);
      if (step === undefined || step instanceof Error) throw step ?? new Error('no step');
      return step;
    },
  };
}

/** The JSON body of a request. */
export const bodyOf = (request: WireRequest | undefined) => JSON.parse(request?.body.toString() || 'null');
