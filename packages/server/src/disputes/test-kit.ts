import { randomBytes } from 'node:crypto';
import { Dispute, namedSchemas } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { textOfEvent } from '../events/events.ts';
import { FileStore } from '../files/store.ts';
import { Serializers } from '../http/api/serialize.ts';
import type { Claim } from '../idempotency/claims.ts';
import { recordKey } from '../idempotency/idempotency.ts';
import { IdempotencyStore } from '../idempotency/store.ts';
import { newId } from '../lib/ids.ts';
import { OperationWaits } from '../lib/waiting/operation-waits.ts';
import { suspendNothing } from '../lib/waiting/suspend.ts';
import { OperationStore } from '../operations/store.ts';
import { PaymentStore } from '../payments/store.ts';
import type {
  AcceptDisputeRequest,
  DefendDisputeRequest,
  DisputeActionOutcome,
  DisputeFacts,
} from '../processors/port/disputes.ts';
import type { ProcessorConnection, ProcessorPort } from '../processors/port/port.ts';
import type { Database, Queryable } from '../store/database.ts';
import { instanceLockClass } from '../store/instance.ts';
import { createTestDatabase, TestClock, tenantIn } from '../vault/test-database.ts';
import type { DisputeDependencies } from './dependencies.ts';
import { keepEvidence } from './evidence.ts';
import { DisputeStore } from './store.ts';

type Asked =
  | { readonly kind: 'accept'; readonly request: AcceptDisputeRequest }
  | { readonly kind: 'defend'; readonly request: DefendDisputeRequest };

/** A processor that gives the answers prepared by the test and records its requests. */
export class FakeProcessor {
  readonly asked: Asked[] = [];
  /** Merchant account of the connection. */
  identity = 'test:Shop';
  /** The next answers in order; `done` if there are none. */
  answers: (() => DisputeActionOutcome | Promise<DisputeActionOutcome>)[] = [];

  readonly port = {
    acceptDispute: (_connection: ProcessorConnection, request: AcceptDisputeRequest) =>
      this.#answer({ kind: 'accept', request }),
    defendDispute: (_connection: ProcessorConnection, request: DefendDisputeRequest) =>
      this.#answer({ kind: 'defend', request }),
    retryAfterSeconds: () => null,
  } as unknown as ProcessorPort;

  async #answer(asked: Asked): Promise<DisputeActionOutcome> {
    this.asked.push(asked);
    return (await this.answers.shift()?.()) ?? { kind: 'done' };
  }
}

export const noAnswer = (kind: 'unknown' | 'not_executed'): DisputeActionOutcome => ({
  kind,
  answer: 'provider_unavailable',
  reason: 'test',
});

const livingOwner = 1;
let claims = 0;

/** Makes a claim of an idempotency key: an unused one by default. */
export function claimOn(key = `key-${++claims}`, scope = 'POST /test'): Claim {
  return {
    scope,
    key,
    fingerprint: '00',
    eventId: newId('evt', new Date(), randomBytes),
    owner: 1,
    leaseUntil: new Date('2030-01-01T00:00:00Z'),
  };
}

/** An upstream's facts about a chargeback, with changes. */
export function factsOf(paymentId: string | null, changes: Partial<DisputeFacts> = {}): DisputeFacts {
  return {
    upstreamId: `UP-${randomBytes(6).toString('hex')}`,
    paymentId,
    payment: {},
    amount: null,
    currency: null,
    state: 'chargeback',
    status: 'action_required',
    reason: 'fraudulent',
    networkReasonCode: '10.4',
    respondBy: new Date('2026-12-01T12:00:00Z'),
    raisedAt: new Date('2026-11-20T10:00:00Z'),
    arn: null,
    ...changes,
  };
}

/** The context of a request; `changes` may set another mode or processor. */
const contextAt =
  (clock: TestClock) =>
  (accountId: string, changes: Partial<AccountContext> = {}): AccountContext => ({
    ...tenantIn(accountId, changes.livemode),
    keyId: 'key_1',
    restriction: null,
    accountName: 'Shop',
    timeZone: 'UTC',
    now: clock.now(),
    processor: 'processor_b',
    activation: 'active',
    storePaymentMethodDefault: true,
    connection: { connected: true, threeDSecure: 'off' },
    suspend: suspendNothing,
    ...changes,
  });

