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

/** The result of a load process. Times are in milliseconds. */
export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** All correct responses, including those before and after the measured time. */
  readonly answered: number;
  /** The reason why the round does not count; null if it does. */
  readonly fault: string | null;
}

export type LoadMessage =
  | { readonly kind: 'measuring' }
  | { readonly kind: 'measured' }
  | { readonly kind: 'done'; readonly result: LoadResult };

/** A child process that produces load on demand, so that its CPU time is measured separately. */
export class LoadProcess {
  readonly #child: ChildProcess;

  /** @param script the path of its file below `bench/` */
  constructor(script: string, cleanup: Cleanup) {
    this.#child = fork(fileURLToPath(new URL(`../${script}`, import.meta.url)));
    cleanup.add(async () => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    });
  }

  /**
   * Waits until the machine is idle, and runs one job.
   * @throws Error if any response was wrong, or the process did not end in time
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
