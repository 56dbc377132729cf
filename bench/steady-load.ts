import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup.ts';
import { httpText, slot } from './http-text.ts';
import type { OverloadJob, OverloadResult } from './overload-load.ts';
import { paymentBody, type Till } from './till.ts';

export type SteadyLoad = (shape: Omit<OverloadJob, 'port' | 'request'>) => Promise<OverloadResult>;

/** Creates payments at a steady rate, whatever the answers are, from a process of its own. */
export function steadyLoad(till: Till, cleanup: Cleanup): SteadyLoad {
  const headers = { authorization: `Bearer ${till.secretKey}`, 'idempotency-key': slot };
  const request = httpText('POST', '/api/v1/payments', headers, paymentBody(slot));
  return async (shape) => {
    const child = fork(fileURLToPath(new URL('overload-load.ts', import.meta.url)));
    const end = () => void child.kill('SIGKILL');
    cleanup.add(end);
    child.send({ ...shape, port: till.port, request });
    const [result] = (await once(child, 'message')) as [OverloadResult];
    end();
    return result;
  };
}

/** Payments that were answered as made. */
export const paidIn = ({ statuses }: OverloadResult): number => statuses['201'] ?? 0;
