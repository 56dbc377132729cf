import { within } from '../../lib/tracing/span.ts';
import { type Transport, TransportError, type WireRequest, type WireResponse } from './transport.ts';

/** A simulated upstream in this process. The signal aborts when the caller stops waiting for the response. */
export type SimulatorHandler = (request: WireRequest, signal: AbortSignal) => Promise<WireResponse>;

export interface SimulatorTransportOptions {
  /** Timeout of the whole exchange in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * A transport that passes the bytes to a simulator in this process instead of the network. It rejects only with a
 * `TransportError`: `timeout` if the deadline passed first, `dropped` if the simulator rejected.
 */
export function simulatorTransport(handle: SimulatorHandler, options: SimulatorTransportOptions): Transport {
  return async (request) => {
    const deadline = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        // Rejects first, so that a handler that fails because of the signal cannot win the race with its own error.
        reject(new TransportError('timeout'));
        deadline.abort();
      }, options.timeoutMs);
    });
    // The processor's own work does not belong in our traces.
    const answered = () => within(undefined, async () => handle(request, deadline.signal));
    try {
      return await Promise.race([answered(), expired]);
    } catch (error) {
      throw error instanceof TransportError && error.kind === 'timeout'
        ? error
        : new TransportError('dropped', error);
    } finally {
      clearTimeout(timer);
    }
  };
}
