/** Produces HTTP load in a separate process, with plain sockets and a minimal parser, since it shares the server's cores. */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { LoadMessage } from './load-process.ts';
import { percentiles } from './statistics.ts';

export interface GeneratorJob {
  readonly port: number;
  readonly connections: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  /** The request's text, split at the places of the value of each request. */
  readonly request: readonly string[];
  /** Values that are used in turn; null for a new UUID in each request. */
  readonly values: readonly string[] | null;
  /** Sends each value once, and measures from the first request to the last response. Then the times above are ignored. */
  readonly once?: boolean;
  readonly expect: { readonly status: number; readonly head: string; readonly body: string };
}

const drainMs = 10_000;
const maxRoundMs = 120_000;
const headEnd = Buffer.from('\r\n\r\n');

class Run {
  readonly #job: GeneratorJob;
  readonly #body: Buffer;
  readonly #latencies: number[] = [];
  readonly #sockets = new Set<Socket>();
  #answered = 0;
  #next = 0;
  #busy = 0;
  #measuring = false;
  #stopping = false;
  #fault: string | null = null;
  #onIdle: () => void = () => {};

  constructor(job: GeneratorJob) {
    this.#job = job;
    this.#body = Buffer.from(job.expect.body);
  }

  async run(): Promise<void> {
    const { connections, warmupMs, measureMs, once = false } = this.#job;
    for (let index = 0; index < connections; index += 1) this.#open();
    if (!once) await this.#pause(warmupMs);
    report({ kind: 'measuring' });
    this.#measuring = true;
    const start = performance.now();
    await this.#pause(once ? maxRoundMs : measureMs);
    this.#measuring = false;
    const seconds = (performance.now() - start) / 1000;
    report({ kind: 'measured' });
    await this.#drain();
    for (const socket of this.#sockets) socket.destroy();
    const perSecond = this.#latencies.length / seconds;
    if (perSecond === 0) this.#fault ??= 'no answer came in the measured time';
    report({
      kind: 'done',
      result: {
        perSecond,
        ...percentiles(this.#latencies),
        answered: this.#answered,
        fault: this.#fault,
      },
    });
  }

  /** Waits, but ends at once after a fault. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#fault !== null) return resolve();
      const timer = setTimeout(resolve, ms);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Waits for the responses to all requests, so that their number can be compared with the written rows. */
  async #drain(): Promise<void> {
    this.#stopping = true;
    if (this.#busy === 0) return;
    await this.#pause(drainMs);
    if (this.#busy > 0) this.#fault ??= `${this.#busy} requests were never answered`;
  }

  #fail(fault: string): void {
    this.#fault ??= fault;
    this.#stopping = true;
    this.#onIdle();
  }

  #open(): void {
    const socket = connect({ host: '127.0.0.1', port: this.#job.port, noDelay: true });
    this.#sockets.add(socket);
    let sentAt = 0;
    let pending: Buffer | null = null;
    const send = () => {
      const { once = false, values } = this.#job;
      if (once && this.#next >= (values?.length ?? 0)) this.#stopping = true;
      if (this.#stopping) {
        if (this.#busy === 0) this.#onIdle();
        return;
      }
      this.#busy += 1;
      sentAt = performance.now();
      socket.write(this.#text(), 'latin1');
    };
    socket.on('connect', send);
    socket.on('data', (chunk) => {
      const data: Buffer = pending === null ? chunk : Buffer.concat([pending, chunk]);
      const length = this.#read(data);
      pending = length === undefined ? data : null;
      if (length === undefined) return;
      if (this.#measuring) this.#latencies.push(performance.now() - sentAt);
      this.#busy -= 1;
      if (this.#stopping && this.#busy === 0) this.#onIdle();
      send();
    });
    socket.on('error', (error) => this.#fail(`a connection failed: ${error.message}`));
    socket.on('end', () => this.#fail('the server closed a connection'));
  }

  #text(): string {
    const { values, request } = this.#job;
    const value = values === null ? randomUUID() : (values[this.#next++ % values.length] ?? '');
    return request.join(value);
  }

  /** @returns the length of the response in `data`; undefined if it is not complete yet */
  #read(data: Buffer): number | undefined {
    const end = data.indexOf(headEnd);
    if (end === -1) return undefined;
    const head = data.toString('latin1', 0, end).toLowerCase();
    const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1]);
    const total = end + headEnd.length + length;
    if (data.length < total) return undefined;
    const { status, head: wanted } = this.#job.expect;
    const right =
      data.length === total &&
      head.startsWith(`http/1.1 ${status} `) &&
      head.includes(wanted) &&
      data.includes(this.#body, end);
    if (right) {
      this.#answered += 1;
    } else {
      this.#fail(
        `expected ${status} with ${wanted}, ${this.#job.expect.body}; got ${data.toString().slice(0, 1500)}`,
      );
    }
    return total;
  }
}

function report(message: LoadMessage): void {
  process.send?.(message);
}

process.on('message', (job: GeneratorJob) => void new Run(job).run());
process.on('disconnect', () => process.exit());
// Ctrl-C reaches parent and child. Only the parent decides when this process ends.
process.on('SIGINT', () => {});
