import type { Provider } from '@till/contract';
import { serve } from '../../packages/server/src/cli/serve/serve.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { type Transport, TransportError } from '../../packages/server/src/processors/wire/transport.ts';
import { MovableClock } from './clock.ts';
import { type Failpoint, Failpoints } from './failpoints.ts';

/** An order of the harness to a server process. */
export type Order =
  /** Sets how many milliseconds the clock is ahead of real time. */
  | { readonly kind: 'clock'; readonly shiftMs: number }
  /** Ends the process by SIGKILL at this failpoint. */
  | { readonly kind: 'end at'; readonly point: Failpoint };

/** Sends requests over the network to the simulators in the harness. */
function toHarness(processor: Provider, address: string, timeoutMs: number): Transport {
  return async ({ method, url, headers, body }) => {
    const { pathname, search, origin } = new URL(url);
    try {
      const response = await fetch(`${address}/${processor}${pathname}${search}`, {
        method,
        headers: { ...headers, 'x-origin': origin },
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: new Uint8Array(body) }),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'manual',
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: Buffer.from(await response.arrayBuffer()),
      };
    } catch (error) {
      throw new TransportError(kindOf(error), error);
    }
  };
}

function kindOf(error: unknown): TransportError['kind'] {
  if (!(error instanceof Error)) return 'dropped';
  if (error.name === 'TimeoutError') return 'timeout';
  const cause = error.cause;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED' ? 'not_sent' : 'dropped';
}

/** Runs a server as `till serve` does, with failpoints around its database and outgoing requests that the harness controls. */
async function main(): Promise<void> {
  const clock = new MovableClock(Number(process.env.TILL_CRASH_SHIFT_MS));
  const address = process.env.TILL_CRASH_UPSTREAM;
  const points = new Failpoints(() => process.kill(process.pid, 'SIGKILL'));
  process.on('message', (order: Order) => {
    if (order.kind === 'clock') clock.moveTo(order.shiftMs);
    else points.begin(order.point);
  });
  // The process must end with the harness, and the open channel must not keep it alive.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
  const config = readConfig(process.env, process.cwd());
  await serve(config, 'crash', (text) => process.stdout.write(`${text}\n`), {
    clock,
    overDatabase: (db) => points.database(db),
    transports: {
      wrapProcessorTransport: (processor, usual) => {
        const outside = address && toHarness(processor, address, config.processorTimeoutMs);
        return points.wrapProcessorTransport(processor, outside || usual);
      },
      wrapReceiverTransport: (usual) => points.wrapReceiverTransport(usual),
    },
  });
}

await main();
