import { randomBytes } from 'node:crypto';
import { namedSchemas, type PaymentCreate } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { composeMoney } from '../compose/money.ts';
import { CustomerStore } from '../customers/store.ts';
import { Serializers } from '../http/api/serialize.ts';
import { recordDigest } from '../idempotency/claims.ts';
import { Idempotency } from '../idempotency/idempotency.ts';
import { IdempotencyStore } from '../idempotency/store.ts';
import { deriveKeys } from '../lib/keys.ts';
import { createMetrics } from '../lib/metrics.ts';
import { suspendNothing } from '../lib/waiting/suspend.ts';
import { openAccount, until } from '../processor-notifications/test-kit.ts';
import type { ProcessorConnection, ProcessorPort, SettledOutcome } from '../processors/port/port.ts';
import { capabilitiesOf } from '../processors/registry.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { instanceLockClass } from '../store/instance.ts';
import { checkMasterKey, deriveMasterKeys } from '../vault/master-keys.ts';
import { createTestDatabase, TestClock, tenantIn } from '../vault/test-database.ts';
import { Vault } from '../vault/vault.ts';
import type { ClientInfo } from './kept-request.ts';
import { createPayment } from './operations/create-payment.ts';
import type { PaymentRow } from './payment.ts';

const livingOwner = 1;
const processorTimeoutMs = 30_000;

type Answers = Partial<
  Pick<
    ProcessorPort,
    'charge' | 'confirm' | 'capture' | 'void' | 'cancel' | 'lookUp' | 'refund' | 'removeInstrument'
  >
>;

/** A processor with the answers that a test sets. Any other request to it fails. */
export class FakeProcessor {
  answers: Answers = {};
  /** The merchant account that the connection names. */
  identity = 'test:Shop';

  port(name: ProcessorPort['name']): ProcessorPort {
    const asked =
      <Name extends keyof Answers>(operation: Name) =>
      (...call: Parameters<ProcessorPort[Name]>) => {
        const answer = this.answers[operation] as ((...args: typeof call) => unknown) | undefined;
        if (answer === undefined) throw new Error(`${operation} was not expected`);
        return answer(...call);
      };
    const port = {
      name,
      capabilities: { ...capabilitiesOf(name), chargeKeyMs: 5 * 3_600_000 },
      retryAfterSeconds: () => null,
      supportsAmount: () => true,
      canSave: () => true,
      unsentFields: () => [],
      charge: asked('charge'),
      confirm: asked('confirm'),
      capture: asked('capture'),
      void: asked('void'),
      cancel: asked('cancel'),
      lookUp: asked('lookUp'),
      refund: asked('refund'),
      removeInstrument: asked('removeInstrument'),
    };
    return port as unknown as ProcessorPort;
  }
}

/** The outcome of a request to which no definite answer came. */
export const noAnswer = { kind: 'unknown', answer: 'provider_unavailable', reason: 'test' } as const;

/** A successful charge. @param psp the upstream's reference */
export const chargedAs = (psp: string): SettledOutcome => ({ kind: 'succeeded', facts: idsOnly({ psp }) });

export const cardPayment: PaymentCreate = {
  amount: 4990,
  currency: 'EUR',
  payment_method: {
    type: 'card',
    number: '4111111111111111',
    exp_month: 3,
    exp_year: 2032,
    cvc: '737',
    holder_name: 'Jane Smith',
  },
};

/** A payment with the buyer's wallet (processor_b). */
export const walletPayment: PaymentCreate = {
  amount: 4990,
  currency: 'EUR',
  payment_method: { type: 'processor_b' },
  success_url: 'https://shop.example/paid',
  failure_url: 'https://shop.example/failed',
};

/** Payments and refunds with a real database, a clock that stands still and a fake processor. */
export async function createMoneyKit() {
  const database = await createTestDatabase();
  const { db } = database;
  // The lock shows that this process lives, so its leases hold.
  const alive = await db.session();
  await alive.query({
    text: 'select pg_advisory_lock($1::int, $2::int)',
    values: [instanceLockClass, livingOwner],
  });
  const clock = new TestClock();
  const masterKeys = deriveMasterKeys(randomBytes(32), null);
  await checkMasterKey(db, masterKeys, clock.now());
  const processor = new FakeProcessor();
  const incidents: string[] = [];
  const keys = deriveKeys(randomBytes(32));
  const idempotencyStore = new IdempotencyStore(db);
  const instance = { number: livingOwner, release: () => {} };
  const server = {
    config: { processorTimeoutMs },
    db,
    clock,
    keys,
    masterKeys,
    instance,
    metrics: createMetrics('test', () => 0),
    log: { error: (message: string) => void incidents.push(message) },
  };
  const money = composeMoney(server as unknown as Parameters<typeof composeMoney>[0], {
    customers: { store: new CustomerStore(db), clock, randomBytes, write: JSON.stringify },
    vault: new Vault({ db, clock, randomBytes, masterKeys }),
    connect: ({ accountId, livemode, processor: name }) => ({
      port: processor.port(name),
      connection: { accountId, livemode } as ProcessorConnection,
      identity: processor.identity,
    }),
    idempotencyStore,
    serializers: new Serializers(namedSchemas),
    randomBytes,
    publicAddress: () => 'https://till.example',
    mail: { db, clock, randomBytes, sends: true },
    webhooks: { wake: () => {}, fanOutOf: () => 0 },
  });
  const idempotency = new Idempotency({
    store: idempotencyStore,
    clock,
    keys,
    randomBytes,
    instance,
    leaseMs: 195_000,
  });
  return {
    db,
    clock,
    processor,
    incidents,
    idempotency,
    idempotencyStore,
    ...money,
    openAccount: (name: ProcessorPort['name']) => openAccount(db, name),
    async drop() {
      alive.release();
      await database.drop();
    },
  };
}

