import type { SandboxDatabase, SandboxDependencies, SimulatedProcessor } from '../lib/dependencies.ts';
import { columnsOf } from '../lib/json.ts';
import type { WireRequest } from '../lib/wire.ts';
import { inLanes } from './lanes.ts';
import { subjectOf } from './notification-subject.ts';

/** A deliberate flaw of a delivery, to test how the merchant's side handles it. */
export type DeliveryFlaw = 'bad_signature' | 'twice';

/** A notification that a simulator will send to the merchant's side. */
export interface PlannedNotification {
  readonly processor: SimulatedProcessor;
  readonly merchantAccount: string;
  /** The upstream's id of the notification, the same in every attempt. */
  readonly id: string;
  /** The earliest time at which it is sent, in the merchant account's own time. */
  readonly dueAt: Date;
  /** The upstream's body before signing. */
  readonly body: unknown;
  readonly flaw?: DeliveryFlaw | undefined;
}

/**
 * Signs a planned notification and builds the request that the upstream would send. Returns null if the
 * notification is no longer true.
 */
export type NotificationSigner = (
  planned: PlannedNotification,
  to: { readonly url: string; readonly now: Date },
) => Promise<WireRequest | null> | WireRequest | null;

const maxTaken = 50;
/** Small, because the receiver may be the same process: its payments have priority. */
const maxSending = 8;
const accountsAtOnce = 4;
/**
 * A rejected notification is sent again after 2 seconds, five times. Then the interval doubles each time,
 * up to 10 minutes.
 */
const retryAfterMs = 2_000;
const doublesFrom = 5;
const maxRetryMs = 600_000;
/** If the sender crashes, its notifications are sent again after this time. */
const leaseMs = 30_000;

/** Stores notifications until they are due, also across restarts. Ignores ids that are already stored. */
export async function planNotifications(
  database: SandboxDatabase,
  notifications: readonly PlannedNotification[],
): Promise<void> {
  if (notifications.length === 0) return;
  const rows = notifications.map(({ processor, merchantAccount, id, dueAt, body, flaw }) => ({
    processor,
    merchant_account: merchantAccount,
    id,
    due_at: dueAt,
    body: JSON.stringify(body),
    flaw: flaw ?? null,
  }));
  await database.query(
    `insert into sandbox.notifications (processor, merchant_account, id, due_at, body, flaw)
     select processor, merchant_account, id, due_at, body, flaw
     from json_to_recordset($1::json) as r (processor text, merchant_account text, id text, due_at timestamptz,
       body text, flaw text)
     on conflict do nothing`,
    [JSON.stringify(rows)],
  );
}

export interface NotificationSender {
  /**
   * Sends notifications that are due until none is left. Those about one payment go out oldest first.
   * Rejected ones are retried a little later. Merchant accounts are served round robin. Within one process
   * only one batch of an account is in flight at a time, whichever call sends it.
   * @param merchantAccount restricts the call to one account
   * @returns how many notifications were accepted
   */
  sendDue(merchantAccount?: string): Promise<number>;
  /** Whether any notification is due within `ms` milliseconds, measured in its account's time. */
  isDueWithin(ms: number): Promise<boolean>;
}

/**
 * @param signers signers of the processors whose notifications are sent; those of other processors stay in
 *   the outbox
 */
export function createNotificationSender(
  deps: SandboxDependencies,
  signers: Readonly<Partial<Record<SimulatedProcessor, NotificationSigner>>>,
): NotificationSender {
  const { database } = deps;
  const processors = Object.keys(signers);
  const serialized = serializerOf(database);
  /**
   * Sends one batch of an account's due notifications.
   * @returns how many were accepted
   */
  const sendSome = async (account: string, now: Date): Promise<number> => {
    const due = await takeDue(database, processors, account, now);
    const done: PlannedNotification[] = [];
    const refused: PlannedNotification[] = [];
    await inLanes(due, maxSending, subjectOf, async (planned) => {
      const isOver = await sendOne(deps, signers, planned, now).catch(() => false);
      (isOver ? done : refused).push(planned);
    });
    await markSent(database, account, done);
    await tryAgain(database, account, refused, now);
    return done.length;
  };
  const sendAll = async (account: string): Promise<number> => {
    const now = await deps.now(account);
    let accepted = 0;
    for (;;) {
      // Each batch is serialized by itself, so that a concurrent call for all accounts need not wait for
      // this account's whole backlog.
      const count = await serialized(account, () => sendSome(account, now));
      accepted += count;
      // If all are rejected, the receiver is probably down: the rest stays due for the next call.
      if (count === 0) return accepted;
    }
  };
  /**
   * Returns the accounts that have a notification due within `aheadMs`. Reads the accounts' times
   * concurrently.
   */
  const accountsDue = async (aheadMs: number): Promise<string[]> => {
    const waiting = await accountsWaiting(database, processors);
    const times = await Promise.all(waiting.map(async ({ account }) => deps.now(account)));
    const isDue = ({ nextDue }: Waiting, n: number) =>
      nextDue.getTime() <= (times[n]?.getTime() ?? 0) + aheadMs;
    return waiting.filter(isDue).map(({ account }) => account);
  };

  return {
    async sendDue(merchantAccount) {
      if (merchantAccount !== undefined) return sendAll(merchantAccount);
      let accepted = 0;
      // Each round sends one batch per account and then looks again. A long backlog thus delays no other
      // account, not even a new one.
      for (let before = -1; accepted > before; ) {
        before = accepted;
        const due = await accountsDue(0);
        const work = async () => {
          for (let account = due.shift(); account !== undefined; account = due.shift()) {
            const name = account;
            const count = await serialized(name, async () => sendSome(name, await deps.now(name)));
            accepted += count;
          }
        };
        await Promise.all(Array.from({ length: accountsAtOnce }, work));
      }
      return accepted;
    },
    isDueWithin: async (ms) => (await accountsDue(ms)).length > 0,
  };
}

