/** Sends requests at a steady rate, independently of the responses, in a separate process. */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { percentiles } from '../support/statistics.ts';

export interface OverloadJob {
  readonly port: number;
  readonly connections: number;
  /** Requests per second; null for as many as the connections allow, each of which waits for its response. */
  readonly perSecond: number | null;
  readonly ms: number;
  /** The request's text, split at the places of the value of each request. */
  readonly request: readonly string[];
  /** Values that are used in turn; null for a new UUID in each request. */
  readonly values: readonly string[] | null;
}

export interface OverloadResult {
  readonly seconds: number;
  readonly sent: number;
  /** Requests that were not sent because every connection still waited for a response. */
  readonly heldBack: number;
  /** The number of responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** 503 responses without `Retry-After`. */
  readonly withoutRetryAfter: number;
  /** Requests that were sent but got no response. */
  readonly unanswered: number;
  /** Connections that broke. */
  readonly broken: number;
  readonly admitted: { readonly p50: number; readonly p99: number };
  readonly refused: { readonly p50: number; readonly p99: number };
}

const tickMs = 2;
const drainMs = 30_000;
const headEnd = Buffer.from('\r\n\r\n');

class Load {
  readonly #job: OverloadJob;
  readonly #idle: Socket[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #statuses: Record<string, number> = {};
  readonly #latencies = { admitted: [] as number[], refused: [] as number[] };
  #sent = 0;
  #answered = 0;
  #broken = 0;
  #due = 0;
  #withoutRetryAfter = 0;
  #sending = true;

  constructor(job: OverloadJob) {
    this.#job = job;
  }

  async run(): Promise<OverloadResult> {
    const { connections, perSecond, ms } = this.#job;
    await Promise.all(Array.from({ length: connections }, () => this.#open()));
    const start = performance.now();
    const timer = setInterval(() => {
      const elapsed = performance.now() - start;
      this.#due = perSecond === null ? Number.POSITIVE_INFINITY : (elapsed / 1000) * perSecond;
      this.#send();
    }, tickMs);
    await new Promise((resolve) => setTimeout(resolve, ms));
    clearInterval(timer);
    this.#sending = false;
    const seconds = (performance.now() - start) / 1000;
    const deadline = performance.now() + drainMs;
    while (this.#answered + this.#broken < this.#sent && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const socket of this.#sockets) socket.destroy();
    return {
      seconds,
      sent: this.#sent,
      heldBack: perSecond === null ? 0 : Math.max(0, Math.floor(this.#due) - this.#sent),
      statuses: this.#statuses,
      withoutRetryAfter: this.#withoutRetryAfter,
      unanswered: this.#sent - this.#answered,
      broken: this.#broken,
      admitted: percentiles(this.#latencies.admitted),
      refused: percentiles(this.#latencies.refused),
    };
  }

  #send(): void {
    while (this.#sending && this.#sent < this.#due) {
      const socket = this.#idle.pop();
      if (socket === undefined) return;
      this.#sent += 1;
      socket.emit('till-send');
    }
  }

  #value(): string {
    const { values } = this.#job;
    return values?.[this.#sent % values.length] ?? randomUUID();
  }

  #open(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: this.#job.port, noDelay: true });
      this.#sockets.add(socket);
      let sentAt: number | null = null;
      let pending: Buffer | null = null;
      socket.on('connect', () => {
        this.#idle.push(socket);
        resolve();
      });
      socket.on('till-send', () => {
        sentAt = performance.now();
        socket.write(this.#job.request.join(this.#value()), 'latin1');
      });
      socket.on('data', (chunk) => {
        // The server sends 408 on an idle connection before it closes it.
        if (sentAt === null) return;
        const data: Buffer = pending === null ? chunk : Buffer.concat([pending, chunk]);
        const isWhole = this.#read(data, sentAt);
        pending = isWhole ? null : data;
        if (!isWhole) return;
        sentAt = null;
        this.#idle.push(socket);
        this.#send();
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        const place = this.#idle.indexOf(socket);
        if (place !== -1) this.#idle.splice(place, 1);
        if (sentAt !== null) this.#broken += 1;
        resolve();
        if (this.#sending) void this.#open();
      });
    });
  }

  /** @returns whether the response is complete */
  #read(data: Buffer, sentAt: number): boolean {
    const end = data.indexOf(headEnd);
    if (end === -1) return false;
    const head = data.toString('latin1', 0, end).toLowerCase();
    const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1]);
    if (data.length < end + headEnd.length + length) return false;
    const status = head.slice(9, 12);
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    this.#answered += 1;
    if (status === '503' && !head.includes('\r\nretry-after: ')) this.#withoutRetryAfter += 1;
    this.#latencies[status === '503' ? 'refused' : 'admitted'].push(performance.now() - sentAt);
    return true;
  }
}

process.on('message', (job: OverloadJob) => {
  void new Load(job).run().then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit());
// Ctrl-C reaches parent and child. Only the parent decides when this process ends.
process.on('SIGINT', () => {});
