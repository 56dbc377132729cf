import { randomBytes } from 'node:crypto';
import type { Provider } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { insertAccount, listAccounts } from '../accounts/store.ts';
import { newId } from '../lib/ids.ts';
import type { NotificationEffect, NotificationRequest } from '../processors/port/notifications.ts';
import type { ProcessorConnection, ProcessorPort } from '../processors/port/port.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createMigratedDatabase } from '../store/migrations/test-migrated.ts';
import { checkMasterKey, deriveMasterKeys } from '../vault/master-keys.ts';
import { remembered, tenantIn } from '../vault/test-database.ts';
import { Vault } from '../vault/vault.ts';
import { applyNotifications } from './apply-notifications.ts';
import type { IntakeResult, NotificationLabel } from './dependencies.ts';
import { receiveNotification } from './receive-notification.ts';
import { NotificationStore } from './store.ts';

export const start = new Date('2026-11-20T12:00:00Z');
export const leaseMs = 100_000;
const masterKeys = deriveMasterKeys(Buffer.alloc(32, 7), null);

/** Creates a separate database for one test file, with the whole schema. */
export async function createTestDatabase(): Promise<{ db: Database; drop: () => Promise<void> }> {
  const { url, drop } = await createMigratedDatabase('notifications');
  const db = openDatabase({
    url,
    connections: 8,
    // Many queries wait for a connection at once, and the machine may be slow.
    acquireMs: 60_000,
    applicationName: 'test',
    onError: () => {},
  });
  await checkMasterKey(db, masterKeys, start);
  return {
    db,
    async drop() {
      await db.close();
      await drop();
    },
  };
}

/** The vault of a process that has not opened one yet. */
export const vaultOf = (db: Database): Vault =>
  new Vault({
    db,
    clock: { now: () => start, elapsed: () => 0, delay: async () => {} },
    randomBytes,
    masterKeys,
  });

/** The ids under which notifications with these upstream ids are stored. */
export async function namesOf(db: Database, accountId: string, upstreamIds: readonly string[]) {
  const vault = vaultOf(db);
  return Promise.all(upstreamIds.map(async (id) => (await vault.name(accountId, id)).toString('hex')));
}

/** Opens an account. @returns its id */
export async function openAccount(db: Database, processor: Provider, clockOffsetMs = 0): Promise<string> {
  const account = await insertAccount(db, {
    account_id: newId('acct', start, randomBytes),
    name: 'Test shop',
    processor,
    environment: 'sandbox',
    activation: 'active',
    store_payment_method_default: true,
    time_zone: 'UTC',
    clock_offset_ms: clockOffsetMs,
    created_at: start,
    connection_status: 'connected',
    three_d_secure: 'off',
    card_fields: 'default',
  });
  return remembered(account);
}

/** A notification in the fake adapter's format. Without effects it has no meaning. */
export interface FakeNotification {
  readonly id: string;
  readonly type?: string;
  readonly effects?: readonly NotificationEffect[];
  /** The processor cannot say now what the notification means. */
  readonly unclear?: boolean;
}

/** A notification request that only the connection of this account and mode accepts; `unsure`: it cannot be verified now. */
export const delivery = (
  accountId: string,
  livemode: boolean,
  notifications: readonly FakeNotification[],
  signature = `${accountId} ${livemode}`,
): NotificationRequest => ({ headers: { signature }, body: Buffer.from(JSON.stringify(notifications)) });

const fakePort = {
  notificationReceipt: '[taken]',
  async receiveNotification({ accountId, livemode }: ProcessorConnection, request: NotificationRequest) {
    const { signature } = request.headers;
    if (signature === 'unsure' && livemode) {
      return { kind: 'not_executed', answer: 'provider_unavailable', reason: 'no certificate' };
    }
    if (signature !== `${accountId} ${livemode}`) return { kind: 'refused', reason: 'wrong signature' };
    const items = JSON.parse(Buffer.from(request.body).toString()) as FakeNotification[];
    return {
      kind: 'accepted',
      notifications: items.map((item) => ({ id: item.id, type: item.type ?? 'TEST', body: item })),
    };
  },
  async interpretNotification(_connection: ProcessorConnection, body: unknown) {
    const { effects = [], unclear } = body as FakeNotification;
    return unclear === true
      ? { kind: 'not_executed', answer: 'provider_unavailable', reason: 'timeout' }
      : effects;
  },
} as Partial<ProcessorPort> as ProcessorPort;

