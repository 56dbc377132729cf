import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup.ts';
import { type CpuRoles, type CpuShares, measureCpu, unknownCpu, untilQuiet } from './cpu.ts';

/** One measured round. */
export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: CpuShares;
}

/** What a load process found out, times in milliseconds. */
export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Correct answers in all, those before and after the measured time included. */
  readonly answered: number;
  /** Why the round does not count. */
  readonly fault: string | null;
}

export type LoadMessage =
  | { readonly kind: 'measuring' }
  | { readonly kind: 'measured' }
  | { readonly kind: 'done'; readonly result: LoadResult };

/** A process that produces load on demand, so that its work is not ours. */
export class LoadProcess {
  readonly #child: ChildProcess;

  /** @param script its file below `bench/` */
  constructor(script: string, cleanup: Cleanup) {
    this.#child = fork(fileURLToPath(new URL(`../${script}`, import.meta.url)));
    cleanup.add(async () => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    });
  }

  /**
   * Runs one job to its end, once the machine is quiet.
   * @throws Error where any answer was wrong or the process did not end in time
   */
  async run(job: object, limitMs: number, roles: Omit<CpuRoles, 'generator'>): Promise<Round & LoadResult> {
    await untilQuiet();
    const child = this.#child;
    return new Promise((resolve, reject) => {
      let endCpu: (() => CpuShares) | undefined;
      let cpu = unknownCpu;
      const ended = () => finish(new Error('the load process ended'));
      const timer = setTimeout(() => finish(new Error('the load process took too long')), limitMs);
      const finish = (outcome: Error | LoadResult) => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', ended);
        if (outcome instanceof Error) reject(outcome);
        else if (outcome.fault !== null) reject(new Error(outcome.fault));
        else resolve({ ...outcome, cpu });
      };
      const onMessage = (message: LoadMessage) => {
        if (message.kind === 'measuring') {
          endCpu = measureCpu({ ...roles, ...(child.pid === undefined ? {} : { generator: child.pid }) });
        } else if (message.kind === 'measured') {
          cpu = endCpu?.() ?? cpu;
        } else {
          finish(message.result);
        }
      };
      child.on('message', onMessage).once('exit', ended);
      child.send(job);
    });
  }
}
