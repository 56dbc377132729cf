import { randomBytes } from 'node:crypto';
import type { Provider } from '@till/contract';
import type { Ledger } from '@till/sandbox';
import { createAccount } from '../../packages/server/src/accounts/accounts.ts';
import { currentTenant } from '../../packages/server/src/accounts/store.ts';
import { createApiKey } from '../../packages/server/src/api-keys/api-keys.ts';
import type { Clock } from '../../packages/server/src/lib/clock.ts';
import { newId } from '../../packages/server/src/lib/ids.ts';
import { readRecordedPayments } from '../../packages/server/src/payments/reads.ts';
import { readRecordedRefunds } from '../../packages/server/src/refunds/reads.ts';
import type { Database } from '../../packages/server/src/store/database.ts';
import { insertMembership, insertUser } from '../../packages/server/src/users/people/users.ts';
import { csrfTokenOf, startSession } from '../../packages/server/src/users/sign-in/sessions.ts';
import type { MasterKeys } from '../../packages/server/src/vault/master-keys.ts';
import { Vault } from '../../packages/server/src/vault/vault.ts';
import { createEndpoint } from '../../packages/server/src/webhooks/endpoints/endpoints.ts';
import type { Client, Shop } from './client.ts';
import type { EventRecord, Evidence, RecordedDispute } from './counters.ts';
import { merchantsOf } from './merchants.ts';
import type { Upstream } from './upstream.ts';

/** The public URL of servers in this process. */
export const publicUrl = 'http://till.invalid';

/** Stores the events that the merchants' endpoints received, by account. */
export class Receiver {
  readonly #received = new Map<string, EventRecord[]>();

  /** @param path ends with the account's id */
  take(path: string, body: string): void {
    const accountId = path.split('/').at(-1) ?? '';
    const event = JSON.parse(body) as { id: string; type: string; data: { object: { id: string } } };
    const known = this.#received.get(accountId) ?? [];
    known.push({ id: event.id, type: event.type, object: event.data.object.id });
    this.#received.set(accountId, known);
  }

  of(accountId: string): readonly EventRecord[] {
    return this.#received.get(accountId) ?? [];
  }
}

export interface Place {
  /** The only database, or the home database. */
  readonly db: Database;
  /** The database of an account; undefined while the account is being moved to another one. */
  readonly databaseOf: (accountId: string) => Promise<Database | undefined>;
  readonly clock: Clock;
  readonly masterKeys: MasterKeys;
  readonly upstream: Upstream;
  readonly receiver: Receiver;
  /** The base URL of the merchants' endpoints. */
  readonly receiverUrl: string;
}

/** Opens a merchant account with an API key and a webhook endpoint. */
export async function openShop(place: Place, processor: Provider): Promise<Shop> {
  const deps = { db: place.db, clock: place.clock, randomBytes };
  const account = await createAccount(deps, { name: 'Crash shop', processor, environment: 'sandbox' });
  const accountId = account.account_id;
  const { secretKey } = await createApiKey(deps, accountId);
  const staff = await signIn(deps, accountId);
  const vault = new Vault({ ...deps, masterKeys: place.masterKeys });
  const options = { url: `${place.receiverUrl}/${accountId}`, additionalEvents: false };
  await createEndpoint({ ...deps, vault, wake: () => {} }, accountId, options);
  return { ...currentTenant(account), processor, secretKey, staff };
}

/** Creates a member of the account with all permissions, and signs them in. @returns the headers that their browser sends */
async function signIn(
  deps: Pick<Place, 'db' | 'clock'> & { randomBytes: typeof randomBytes },
  accountId: string,
) {
  const user = { id: newId('usr', deps.clock.now(), randomBytes), email: `${accountId}@shop.example` };
  const at = deps.clock.now();
  await insertUser(deps.db, { ...user, passwordHash: 'nobody signs in with it', at });
  await insertMembership(deps.db, { accountId, userId: user.id, role: 'owner', at });
  const { token } = await startSession(deps, user, { ip: '203.0.113.7', userAgent: 'crash test' });
  return {
    cookie: `till_session=${token}`,
    origin: publicUrl,
    host: new URL(publicUrl).host,
    'x-csrf-token': csrfTokenOf(token),
  };
}

const openSql = `select
  (select count(*) from operations where tenant = $2 and draft is not null) as payments,
  (select count(*) from operations where tenant = $2) as operations,
  (select count(*) from refunds where tenant = $2 and status = 'pending') as refunds,
  (select count(*) from processor_notifications where tenant = $2 and state = 'received') as notifications,
  (select count(*) from deliveries where account_id = $1 and state = 'pending') as deliveries,
  (select count(*) from deliveries where account_id = $1 and state = 'pending' and tries = 0) as unsent`;

