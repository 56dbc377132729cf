import { randomBytes } from 'node:crypto';
import { ApiError, Dispute, namedSchemas, type Provider } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { recoveriesOf } from '../../compose/jobs.ts';
import { composeMoney } from '../../compose/money.ts';
import { CustomerStore } from '../../customers/store.ts';
import { createDisputes } from '../../disputes/feature.ts';
import { FileStore } from '../../files/store.ts';
import { answerOnce, type Answer as HttpAnswer } from '../../http/api/answer-once.ts';
import { Serializers } from '../../http/api/serialize.ts';
import { type Claim, recordDigest } from '../../idempotency/claims.ts';
import { Idempotency } from '../../idempotency/idempotency.ts';
import { IdempotencyStore } from '../../idempotency/store.ts';
import { deriveKeys } from '../../lib/keys.ts';
import { createMetrics } from '../../lib/metrics.ts';
import { suspendNothing } from '../../lib/waiting/suspend.ts';
import { applyEffect } from '../../processor-notifications/apply-effect.ts';
import { openAccount } from '../../processor-notifications/test-kit.ts';
import type { DisputeFacts } from '../../processors/port/disputes.ts';
import type { NotificationEffect } from '../../processors/port/notifications.ts';
import type { ProcessorConnection } from '../../processors/port/port.ts';
import type { Database } from '../../store/database.ts';
import { instanceLockClass } from '../../store/instance.ts';
import { checkMasterKey, deriveMasterKeys } from '../../vault/master-keys.ts';
import { createTestDatabase, TestClock, tenantIn } from '../../vault/test-database.ts';
import { Vault } from '../../vault/vault.ts';
import { operationRecovery } from '../recover.ts';
import { Ledger } from './test-ledger.ts';

/** No process holds the lock of the number `dying`, so its leases count as free, as after a crash. */
const numbers = { living: 1, dying: 2 } as const;

