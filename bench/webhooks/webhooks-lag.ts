import type { Cleanup } from '../support/cleanup.ts';
import { untilQuiet } from '../support/cpu.ts';
import { LoadProcess } from '../support/load-process.ts';
import { createRequest } from '../support/requests.ts';
import { percentiles } from '../support/statistics.ts';
import { paymentBody, type Till } from '../support/till.ts';
import type { World } from './webhooks-world.ts';

const connections = 64;
const warmupMs = 3000;
const betweenLooksMs = 200;
const maxPolls = 300;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function pay(till: Till, reference: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${till.port}/api/v1/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${till.secretKey}`,
      'idempotency-key': reference,
      'content-type': 'application/json',
    },
    body: paymentBody(reference),
  });
  if (response.status !== 201) throw new Error(`a payment answered ${response.status}`);
  return ((await response.json()) as { id: string }).id;
}

/** Creates payments at a steady rate. @returns the time of each response, in milliseconds since the epoch */
async function paySteadily(
  till: Till,
  { label, payments, perSecond }: { label: string; payments: number; perSecond: number },
): Promise<ReadonlyMap<string, number>> {
  const answered = new Map<string, number>();
  const began = performance.now();
  const running: Promise<void>[] = [];
  for (let count = 0; count < payments; count += 1) {
    const due = began + (count / perSecond) * 1000 - performance.now();
    if (due > 1) await pause(due);
    running.push(pay(till, `${label}-${String(count)}`).then((id) => void answered.set(id, Date.now())));
  }
  await Promise.all(running);
  return answered;
}

/** Milliseconds from a payment's response to the arrival of each of its webhooks. */
function lagsOf(
  answered: ReadonlyMap<string, number>,
  arrivals: readonly (readonly [payment: string, at: number])[],
) {
  const lags = arrivals.flatMap(([payment, at]) => {
    const since = answered.get(payment);
    return since === undefined ? [] : Math.max(0, at - since);
  });
  const sorted = lags.sort((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  return { ...percentiles(sorted), p95 };
}

/** Measures the milliseconds from a payment's response to the arrival of its webhooks at healthy endpoints, at a steady rate. */
export async function lag(world: World, label: string, healthy: number, payments: number, perSecond: number) {
  const complete = world.receivers.expect(healthy * payments);
  const answered = await paySteadily(world.till, { label, payments, perSecond });
  await complete;
  return { label, payments, perSecond, ...lagsOf(answered, await world.receivers.arrivals()) };
}

/**
 * Measures the same for one healthy endpoint and payments at a steady rate, while 64 clients create payments as fast as they get
 * responses. `perSecond` is the throughput of these clients.
 */
export async function lagUnderFullLoad(world: World, payments: number, cleanup: Cleanup) {
  const { till, receivers } = world;
  const label = 'one-endpoint-full-load';
  const rate = 100;
  const measureMs = (payments / rate) * 1000;
  const generator = new LoadProcess('support/generator.ts', cleanup);
  receivers.forget();
  await untilQuiet();
  const loading = generator.run(
    { ...createRequest(till), connections, warmupMs, measureMs },
    warmupMs + measureMs + 60_000,
    { server: till.pid, postmaster: till.postmaster },
  );
  const paying = pause(warmupMs).then(() => paySteadily(till, { label, payments, perSecond: rate }));
  const [{ perSecond }, answered] = await Promise.all([loading, paying]);
  for (let look = 0; look < maxPolls; look += 1) {
    const arrivals = await receivers.arrivals();
    const arrived = new Set(arrivals.map(([payment]) => payment));
    if ([...answered.keys()].every((id) => arrived.has(id))) {
      return { label, payments, perSecond: Math.round(perSecond), ...lagsOf(answered, arrivals) };
    }
    await pause(betweenLooksMs);
  }
  throw new Error('webhooks of answered payments have not arrived within a minute of the load');
}
