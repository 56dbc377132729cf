import { describe, expect, it } from 'vitest';
import { simulatorTransport } from './simulator-transport.ts';
import type { WireRequest, WireResponse } from './transport.ts';

const request: WireRequest = {
  method: 'POST',
  url: 'https://upstream.example/payments',
  headers: { 'x-key': 'k' },
  body: Buffer.from('{}'),
};
const answer: WireResponse = { status: 200, headers: { 'x-a': 'b' }, body: Buffer.from('ok') };

describe('simulatorTransport', () => {
  it('passes request and answer through unchanged', async () => {
    const seen: WireRequest[] = [];
    const transport = simulatorTransport(
      async (received) => {
        seen.push(received);
        return answer;
      },
      { timeoutMs: 1_000 },
    );
    expect(await transport(request)).toBe(answer);
    expect(seen).toEqual([request]);
  });

  it('timeout, and the handler is aborted, at the deadline', async () => {
    let aborted = false;
    const transport = simulatorTransport(
      (_, signal) =>
        new Promise((__, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            reject(new Error('aborted'));
          });
        }),
      { timeoutMs: 20 },
    );
    await expect(transport(request)).rejects.toMatchObject({ name: 'TransportError', kind: 'timeout' });
    expect(aborted).toBe(true);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('connection reset'))],
    [
      'throws',
      () => {
        throw new Error('connection reset');
      },
    ],
  ])('dropped where the handler %s', async (_, handle) => {
    await expect(simulatorTransport(handle, { timeoutMs: 1_000 })(request)).rejects.toMatchObject({
      name: 'TransportError',
      kind: 'dropped',
    });
  });
});