/** Creates the dependencies of disputes on a new database. */
export async function createDisputeKit() {
  const database = await createTestDatabase();
  const { db } = database;
  // Marks this process as alive, so that its leases are valid.
  const alive = await db.session();
  await alive.query({
    text: 'select pg_advisory_lock($1::int, $2::int)',
    values: [instanceLockClass, livingOwner],
  });
  const clock = new TestClock();
  const processor = new FakeProcessor();
  const incidents: string[] = [];
  const idempotency = new IdempotencyStore(db);
  const deps: DisputeDependencies = {
    db,
    store: new DisputeStore(db),
    operations: new OperationStore({ db, clock }, livingOwner, keepEvidence),
    waits: new OperationWaits(clock),
    files: new FileStore(db),
    payments: new PaymentStore(db),
    mail: { db, clock, randomBytes, sends: true },
    clock,
    randomBytes,
    lease: () => ({ owner: livingOwner, until: new Date(clock.now().getTime() + 60_000) }),
    connect: ({ accountId, livemode }) => ({
      port: processor.port,
      connection: { accountId, livemode } as ProcessorConnection,
      identity: processor.identity,
    }),
    write: new Serializers(namedSchemas).for(Dispute),
    keepAnswer: (context, claim, answer) => idempotency.keepAnswer(recordKey(context, claim), claim, answer),
    isKeyTaken: async (context, claim) => (await idempotency.read(recordKey(context, claim))) !== undefined,
    onIncident: (_account, message) => incidents.push(message),
  };

  const context = contextAt(clock);

  return {
    db,
    clock,
    processor,
    incidents,
    deps,
    idempotency,
    context,
    async drop() {
      alive.release();
      await database.drop();
    },
    openAccount: () => database.openAccount(),
    pay: (where: AccountContext, upstream: object = {}) => insertPayment(db, where, upstream),
    addStaff: (accountId: string, email: string, role = 'owner') => insertStaff(db, accountId, email, role),
    events: (id: string) =>
      db.query<{ type: string; sequence: number; body: string }>({
        text: `select type, sequence, ${textOfEvent('e')} as body from events e where object_id = $1 order by sequence`,
        values: [id],
        scope: 'everybody',
      }),
    mails: (accountId: string) =>
      db.query<{ to_address: string; subject: string; text: string; state: string }>({
        text: 'select to_address, subject, text, state from mails where account_id = $1 order by id',
        values: [accountId],
        scope: { accountId },
      }),
  };
}

export type DisputeKit = Awaited<ReturnType<typeof createDisputeKit>>;

/** Inserts a succeeded card payment of 49.90 EUR. @returns its id */
async function insertPayment(db: Database, where: AccountContext, upstream: object): Promise<string> {
  const id = newId('pay', where.now, randomBytes);
  await db.query({
    text: `insert into payments (tenant, id, seq, status, version, event_count, amount, currency,
             capture_method, method_type, brand, last4, exp_month, exp_year, request, upstream, created_at)
           select $1, $2, coalesce(max(seq), 0) + 1, 'succeeded', 1, 1, 4990, 'EUR', 'automatic', 'card', 'visa',
             '1111', 3, 2032, '{}', $3, $4 from payments where tenant = $1`,
    values: [where.tenant, id, JSON.stringify(upstream), where.now],
    scope: where,
  });
  return id;
}

async function insertStaff(db: Database, accountId: string, email: string, role: string): Promise<void> {
  const id = newId('usr', new Date(0), randomBytes);
  const at = new Date('2026-11-20T00:00:00Z');
  await db.query({
    text: `with person as (
             insert into users (id, email, email_folded, password_hash, created_at) values ($1, $2, $1, '', $3))
           insert into memberships (account_id, user_id, role, created_at) values ($4, $1, $5, $3)`,
    values: [id, email, at, accountId, role],
    scope: 'everybody',
  });
}

/** How often recovery tried the open operation of a dispute. */
export async function triesOf({ db }: { readonly db: Queryable }, id: string): Promise<number | undefined> {
  const [row] = await db.query<{ tries: number }>({
    text: 'select tries from operations where subject = $1',
    values: [id],
    scope: 'everybody',
  });
  return row?.tries;
}