/** The numbers of an account's records that are not in their final state. */
export interface Unfinished {
  readonly payments: number;
  readonly operations: number;
  readonly refunds: number;
  readonly notifications: number;
  readonly deliveries: number;
  /** Deliveries without an attempt. */
  readonly unsent: number;
  /** 1 while a processor still has notifications to send. */
  readonly update: number;
  /** 1 while the account is being moved from one database to another. */
  readonly move: number;
}

export const isFinished = ({ unsent: _unsent, ...left }: Unfinished): boolean =>
  Object.values(left).every((count) => count === 0);

const onItsWay: Unfinished = {
  payments: 0,
  operations: 0,
  refunds: 0,
  notifications: 0,
  deliveries: 0,
  unsent: 0,
  update: 0,
  move: 1,
};

export async function unfinishedOf({ databaseOf, upstream }: Place, shop: Shop): Promise<Unfinished> {
  const db = await databaseOf(shop.accountId);
  if (db === undefined) return onItsWay;
  const [row] = await db.query<Omit<Unfinished, 'update' | 'move'>>({
    name: 'crash_unfinished',
    text: openSql,
    values: [shop.accountId, shop.tenant],
    scope: 'everybody',
  });
  if (row === undefined) throw new Error('no counts');
  return { ...row, update: (await upstream.hasUpdates(shop.accountId)) ? 1 : 0, move: 0 };
}

const othersSql = `select id from customers where tenant = $1
  union all select id from payment_methods where tenant = $1`;

/** The account's disputes with their status at Till and at the processor. */
async function disputesOf(
  db: Database,
  upstream: Upstream,
  { tenant, accountId }: Shop,
): Promise<RecordedDispute[]> {
  const rows = await db.query<Omit<RecordedDispute, 'upstream'> & { upstream_id: string }>({
    text: 'select id, status, upstream_id from disputes where tenant = $1 order by seq',
    values: [tenant],
    scope: 'everybody',
  });
  const theirs = await upstream.disputesOf(accountId);
  return rows.map(({ upstream_id: id, ...row }) => ({ ...row, upstream: theirs.get(id) ?? 'nothing' }));
}

/** The processor's ledger of all the shop's merchant accounts together, so that a charge with each of two is noticed. */
async function ledgerOf(upstream: Upstream, shop: Shop): Promise<Ledger> {
  const ledgers = await Promise.all(merchantsOf(shop).map((merchant) => upstream.ledgerOf(merchant)));
  return {
    charges: ledgers.flatMap(({ charges }) => charges),
    refunds: ledgers.flatMap(({ refunds }) => refunds),
  };
}

async function declinedOf(upstream: Upstream, shop: Shop): Promise<ReadonlySet<string>> {
  const declined = await Promise.all(merchantsOf(shop).map((merchant) => upstream.declinedOf(merchant)));
  return new Set(declined.flatMap((references) => [...references]));
}

/** Collects all records of an account, on every side. */
export async function gather(place: Place, shop: Shop, clients: readonly Client[]): Promise<Evidence> {
  const { clock, upstream, receiver } = place;
  const db = await place.databaseOf(shop.accountId);
  if (db === undefined) throw new Error(`${shop.accountId} is on its way`);
  const more = await db.query<{ id: string; reference: string | null; failure_code: string | null }>({
    text: `select id, reference, failure_code from payments where tenant = $1
           union all select subject, draft ->> 'reference', null from operations where tenant = $1 and draft is not null`,
    values: [shop.tenant],
    scope: 'everybody',
  });
  const moreOf = new Map(more.map((row) => [row.id, row]));
  const payments = await readRecordedPayments(db, shop, clock.now());
  return {
    payments: payments.map((payment) => ({
      ...payment,
      reference: moreOf.get(payment.id)?.reference ?? null,
      failure_code: moreOf.get(payment.id)?.failure_code ?? null,
    })),
    refunds: await readRecordedRefunds(db, shop),
    disputes: await disputesOf(db, upstream, shop),
    others: await db.query<{ id: string }>({
      text: othersSql,
      values: [shop.tenant],
      scope: 'everybody',
    }),
    ledger: await ledgerOf(upstream, shop),
    declined: await declinedOf(upstream, shop),
    events: await db.query<EventRecord>({
      text: `select id, type, object_id as object from events
             where tenant = $1 order by seq`,
      values: [shop.tenant],
      scope: 'everybody',
    }),
    received: receiver.of(shop.accountId),
    exchanged: clients.flatMap((client) => [...client.exchanged.values()]),
  };
}