/** What a client sees of an answer. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

type Work = (
  context: AccountContext,
  idempotent: { readonly claim: Claim | null; readonly resumes: string | null },
) => Promise<HttpAnswer>;

/** A database with two processes, one that lives and one that dies while it asks the processor, which they share. */
export async function createWorld() {
  const database = await createTestDatabase();
  const { db } = database;
  const alive = await db.session();
  await alive.query({
    text: 'select pg_advisory_lock($1::int, $2::int)',
    values: [instanceLockClass, numbers.living],
  });
  const clock = new TestClock();
  const masterKeys = deriveMasterKeys(randomBytes(32), null);
  await checkMasterKey(db, masterKeys, clock.now());
  const current = { ledger: new Ledger(clock.now) };
  const shared = {
    config: { processorTimeoutMs: 30_000 },
    db,
    clock,
    masterKeys,
    keys: deriveKeys(randomBytes(32)),
    metrics: createMetrics('test', () => 0),
    log: { error: () => {} },
  };
  const compose = (number: number) => composeProcess(shared, current, number);
  return {
    db,
    clock,
    living: compose(numbers.living),
    dying: compose(numbers.dying),
    /** Opens a new account with a processor of its own. The operations of earlier accounts are deleted. */
    async open(processor: Provider): Promise<Shop> {
      await db.query({ text: 'delete from operations', scope: 'everybody' });
      current.ledger = new Ledger(clock.now);
      return new Shop(db, clock, current.ledger, await openAccount(db, processor), processor);
    },
    async drop() {
      alive.release();
      await database.drop();
    },
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;
export type Process = ReturnType<typeof composeProcess>;

/** The parts of a server process that operations need. */
function composeProcess(
  shared: { readonly db: Database; readonly clock: TestClock; readonly keys: ReturnType<typeof deriveKeys> },
  current: { readonly ledger: Ledger },
  number: number,
) {
  const { db, clock, keys } = shared;
  const instance = { number, release: () => {} };
  const server = { ...shared, instance } as unknown as Parameters<typeof composeMoney>[0];
  const idempotencyStore = new IdempotencyStore(db);
  const serializers = new Serializers(namedSchemas);
  const mail = { db, clock, randomBytes, sends: true };
  const money = composeMoney(server, {
    customers: { store: new CustomerStore(db), clock, randomBytes, write: JSON.stringify },
    vault: new Vault({ db, clock, randomBytes, masterKeys: server.masterKeys }),
    connect: ({ accountId, livemode, processor }) => ({
      port: current.ledger.port(processor),
      connection: { accountId, livemode } as ProcessorConnection,
      identity: 'test:Shop',
    }),
    idempotencyStore,
    serializers,
    randomBytes,
    publicAddress: () => 'https://till.example',
    mail,
    webhooks: { wake: () => {}, fanOutOf: () => 0 },
  });
  const disputes = createDisputes({
    log: server.log,
    instance,
    payments: money.payments,
    files: new FileStore(db),
    mail,
    write: serializers.for(Dispute),
  });
  const deps = { ...money, disputes };
  return {
    ...deps,
    lease: money.payments.lease,
    idempotency: new Idempotency({
      store: idempotencyStore,
      clock,
      keys,
      randomBytes,
      instance,
      leaseMs: 195_000,
    }),
    /** Runs recovery once. @returns how many operations it looked at */
    recover: () => operationRecovery(money.payments, recoveriesOf(deps)).run(),
    notify: (context: AccountContext, effect: NotificationEffect) => applyEffect(deps, context, effect, null),
  };
}

/** A merchant with one subject. Its requests take the same path as those of the merchant API. */
export class Shop {
  readonly ledger: Ledger;
  readonly clock: TestClock;
  /** Id of the payment, refund, dispute or method under test; empty before there is one. */
  subject = '';
  /** What the processor first reported about the dispute. */
  dispute: DisputeFacts | null = null;
  readonly #db: Database;
  readonly #account: Omit<AccountContext, 'now'>;

  constructor(db: Database, clock: TestClock, ledger: Ledger, accountId: string, processor: Provider) {
    this.#db = db;
    this.clock = clock;
    this.ledger = ledger;
    this.#account = {
      ...tenantIn(accountId),
      keyId: 'key_1',
      restriction: null,
      accountName: 'Shop',
      timeZone: 'UTC',
      processor,
      activation: 'active',
      storePaymentMethodDefault: false,
      connection: { connected: true, threeDSecure: 'off' },
      suspend: suspendNothing,
    };
  }

  context(): AccountContext {
    return { ...this.#account, now: this.clock.now() };
  }

  /** Sends a request with an idempotency key. */
  async send({ idempotency }: Process, key: string, work: Work): Promise<Reply> {
    const context = this.context();
    try {
      const answer = await answerOnce(
        idempotency,
        { caller: context, scope: 'POST /test', key, sent: {} },
        (found) =>
          work(context, {
            claim: found?.claim ?? null,
            resumes: found?.kind === 'resume' ? found.resourceId : null,
          }),
      );
      if ('replay' in answer) return { status: answer.replay.status, text: answer.replay.body };
      if ('text' in answer) return answer;
      throw new Error('no answer');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, text: error.code };
    }
  }

  /** Id of the resource that the request with a key began; empty: none. */
  async begunWith(key: string): Promise<string> {
    const rows = await this.#query<{ resource_id: string }>(
      'select resource_id from idempotency_keys where tenant = $1 and digest = $2',
      [recordDigest({ scope: 'POST /test', key })],
    );
    return rows[0]?.resource_id ?? '';
  }

  /** The kinds of the operations that are open. */
  async open(): Promise<string[]> {
    const rows = await this.#query<{ kind: string }>('select kind from operations where tenant = $1');
    return rows.map(({ kind }) => kind);
  }

  /** The types of the subject's events, and the kinds of the alerts that were raised. */
  async recorded(): Promise<{ events: string[]; alerts: string[] }> {
    const events = await this.#query<{ type: string }>(
      'select type from events where tenant = $1 and object_id = $2 order by sequence',
      [this.subject],
    );
    const alerts = await this.#query<{ kind: string }>('select kind from payment_alerts where tenant = $1');
    return { events: events.map(({ type }) => type), alerts: alerts.map(({ kind }) => kind) };
  }

  #query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#db.query<Row>({ text, values: [this.#account.tenant, ...values], scope: 'everybody' });
  }
}