type Serializer = <Out>(key: string, work: () => Promise<Out>) => Promise<Out>;

const serializers = new WeakMap<SandboxDatabase, Serializer>();

/**
 * Senders that use the same database share a serializer, so that each waits for the batches of the others.
 */
function serializerOf(database: SandboxDatabase): Serializer {
  const serializer = serializers.get(database) ?? createSerializer();
  serializers.set(database, serializer);
  return serializer;
}

/** Runs the calls with one key one after the other, whether they succeed or fail. */
function createSerializer(): Serializer {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    const end = () => {
      if (last.get(key) === mine) last.delete(key);
    };
    last.set(key, mine);
    void mine.then(end, end);
    return mine;
  };
}

/** @returns whether this notification needs no further attempt */
async function sendOne(
  { notifications }: SandboxDependencies,
  signers: Readonly<Partial<Record<SimulatedProcessor, NotificationSigner>>>,
  planned: PlannedNotification,
  now: Date,
): Promise<boolean> {
  const sign = signers[planned.processor];
  if (notifications === undefined || sign === undefined) return false;
  const url = notifications.url(planned.processor, planned.merchantAccount);
  const request = await sign(planned, { url, now });
  if (request === null) return true;
  const { status } = await notifications.send(request);
  if (planned.flaw === 'twice') await notifications.send(request);
  // A forged notification is rejected for good. An upstream whose signature is not accepted gives up as
  // well.
  return (status >= 200 && status < 300) || planned.flaw === 'bad_signature';
}

interface Waiting {
  readonly account: string;
  readonly nextDue: Date;
}

async function accountsWaiting(database: SandboxDatabase, processors: readonly string[]): Promise<Waiting[]> {
  const { rows } = await database.query(
    `select merchant_account, min(due_at) as next_due from sandbox.notifications
     where not sent and processor = any($1) group by merchant_account order by next_due`,
    [processors],
  );
  return rows
    .map(columnsOf)
    .map((row) => ({ account: String(row.merchant_account), nextDue: row.next_due as Date }));
}

/**
 * Leases due notifications by postponing their due time, so that two processes do not send the same one at
 * once.
 */
async function takeDue(
  database: SandboxDatabase,
  processors: readonly string[],
  merchantAccount: string,
  now: Date,
): Promise<PlannedNotification[]> {
  const { rows } = await database.query(
    `with due as (
       select processor, merchant_account, id, due_at as planned_at from sandbox.notifications
       where merchant_account = $1 and not sent and due_at <= $2 and processor = any($5)
       order by due_at, id limit $3 for update skip locked)
     update sandbox.notifications n set due_at = $4
     from due where n.processor = due.processor and n.merchant_account = due.merchant_account and n.id = due.id
     returning n.processor, n.id, due.planned_at, n.body, n.flaw`,
    [merchantAccount, now, maxTaken, new Date(now.getTime() + leaseMs), processors],
  );
  return rows
    .map(columnsOf)
    .map((row) => ({
      processor: row.processor as SimulatedProcessor,
      merchantAccount,
      id: String(row.id),
      dueAt: row.planned_at as Date,
      body: JSON.parse(String(row.body)) as unknown,
      flaw: (row.flaw ?? undefined) as DeliveryFlaw | undefined,
    }))
    .toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime() || (one.id < other.id ? -1 : 1));
}

/**
 * Marks notifications as sent without waiting for the disk. After a crash they are sent again, as real
 * upstreams may do.
 */
async function markSent(
  database: SandboxDatabase,
  merchantAccount: string,
  sent: readonly PlannedNotification[],
): Promise<void> {
  if (sent.length === 0) return;
  await database.query(
    `with async_commit as (select set_config('synchronous_commit', 'off', true))
     update sandbox.notifications n set sent = true
     from async_commit, unnest($2::text[], $3::text[]) as s (processor, id)
     where n.merchant_account = $1 and n.processor = s.processor and n.id = s.id`,
    [merchantAccount, sent.map(({ processor }) => processor), sent.map(({ id }) => id)],
  );
}

async function tryAgain(
  database: SandboxDatabase,
  merchantAccount: string,
  refused: readonly PlannedNotification[],
  now: Date,
): Promise<void> {
  if (refused.length === 0) return;
  await database.query(
    `update sandbox.notifications n set refusals = n.refusals + 1,
       due_at = $4::timestamptz + least($6, $5 * 2 ^ least(greatest(n.refusals - $7, 0), 20)) * interval '1 millisecond'
     from unnest($2::text[], $3::text[]) as s (processor, id)
     where n.merchant_account = $1 and n.processor = s.processor and n.id = s.id`,
    [
      merchantAccount,
      refused.map(({ processor }) => processor),
      refused.map(({ id }) => id),
      now,
      retryAfterMs,
      maxRetryMs,
      doublesFrom - 1,
    ],
  );
}