export type MoneyKit = Awaited<ReturnType<typeof createMoneyKit>>;

/** A merchant with one account. It sends requests with idempotency keys, like a client of the API. */
export class Shop {
  readonly #kit: MoneyKit;
  readonly #account: Omit<AccountContext, 'now'>;

  constructor(kit: MoneyKit, accountId: string, processor: ProcessorPort['name']) {
    this.#kit = kit;
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

  static async open(kit: MoneyKit, processor: ProcessorPort['name'] = 'processor_a'): Promise<Shop> {
    return new Shop(kit, await kit.openAccount(processor), processor);
  }

  context(changes: Partial<AccountContext> = {}): AccountContext {
    return { ...this.#account, now: this.#kit.clock.now(), ...changes };
  }

  /** Sends a create request. @returns the answer, or status and code of the error */
  async pay(
    key: string,
    changes: Partial<AccountContext> = {},
    request: PaymentCreate = cardPayment,
    client: ClientInfo = { ip: '192.0.2.1', userAgent: null, accept: null },
  ): Promise<{ status: number; text: string }> {
    const context = this.context(changes);
    const { idempotency, payments } = this.#kit;
    const found = await idempotency.find(context, { scope: 'POST /pay', key, body: request });
    if (found.kind === 'replay') return { status: found.status, text: found.body };
    const { claim } = found;
    const resumes = found.kind === 'resume' ? found.resourceId : null;
    try {
      const answer = await createPayment(payments, context, {
        request,
        client,
        claim,
        resumes,
      });
      if ('text' in answer) return answer;
      if (!('refusal' in answer)) throw new Error('no answer');
      await answer.keep(answer.refusal.code);
      return { status: answer.refusal.status, text: answer.refusal.code };
    } catch (error) {
      await idempotency.release(context, claim);
      return refusalOf(error);
    }
  }

  /** Reads the stored payment that the request with a key began. */
  async paymentOf(key: string): Promise<PaymentRow> {
    const [row] = await this.#kit.db.query<{ resource_id: string }>({
      text: `select resource_id from idempotency_keys where tenant in (select tenant from tenants where account_id = $1)
               and digest = $2`,
      values: [this.#account.accountId, recordDigest({ scope: 'POST /pay', key })],
      scope: { accountId: this.#account.accountId },
    });
    const payment = await this.#kit.payments.store.find(this.context(), row?.resource_id ?? '');
    if (payment === undefined) throw new Error(`nothing was begun with ${key}`);
    return payment;
  }

  async eventsOf(id: string): Promise<string[]> {
    const rows = await this.#kit.db.query<{ type: string }>({
      text: 'select type from events where tenant in (select tenant from tenants where account_id = $1) and object_id = $2 order by sequence',
      values: [this.#account.accountId, id],
      scope: { accountId: this.#account.accountId },
    });
    return rows.map(({ type }) => type);
  }
}

/** Status and code of the error, as a client sees them. */
function refusalOf(error: unknown): { status: number; text: string } {
  if (error instanceof Error && 'code' in error && 'status' in error) {
    return { status: Number(error.status), text: String(error.code) };
  }
  throw error;
}

/**
 * Starts several functions while a row is locked, each as soon as the one before waits for the lock. Then releases the lock, so
 * that they continue in that order.
 */
export async function whileLocked<T>(
  { db }: Pick<MoneyKit, 'db'>,
  { table, row }: { readonly table: string; readonly row: Pick<PaymentRow, 'tenant' | 'id'> },
  works: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const waiting = await db.session();
  const countWaiting = async () => {
    const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await waiting.query({ text })).length;
  };
  try {
    const started: Promise<T>[] = [];
    await db.transaction(async (tx) => {
      const text = `select from ${table} where tenant = $1 and id = $2 for update`;
      await tx.query({ text, values: [row.tenant, row.id], scope: row });
      for (const work of works) {
        started.push(work());
        await until('it waits for the row', async () => (await countWaiting()) === started.length);
      }
    });
    return await Promise.all(started);
  } finally {
    waiting.release();
  }
}
