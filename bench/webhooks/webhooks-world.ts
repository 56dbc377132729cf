import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAccount } from '../../packages/server/src/accounts/accounts.ts';
import { currentTenant } from '../../packages/server/src/accounts/store.ts';
import { eventColumns, eventInput, insertEvents } from '../../packages/server/src/events/events.ts';
import { systemClock } from '../../packages/server/src/lib/clock.ts';
import { newId, pooled } from '../../packages/server/src/lib/ids.ts';
import { loadMasterKey } from '../../packages/server/src/lib/master-key.ts';
import { cte, int, keyColumns, rowsOfJson } from '../../packages/server/src/store/columns.ts';
import { type Database, openDatabase } from '../../packages/server/src/store/database.ts';
import type { Tenant } from '../../packages/server/src/store/tenant.ts';
import { deriveMasterKeys } from '../../packages/server/src/vault/master-keys.ts';
import { Vault } from '../../packages/server/src/vault/vault.ts';
import type { WebhookDependencies } from '../../packages/server/src/webhooks/dependencies.ts';
import { createEndpoint } from '../../packages/server/src/webhooks/endpoints/endpoints.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { type CpuShares, measureCpu, unknownCpu } from '../support/cpu.ts';
import type { Till } from '../support/till.ts';
import type { ReceiverAnswer, ReceiverQuestion } from './webhooks-receiver.ts';

const eventsPerStatement = 1000;
const limitMs = 300_000;
const bytes = pooled(randomBytes);

/** Controls the receivers' process. */
export class Receivers {
  readonly #child: ChildProcess;
  readonly port: number;
  readonly deadPort: number;

  private constructor(child: ChildProcess, ports: { port: number; deadPort: number }) {
    this.#child = child;
    ({ port: this.port, deadPort: this.deadPort } = ports);
  }

  static async start(cleanup: Cleanup): Promise<Receivers> {
    const child = fork(fileURLToPath(new URL('webhooks-receiver.ts', import.meta.url)));
    cleanup.add(() => void child.kill('SIGKILL'));
    const [ports] = (await once(child, 'message')) as [{ port: number; deadPort: number }];
    return new Receivers(child, ports);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Forgets the received deliveries. */
  forget(): void {
    this.#child.send({ kind: 'forget' } satisfies ReceiverQuestion);
  }

  /** Forgets the received deliveries. Resolves once this many have arrived. */
  async expect(deliveries: number, onFirst: () => void = () => {}): Promise<{ first: number; last: number }> {
    const begun = this.#ask({ kind: 'expect', deliveries }, 'begun').then(onFirst);
    const [answer] = await Promise.all([this.#answer('complete'), begun]);
    return answer as Extract<ReceiverAnswer, { kind: 'complete' }>;
  }

  /** The arrival times of each payment's webhooks, in milliseconds since the epoch. */
  async arrivals(): Promise<readonly (readonly [payment: string, at: number])[]> {
    const answer = await this.#ask({ kind: 'arrivals' }, 'arrivals');
    return (answer as Extract<ReceiverAnswer, { kind: 'arrivals' }>).arrivals;
  }

  #ask(question: ReceiverQuestion, kind: ReceiverAnswer['kind']): Promise<ReceiverAnswer> {
    const answer = this.#answer(kind);
    this.#child.send(question);
    return answer;
  }

  #answer(kind: ReceiverAnswer['kind']): Promise<ReceiverAnswer> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(new Error(`no ${kind} within ${limitMs / 1000} s`)), limitMs);
      const end = (outcome: Error | ReceiverAnswer) => {
        clearTimeout(timer);
        child.off('message', onMessage);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const onMessage = (answer: ReceiverAnswer) => {
        if (answer.kind === kind) end(answer);
      };
      child.on('message', onMessage);
    });
  }
}

/** The server's database, with functions that write endpoints and events into it. */
export class World {
  readonly till: Till;
  readonly receivers: Receivers;
  readonly #deps: WebhookDependencies & { readonly db: Database };
  readonly #object: string;

  private constructor(till: Till, receivers: Receivers, deps: WebhookDependencies, object: string) {
    this.till = till;
    this.receivers = receivers;
    this.#deps = deps;
    this.#object = object;
  }

