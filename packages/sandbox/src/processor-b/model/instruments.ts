import type { SandboxDatabase } from '../../lib/dependencies.ts';
import { columnsOf, databaseJson } from '../../lib/json.ts';
import type { CardFacts } from './order.ts';

/**
 * The data needed to charge an instrument again: a card without number and security code, or a buyer's PayPal
 * account.
 */
export type InstrumentFacts = {
  readonly processor: 'processor_b';
  /** The directive of the payment that saved it, for later payments. */
  readonly directive: string | null;
} & ({ readonly card: CardFacts } | { readonly wallet: string });

export interface NewInstrument {
  readonly token: string;
  /** The merchant's own id of the customer. */
  readonly shopper: string;
  /** PayPal's id of the customer. */
  readonly customerId: string;
  readonly facts: InstrumentFacts;
}

export interface Instrument extends NewInstrument {
  readonly removed: boolean;
}

export type SavedWallet = Pick<Instrument, 'token' | 'customerId' | 'removed'>;

const columns = 'token, shopper, upstream_customer, facts, removed_at';
// An instrument that is notified later does not exist before that time. The other processor's instruments are
// in the same table.
const bounds = `merchant_account = $1 and facts ->> 'processor' = 'processor_b' and created_at <= $2`;

function instrumentOf(row: unknown): Instrument {
  const { token, shopper, upstream_customer, facts, removed_at } = columnsOf(row);
  return {
    token: String(token),
    shopper: String(shopper),
    customerId: String(upstream_customer),
    facts: columnsOf(facts) as unknown as InstrumentFacts,
    removed: removed_at !== null,
  };
}

/** Finds the instrument of a token, even after its removal. Returns null if the token is unknown. */
export async function findInstrument(
  database: SandboxDatabase,
  merchantAccount: string,
  token: string,
  now: Date,
): Promise<Instrument | null> {
  const { rows } = await database.query(
    `select ${columns} from sandbox.instruments where ${bounds} and token = $3`,
    [merchantAccount, now.toISOString(), token],
  );
  return rows.length === 0 ? null : instrumentOf(rows[0]);
}

/** Lists the instruments of a customer, oldest first. */
export async function listInstruments(
  database: SandboxDatabase,
  merchantAccount: string,
  customerId: string,
  now: Date,
): Promise<Instrument[]> {
  const { rows } = await database.query(
    `select ${columns} from sandbox.instruments
     where ${bounds} and upstream_customer = $3 and removed_at is null order by created_at, token`,
    [merchantAccount, now.toISOString(), customerId],
  );
  return rows.map(instrumentOf);
}

/** Lists every token of a PayPal account, including removed ones and those that are notified later. */
export async function walletsOf(
  database: SandboxDatabase,
  merchantAccount: string,
  wallet: string,
): Promise<SavedWallet[]> {
  const { rows } = await database.query(
    `select ${columns} from sandbox.instruments
     where merchant_account = $1 and facts ->> 'wallet' = $2 order by created_at, token`,
    [merchantAccount, wallet],
  );
  return rows.map(instrumentOf);
}

/** An event to be stored together with the change that it reports. */
export interface EventRow {
  readonly id: string;
  readonly due_at: Date;
  readonly body: string;
  readonly flaw: string | null;
}

/**
 * Stores an instrument and plans the events about it. Returns false if it was stored before, even if it was
 * removed since.
 */
export async function addInstrument(
  database: SandboxDatabase,
  merchantAccount: string,
  { token, shopper, customerId, facts }: NewInstrument,
  { now, events }: { readonly now: Date; readonly events: readonly EventRow[] },
): Promise<boolean> {
  const { rows } = await database.query(
    `with added as (
       insert into sandbox.instruments (merchant_account, token, shopper, upstream_customer, facts, created_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (merchant_account, token) do nothing returning merchant_account
     ), announced as (
       insert into sandbox.notifications (processor, merchant_account, id, due_at, body, flaw)
       select 'processor_b', added.merchant_account, event.id, event.due_at, event.body, event.flaw
       from added, json_to_recordset($7::json) as event (id text, due_at timestamptz, body text, flaw text)
       on conflict do nothing
     )
     select merchant_account from added`,
    [
      merchantAccount,
      token,
      shopper,
      customerId,
      databaseJson(facts),
      now.toISOString(),
      databaseJson(events),
    ],
  );
  return rows.length === 1;
}

/** Removes a token and plans the events about it. Returns false if there is no such token. */
export async function removeInstrument(
  database: SandboxDatabase,
  merchantAccount: string,
  {
    token,
    now,
    events,
  }: { readonly token: string; readonly now: Date; readonly events: readonly EventRow[] },
): Promise<boolean> {
  const { rows } = await database.query(
    `with removed as (
       update sandbox.instruments set removed_at = $2 where ${bounds} and token = $3 and removed_at is null
       returning merchant_account
     ), announced as (
       insert into sandbox.notifications (processor, merchant_account, id, due_at, body, flaw)
       select 'processor_b', removed.merchant_account, event.id, event.due_at, event.body, event.flaw
       from removed, json_to_recordset($4::json) as event (id text, due_at timestamptz, body text, flaw text)
       on conflict do nothing
     )
     select merchant_account from removed`,
    [merchantAccount, now.toISOString(), token, JSON.stringify(events)],
  );
  return rows.length === 1;
}
