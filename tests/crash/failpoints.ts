import type { Provider } from '@till/contract';
import type { Transport, WireRequest } from '../../packages/server/src/processors/wire/transport.ts';
import type { Database, Queryable } from '../../packages/server/src/store/database.ts';
import type { Statement } from '../../packages/server/src/store/scope.ts';
import type { WebhookTransport } from '../../packages/server/src/webhooks/delivery/transport.ts';
import { commitName } from './commit-name.ts';

/** A failpoint that a server passes, e.g. `settle_payments after`, and the number of the passage, from 1. */
export interface Failpoint {
  readonly name: string;
  readonly passage: number;
}

export const nameOfPoint = ({ name, passage }: Failpoint) => `${name} #${passage}`;

/** The effect of a failpoint: the server ends like a killed process, or stalls like a stopped one. */
export type Fate = 'ends' | 'stalls';

/** The server has ended at a failpoint. */
class Ended extends Error {}

/**
 * Counts the failpoints that a server's statements and requests pass, and ends or stalls the server at one of them. A server that
 * has ended gets no more results of what it has begun, and nothing that it tries has an effect. A stalled server does all that
 * later, as if nothing had happened.
 */
export class Failpoints {
  readonly #end: () => void;
  readonly #passed = new Map<string, number>();
  readonly #stall: () => void;
  #armed: Failpoint | undefined;
  #fate: Fate = 'ends';
  #isOver = false;
  /** Set while the server stalls. */
  #goOn: Promise<void> | undefined;
  #wake: () => void = () => {};

  /**
   * @param end ends the server: releases what would die with its process, or kills the process itself
   * @param stall called when the server stalls
   */
  constructor(end: () => void, stall: () => void = () => {}) {
    this.#end = end;
    this.#stall = stall;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isStalled(): boolean {
    return this.#goOn !== undefined;
  }

  /** Resets the counts. @param at the failpoint that ends or stalls the server; none if absent */
  begin(at?: Failpoint, fate: Fate = 'ends'): void {
    this.#passed.clear();
    this.#armed = at;
    this.#fate = fate;
  }

  /** Resumes a stalled server. */
  resume(): void {
    this.#goOn = undefined;
    this.#wake();
  }

  /** The failpoints passed since `begin`, with their counts. */
  passed(): ReadonlyMap<string, number> {
    return new Map(this.#passed);
  }

  /** Ends the server now. */
  endNow(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end();
  }

  database(db: Database): Database {
    return {
      ...db,
      query: (statement) => this.#survive(() => this.#around(nameOf(statement), () => db.query(statement))),
      transaction: (work) =>
        this.#survive(() =>
          this.#around('transaction', () =>
            db.transaction(async (tx) => {
              const result = await work(this.#inside(tx));
              await this.#pass('commit before');
              return result;
            }),
          ),
        ),
    };
  }

  wrapProcessorTransport(processor: Provider, usual: Transport): Transport {
    return (request) =>
      this.#survive(() => this.#aroundExchange(`${processor} ${callOf(request)}`, () => usual(request)));
  }

  wrapReceiverTransport(usual: WebhookTransport): WebhookTransport {
    return {
      send: (request) => this.#survive(() => this.#aroundExchange('webhook', () => usual.send(request))),
      close: () => usual.close(),
    };
  }

  /** Wraps a transaction. If the server has ended, it is rolled back, as PostgreSQL does when a connection is lost. */
  #inside(tx: Queryable): Queryable {
    return { query: (statement) => this.#around(nameOf(statement), () => tx.query(statement)) };
  }

  async #around<T>(name: string, work: () => Promise<T>): Promise<T> {
    await this.#pass(`${name} before`);
    const result = await work();
    await this.#pass(`${name} after`);
    return result;
  }

  /** At `sent` the request is in flight, and is executed although nobody waits for the response any more. */
  async #aroundExchange<T>(name: string, work: () => Promise<T>): Promise<T> {
    await this.#pass(`${name} before`);
    const exchange = work();
    exchange.catch(() => {});
    await nextImmediate();
    await this.#pass(`${name} sent`);
    const result = await exchange;
    await this.#pass(`${name} after`);
    return result;
  }

  async #pass(name: string): Promise<void> {
    if (this.#goOn !== undefined) await this.#goOn;
    if (this.#isOver) throw new Ended();
    const passage = (this.#passed.get(name) ?? 0) + 1;
    this.#passed.set(name, passage);
    if (this.#armed?.name !== name || this.#armed.passage !== passage) return;
    this.#armed = undefined;
    if (this.#fate === 'ends') {
      this.endNow();
      throw new Ended();
    }
    this.#goOn = new Promise((resolve) => {
      this.#wake = resolve;
    });
    this.#stall();
    await this.#goOn;
    if (this.#isOver) throw new Ended();
  }

  async #survive<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      if (!this.#isOver) return result;
    } catch (error) {
      if (!this.#isOver) throw error;
    }
    return new Promise<never>(() => {});
  }
}

const nextImmediate = () => new Promise<void>((resolve) => setImmediate(resolve));

const nameOf = ({ name, text }: Statement): string =>
  name === undefined ? text.trim().split(/\s+/).slice(0, 5).join(' ').toLowerCase() : commitName(name);

/** Method and path of a request, without the ids of payments. */
function callOf({ method, url }: WireRequest): string {
  const path = new URL(url).pathname;
  const deps = path.split('/').map((part) => (/^[A-Z0-9-]{10,}$/.test(part) ? ':id' : part));
  return `${method} ${deps.join('/')}`;
}