  /** @param object the JSON of a payment, which every event contains */
  static async open(till: Till, folder: string, object: string, cleanup: Cleanup): Promise<World> {
    const db = openDatabase({
      url: till.databaseUrl,
      connections: 4,
      applicationName: 'till bench',
      onError: () => {},
    });
    cleanup.add(() => db.close());
    const masterKeys = deriveMasterKeys(await loadMasterKey(null, join(folder, 'data')), null);
    const base = { db, clock: systemClock, randomBytes: bytes };
    const vault = new Vault({ ...base, masterKeys });
    const deps: WebhookDependencies = { ...base, vault, wake: () => {} };
    return new World(till, await Receivers.start(cleanup), deps, object);
  }

  /** Opens accounts with one endpoint each. @returns their tenants of test mode */
  async openAccounts(count: number): Promise<Tenant[]> {
    const accounts: Tenant[] = [];
    for (let index = 0; index < count; index += 1) {
      const options = { name: 'Bench', processor: 'processor_a', environment: 'sandbox' } as const;
      const account = currentTenant(await createAccount(this.#deps, options));
      await this.addEndpoint(account.accountId, this.receivers.port);
      accounts.push(account);
    }
    return accounts;
  }

  async addEndpoint(accountId: string, port: number): Promise<void> {
    const options = { url: `http://127.0.0.1:${port}/`, additionalEvents: false };
    await createEndpoint(this.#deps, accountId, options);
  }

  /** Writes events to the accounts round robin, while the endpoints are paused. */
  async fill(accounts: readonly Tenant[], events: number): Promise<void> {
    await this.#pauseAll('paused');
    for (let written = 0; written < events; written += eventsPerStatement) {
      const rows = Array.from({ length: Math.min(eventsPerStatement, events - written) }, (_none, n) =>
        this.#event(accounts[(written + n) % accounts.length] as Tenant, n),
      );
      await this.#deps.db.query({
        name: 'bench_events',
        text: fillSql,
        values: [JSON.stringify(rows)],
        scope: 'everybody',
      });
    }
    await this.#deps.db.query({
      text: 'analyze deliveries, events, webhook_endpoints',
      scope: 'everybody',
    });
  }

  #event({ tenant }: Tenant, n: number) {
    const now = systemClock.now();
    const id = newId('pay', now, bytes);
    const written = eventInput({
      id: newId('evt', now, bytes),
      type: 'payment.succeeded',
      sequence: 1,
      created: now,
      object: this.#object.replace(/pay_[a-z0-9]{24}/, id),
    });
    return { n, tenant, id, ...written };
  }

  async #pauseAll(status: 'paused' | 'active'): Promise<void> {
    await this.till.db.query(
      `update webhook_endpoints set status = $1, paused_reason = case when $1 = 'paused' then 'merchant' end`,
      [status],
    );
  }

  /** Resumes the endpoints, and measures the sending of all pending deliveries. */
  async drain(deliveries: number): Promise<{ perSecond: number; cpu: CpuShares; maxBytes: number }> {
    let endCpu = () => unknownCpu;
    // The first delivery is sent when a sweep finds the backlog, up to a second later.
    const complete = this.receivers.expect(deliveries, () => {
      endCpu = measureCpu({
        server: this.till.pid,
        postmaster: this.till.postmaster,
        generator: this.receivers.pid,
      });
    });
    let maxBytes = 0;
    const watch = setInterval(() => {
      maxBytes = Math.max(maxBytes, residentBytes(this.till.pid));
    }, 100);
    await this.#pauseAll('active');
    const { first, last } = await complete.finally(() => clearInterval(watch));
    return { perSecond: ((deliveries - 1) / (last - first)) * 1000, cpu: endCpu(), maxBytes };
  }

  /** The number of deliveries by state. */
  async states(): Promise<Record<string, number>> {
    const { rows } = await this.till.db.query<{ state: string; count: number }>(
      'select state, count(*)::int as count from deliveries group by 1',
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }
}

const fillInput = { n: int, ...keyColumns, ...eventColumns } as const;

const fillSql = `with input as (select * from ${rowsOfJson(fillInput)}),
  ${insertEvents(cte('input', fillInput))}
  select 1`;

/** The resident memory of a process. */
export function residentBytes(pid: number): number {
  const pages = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1];
  return Number(pages) * 4096;
}
