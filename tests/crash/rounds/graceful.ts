import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../client.ts';
import type { Finding } from '../counters.ts';
import type { Fleet } from '../fleet.ts';
import type { Flow } from '../flows/flow.ts';
import { flowNamed } from '../flows/flows.ts';
import type { Random } from '../random.ts';

const charges = [flowNamed('charge on processor_a'), flowNamed('charge on processor_b')];
/** The interval between batches of new requests. */
const intervalMs = 20;
/** The maximum number of requests in flight. On a busy machine the rate decreases instead of requests piling up for minutes. */
const maxOpen = 400;

export interface GracefulOptions {
  readonly stops: number;
  readonly perSecond: number;
  /** For up to how many milliseconds new requests are sent before and after a server is asked to end. */
  readonly aroundMs: number;
}

export interface GracefulResult {
  readonly findings: readonly Finding[];
  readonly exitCodes: readonly (number | null)[];
  readonly flows: number;
}

/**
 * Asks one server after the other to end while requests are sent at a steady rate, independently of earlier responses. As in a
 * rolling restart, another server runs already. Clients call the ending server until it has ended.
 */
export async function stopUnderLoad(
  fleet: Fleet,
  random: Random,
  { stops, perSecond, aroundMs }: GracefulOptions,
): Promise<GracefulResult> {
  const clients: Client[] = [];
  const exitCodes: (number | null)[] = [];
  for (let count = 0; count < stops; count += 1) {
    await fleet.start();
    const flow = random.pick(charges);
    const client = () => {
      const made = new Client(fleet, fleet.shopOf(flow.processor), `stop-${randomUUID()}`);
      clients.push(made);
      return made;
    };
    const enough = new AbortController();
    const load = chargeSteadily(flow, client, perSecond, enough.signal);
    await pause(random.below(aroundMs));
    exitCodes.push(await fleet.end('SIGTERM'));
    await pause(random.below(aroundMs));
    enough.abort();
    await load;
  }
  await fleet.settle();
  return { findings: await fleet.examine(clients), exitCodes, flows: clients.length };
}

/** Creates charges at a steady rate. Resolves once all of them have got a response. */
async function chargeSteadily(
  flow: Flow,
  newClient: () => Client,
  perSecond: number,
  enough: AbortSignal,
): Promise<void> {
  const flows: Promise<void>[] = [];
  let open = 0;
  const run = async () => {
    open += 1;
    await flow
      .run(newClient(), () => {})
      .finally(() => {
        open -= 1;
      });
  };
  let due = 0;
  let last = performance.now();
  while (!enough.aborted) {
    const now = performance.now();
    due += ((now - last) / 1000) * perSecond;
    last = now;
    for (; due >= 1; due -= 1) if (open < maxOpen) flows.push(run());
    await pause(intervalMs);
  }
  await Promise.all(flows);
}
