import type { Provider } from '@till/contract';
import type { Transport, WireRequest } from '../../packages/server/src/processors/wire/transport.ts';
import type { Database, Queryable } from '../../packages/server/src/store/database.ts';
import type { Statement } from '../../packages/server/src/store/scope.ts';
import type { WebhookTransport } from '../../packages/server/src/webhooks/delivery/transport.ts';
import { commitName } from './commit-name.ts';

/** A place that a server passes, e.g. `settle_payments after`, and at the how many-th passage from 1. */
export interface Failpoint {
  readonly name: string;
  readonly passage: number;
}

export const nameOfPoint = ({ name, passage }: Failpoint) => `${name} #${passage}`;

/** What a server does at a place: it ends like a killed process, or it stands still like a stopped one. */
export type Fate = 'ends' | 'stalls';

/** The server ended here. */
class Ended extends Error {}

/**
 * Counts what a server's statements and requests pass, and at one of these places ends the server: from then on nothing
 * that it has begun ever comes back to it, and nothing that it tries reaches anybody. Or stalls it: it does all that
 * later, as if nothing had happened.
 */
export class Failpoints {
  readonly #end: () => void;
  readonly #passed = new Map<string, number>();
  readonly #stall: () => void;
  #armed: Failpoint | undefined;
  #fate: Fate = 'ends';
  #isOver = false;
  /** Set while it stands still. */
  #goOn: Promise<void> | undefined;
  #wake: () => void = () => {};

  /**
   * @param end ends the server: releases what dies with its process, or kills the process itself
   * @param stall called when it stands still
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

  /** Begins to count anew. @param at where the server meets its fate; nowhere without it */
  begin(at?: Failpoint, fate: Fate = 'ends'): void {
    this.#passed.clear();
    this.#armed = at;
    this.#fate = fate;
  }

  /** A server that stands still goes on. */
  resume(): void {
    this.#goOn = undefined;
    this.#wake();
  }

  /** What was passed since, with how often. */
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

  toProcessor(processor: Provider, usual: Transport): Transport {
    return (request) =>
      this.#survive(() => this.#aroundExchange(`${processor} ${callOf(request)}`, () => usual(request)));
  }

  toReceivers(usual: WebhookTransport): WebhookTransport {
    return {
      send: (request) => this.#survive(() => this.#aroundExchange('webhook', () => usual.send(request))),
      close: () => usual.close(),
    };
  }

  /** A transaction of a server that has ended is rolled back, as its lost connection would be. */
  #inside(tx: Queryable): Queryable {
    return { query: (statement) => this.#around(nameOf(statement), () => tx.query(statement)) };
  }

  async #around<T>(name: string, work: () => Promise<T>): Promise<T> {
    await this.#pass(`${name} before`);
    const result = await work();
    await this.#pass(`${name} after`);
    return result;
  }

  /** `sent`: the request is on its way, and is carried out although nobody waits for the answer any more. */
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

/** Method and path without what differs from payment to payment. */
function callOf({ method, url }: WireRequest): string {
  const path = new URL(url).pathname;
  const deps = path.split('/').map((part) => (/^[A-Z0-9-]{10,}$/.test(part) ? ':id' : part));
  return `${method} ${deps.join('/')}`;
}
