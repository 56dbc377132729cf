import { randomBytes } from 'node:crypto';
import type { Provider } from '@till/contract';
import { createAccount } from '../../packages/server/src/accounts/accounts.ts';
import { createApiKey } from '../../packages/server/src/api-keys/api-keys.ts';
import type { Clock } from '../../packages/server/src/lib/clock.ts';
import { readRecordedPayments, readRecordedRefunds } from '../../packages/server/src/reconcile/store.ts';
import type { Database } from '../../packages/server/src/store/database.ts';
import type { MasterKeys } from '../../packages/server/src/vault/master-keys.ts';
import { Vault } from '../../packages/server/src/vault/vault.ts';
import { createEndpoint } from '../../packages/server/src/webhooks/endpoints.ts';
import type { Client, Shop } from './client.ts';
import type { EventRecord, Evidence } from './counters.ts';
import type { Upstream } from './upstream.ts';

/** What the merchants' endpoints got, by account. */
export class Receiver {
  readonly #received = new Map<string, EventRecord[]>();

  /** @param path ends in the account's id */
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
  readonly db: Database;
  readonly clock: Clock;
  readonly masterKeys: MasterKeys;
  readonly upstream: Upstream;
  readonly receiver: Receiver;
  /** Where the merchants' endpoints are. */
  readonly receiverUrl: string;
}

/** Opens a merchant account with a key and an endpoint. */
export async function openShop(place: Place, processor: Provider): Promise<Shop> {
  const parts = { db: place.db, clock: place.clock, randomBytes };
  const account = await createAccount(parts, { name: 'Crash shop', processor, environment: 'sandbox' });
  const accountId = account.account_id;
  const { secretKey } = await createApiKey(parts, accountId);
  const vault = new Vault({ ...parts, masterKeys: place.masterKeys });
  const wish = { url: `${place.receiverUrl}/${accountId}`, additionalEvents: false };
  await createEndpoint({ ...parts, vault, wake: () => {} }, accountId, wish);
  return { accountId, processor, secretKey };
}

const openSql = `select
  (select count(*) from payments where account_id = $1 and status = 'processing' and discarded_at is null) as payments,
  (select count(*) from operations where account_id = $1 and state <> 'settled') as operations,
  (select count(*) from refunds where account_id = $1 and (status = 'pending' or asked <> 'answered')) as refunds,
  (select count(*) from processor_notifications where account_id = $1 and state = 'received') as notifications,
  (select count(*) from deliveries where account_id = $1 and state = 'pending') as deliveries,
  (select count(*) from deliveries where account_id = $1 and state = 'pending' and tries = 0) as unsent`;

/** How many of an account's records still wait for something. */
export interface Unfinished {
  readonly payments: number;
  readonly operations: number;
  readonly refunds: number;
  readonly notifications: number;
  readonly deliveries: number;
  /** Those deliveries of which no attempt began. */
  readonly unsent: number;
  /** 1 while a processor still has something to tell. */
  readonly news: number;
}

export const isFinished = ({ unsent: _unsent, ...left }: Unfinished): boolean =>
  Object.values(left).every((count) => count === 0);

export async function unfinishedOf({ db, upstream }: Place, shop: Shop): Promise<Unfinished> {
  const [row] = await db.query<Omit<Unfinished, 'news'>>({
    name: 'crash_unfinished',
    text: openSql,
    values: [shop.accountId],
  });
  if (row === undefined) throw new Error('no counts');
  return { ...row, news: (await upstream.hasNews(shop.accountId)) ? 1 : 0 };
}

/** Everything about an account, on every side. */
export async function gather(place: Place, shop: Shop, clients: readonly Client[]): Promise<Evidence> {
  const { db, clock, upstream, receiver } = place;
  const tenant = { accountId: shop.accountId, livemode: false };
  const references = await db.query<{ id: string; reference: string | null }>({
    text: 'select id, reference from payments where account_id = $1 and livemode = false',
    values: [shop.accountId],
  });
  const referenceOf = new Map(references.map(({ id, reference }) => [id, reference]));
  const payments = await readRecordedPayments(db, tenant, clock.now());
  return {
    payments: payments.map((payment) => ({ ...payment, reference: referenceOf.get(payment.id) ?? null })),
    refunds: await readRecordedRefunds(db, tenant),
    ledger: await upstream.ledgerOf(shop.accountId),
    events: await db.query<EventRecord>({
      text: `select id, type, object_id as object from events
             where account_id = $1 and livemode = false order by seq`,
      values: [shop.accountId],
    }),
    received: receiver.of(shop.accountId),
    exchanged: clients.flatMap((client) => [...client.exchanged.values()]),
  };
}
