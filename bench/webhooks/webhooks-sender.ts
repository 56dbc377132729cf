/** Signs and posts webhooks without a database. It is the baseline for Till's deliveries. */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { newSecret, signatureHeaders } from '../../packages/server/src/webhooks/endpoints/sign.ts';
import type { LoadMessage } from '../support/load-process.ts';
import { percentiles } from '../support/statistics.ts';

export interface SenderJob {
  readonly url: string;
  readonly body: string;
  readonly atOnce: number;
  readonly warmupMs: number;
  readonly measureMs: number;
}

const report = (message: LoadMessage) => void process.send?.(message);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function run(job: SenderJob): Promise<void> {
  const dispatcher = new Agent({ connections: job.atOnce });
  const secret = newSecret(randomBytes);
  const latencies: number[] = [];
  let answered = 0;
  let state: 'warming' | 'measuring' | 'ending' = 'warming';
  const worker = async () => {
    while (state !== 'ending') {
      const start = performance.now();
      const timestamp = Math.floor(Date.now() / 1000);
      const signed = signatureHeaders(secret, { id: `evt_${answered}`, timestamp, body: job.body });
      const headers = { 'content-type': 'application/json', ...signed };
      const answer = await request(job.url, { dispatcher, method: 'POST', headers, body: job.body });
      await answer.body.dump();
      answered += 1;
      if (state === 'measuring') latencies.push(performance.now() - start);
    }
  };
  const workers = Array.from({ length: job.atOnce }, worker);
  await pause(job.warmupMs);
  report({ kind: 'measuring' });
  state = 'measuring';
  const began = performance.now();
  await pause(job.measureMs);
  const seconds = (performance.now() - began) / 1000;
  state = 'ending';
  report({ kind: 'measured' });
  await Promise.all(workers);
  await dispatcher.close();
  const perSecond = latencies.length / seconds;
  report({ kind: 'done', result: { perSecond, ...percentiles(latencies), answered, fault: null } });
}

process.on('message', (job: SenderJob) => {
  run(job).catch((error: unknown) => {
    const fault = error instanceof Error ? error.message : String(error);
    report({ kind: 'done', result: { perSecond: 0, p50: 0, p99: 0, answered: 0, fault } });
  });
});
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});
