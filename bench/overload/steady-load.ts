import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../support/cleanup.ts';
import { httpText, slot } from '../support/http-text.ts';
import { paymentBody, type Shop } from '../support/till.ts';
import type { OverloadJob, OverloadResult } from './overload-load.ts';

export type OpenLoad = (job: OverloadJob) => Promise<OverloadResult>;
export type SteadyLoad = (shape: Omit<OverloadJob, 'port' | 'request' | 'values'>) => Promise<OverloadResult>;

/** Sends requests at a steady rate, independently of the responses, from a separate process. */
export function openLoad(cleanup: Cleanup): OpenLoad {
  return async (job) => {
    const child = fork(fileURLToPath(new URL('overload-load.ts', import.meta.url)));
    const end = () => void child.kill('SIGKILL');
    cleanup.add(end);
    child.send(job);
    const [result] = (await once(child, 'message')) as [OverloadResult];
    end();
    return result;
  };
}

/** Creates payments at a steady rate, from a separate process. */
export function steadyLoad(shop: Shop, cleanup: Cleanup): SteadyLoad {
  const headers = { authorization: `Bearer ${shop.secretKey}`, 'idempotency-key': slot };
  const request = httpText('POST', '/api/v1/payments', headers, paymentBody(slot));
  const run = openLoad(cleanup);
  return (shape) => run({ ...shape, port: shop.port, request, values: null });
}

/** One line about the latency at half of the measured capacity. @param status the expected status of all responses */
export function halfLoadLine(
  label: string,
  perSecond: number,
  status: number,
  result: OverloadResult,
): string {
  const { admitted, sent, heldBack, statuses } = result;
  if (statuses[String(status)] !== sent) {
    throw new Error(`${label} at half load was answered ${JSON.stringify(statuses)} of ${sent}`);
  }
  const [p50, p99] = [admitted.p50, admitted.p99].map((one) => one.toFixed(1));
  return `${label} at half load, open loop at ${Math.round(perSecond)}/s: p50 ${p50} ms, p99 ${p99} ms; ${sent} sent, ${heldBack} held back`;
}

/** The number of payments with status 201. */
export const paidIn = ({ statuses }: OverloadResult): number => statuses['201'] ?? 0;