/** One server process: its components on the database, a clock that tests move, and everything that it counted and logged. */
export function createProcess(db: Database, { live = true, owner = 0, identity = 'test:Shop' } = {}) {
  let now = start;
  const logged: { message: string; about: NotificationLabel; error?: unknown }[] = [];
  const counted: `${Provider} ${IntakeResult}`[] = [];
  let woken = 0;
  return {
    logged,
    counted,
    woken: () => woken,
    moveTo: (ms: number) => {
      now = new Date(start.getTime() + ms);
    },
    deps: {
      store: new NotificationStore(db),
      vault: vaultOf(db),
      clock: { now: () => now, elapsed: () => 0, delay: async () => {} },
      findAccount: async (id: string) =>
        (await listAccounts(db)).find((account) => account.account_id === id),
      identify: async (id: string) => (await listAccounts(db)).find((account) => account.account_id === id),
      connect: ({ accountId, livemode }: { accountId: string; livemode: boolean }) =>
        livemode && !live
          ? undefined
          : {
              port: fakePort,
              connection: {
                accountId,
                livemode,
                baseUrl: 'https://upstream.test',
                disputesUrl: 'https://upstream.test',
                credentials: {},
              },
              identity,
            },
      count: (processor: Provider, result: IntakeResult) => void counted.push(`${processor} ${result}`),
      onStored: () => {
        woken += 1;
      },
      onIncident: (message: string, about: NotificationLabel, error?: unknown) =>
        void logged.push({ message, about, ...(error === undefined ? {} : { error }) }),
      onFailure: (error: unknown) => {
        throw error;
      },
      lease: () => ({ owner, until: new Date(now.getTime() + leaseMs) }),
    },
  };
}

/** The notifications stored for an account in one mode, oldest first. */
export async function stored(db: Database, accountId: string, livemode = false) {
  const rows = await new NotificationStore(db).list(tenantIn(accountId, livemode), null, 1000);
  return rows.reverse();
}

/** Polls until the condition holds. @param what names the condition in the error */
export async function until(what: string, condition: () => Promise<boolean>): Promise<true> {
  for (let left = 5_000; left > 0; left -= 1) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`not in time: ${what}`);
}

export type Apply = (
  context: AccountContext,
  effect: NotificationEffect,
  sender: string | null,
) => Promise<'applied' | 'later'>;

/** A process that applies notifications, and a record of what it applied. */
export function createApplier(
  db: Database,
  apply: Apply = async () => 'applied',
  owner = 0,
  identity = 'test:Shop',
) {
  const base = createProcess(db, { owner, identity });
  const seen: { context: AccountContext; effect: NotificationEffect }[] = [];
  const deps = {
    ...base.deps,
    apply: (context: AccountContext, effect: NotificationEffect, sender: string | null) => {
      seen.push({ context, effect });
      return apply(context, effect, sender);
    },
  };
  return { ...base, deps, seen, run: () => applyNotifications(deps) };
}

/** Receives a notification request. */
export async function receive(
  db: Database,
  account: string,
  notifications: readonly FakeNotification[],
  options: { livemode?: boolean; at?: number; processor?: Provider } = {},
): Promise<void> {
  const { livemode = false, at = 0, processor = 'processor_a' } = options;
  const { deps, moveTo } = createProcess(db);
  moveTo(at);
  await receiveNotification(deps, processor, account, delivery(account, livemode, notifications));
}

/** An effect stating that a payment changed. */
export const changed = (paymentId: string): NotificationEffect => ({
  kind: 'payment_changed',
  paymentId,
  payment: {},
});
/** A notification stating that a payment changed. */
export const about = (paymentId: string): FakeNotification => ({
  id: paymentId,
  effects: [changed(paymentId)],
});
/** The ids of the payments that the effects concern. */
export const idsOf = (seen: readonly { effect: NotificationEffect }[]) =>
  seen.map(({ effect }) => ('paymentId' in effect ? effect.paymentId : null));
