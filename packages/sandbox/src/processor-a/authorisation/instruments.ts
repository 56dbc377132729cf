import type { Brand, TestCard } from '../../directives/cards.ts';
import type { SandboxDatabase, SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf } from '../../lib/json.ts';
import { randomReference } from '../../lib/random.ts';
import { type KeptCard, keptCard } from './card.ts';
import { derivedReference } from './derived-reference.ts';
import type { Saving } from './recurring.ts';

/** How a card's issuer behaves. Does not contain the card number. */
export type IssuedCard = Pick<TestCard, 'brand' | 'frictionless' | 'challenge'>;

/** A stored card, without its number. */
export interface StoredCard extends IssuedCard {
  /** Distinguishes it from rows of processor_b in the same table. */
  readonly processor: 'processor_a';
  readonly card: KeptCard;
  readonly brand: Brand;
  readonly holderName: string;
  readonly model: Saving['model'];
  readonly networkTxReference: string;
  /** Directives that affect later charges like those in the request of such a charge. */
  readonly directives: readonly string[];
}

export interface Instrument {
  readonly token: string;
  readonly shopper: string;
  readonly facts: StoredCard;
}

export interface Token {
  readonly id: string;
  /** Adyen Checkout API v71, additionalData `tokenization.store.operationType`. */
  readonly operation: 'created' | 'alreadyExisting';
}

function instrumentOf(row: unknown): Instrument {
  const { token, shopper, facts } = columnsOf(row);
  return { token: String(token), shopper: String(shopper), facts: facts as StoredCard };
}

const findSql = `
select token, shopper, facts from sandbox.instruments
where merchant_account = $1 and token = $2 and removed_at is null and facts->>'processor' = 'processor_a'`;

/** Finds the card of a token. Returns null if there is none or it was removed. */
export async function findInstrument(
  database: SandboxDatabase,
  merchantAccount: string,
  token: string,
): Promise<Instrument | null> {
  const { rows } = await database.query(findSql, [merchantAccount, token]);
  return rows.length === 0 ? null : instrumentOf(rows[0]);
}

const listSql = `
select token, shopper, facts from sandbox.instruments
where merchant_account = $1 and shopper = $2 and removed_at is null and facts->>'processor' = 'processor_a'
order by created_at, token`;

/** Lists the stored cards of a shopper, oldest first. */
export async function listInstruments(
  database: SandboxDatabase,
  merchantAccount: string,
  shopper: string,
): Promise<readonly Instrument[]> {
  const { rows } = await database.query(listSql, [merchantAccount, shopper]);
  return rows.map(instrumentOf);
}

const removeSql = `
update sandbox.instruments set removed_at = $4
where merchant_account = $1 and token = $2 and shopper = $3 and removed_at is null
  and facts->>'processor' = 'processor_a'
returning token`;

/**
 * Removes a shopper's stored card.
 * @returns false if there is no such card or it was already removed
 */
export async function removeInstrument(
  database: SandboxDatabase,
  merchantAccount: string,
  named: { readonly token: string; readonly shopper: string },
  now: Date,
): Promise<boolean> {
  const { token, shopper } = named;
  const { rows } = await database.query(removeSql, [merchantAccount, token, shopper, now]);
  return rows.length === 1;
}

const sameCardSql = `
select token, removed_at from sandbox.instruments
where merchant_account = $1 and shopper = $2 and facts->>'processor' = 'processor_a' and facts->'card' = $3::jsonb
order by created_at, token`;

/**
 * Returns the token of a shopper's card, whether or not the card is stored already. Concurrent requests get
 * the same token. A card that was removed gets a new one.
 */
export async function tokenFor(
  { database }: Pick<SandboxDependencies, 'database'>,
  merchantAccount: string,
  shopper: string,
  card: KeptCard,
): Promise<Token> {
  const kept = keptCard(card);
  const { rows } = await database.query(sameCardSql, [merchantAccount, shopper, JSON.stringify(kept)]);
  const known = rows.map(columnsOf);
  const active = known.find((row) => row.removed_at === null);
  if (active !== undefined) return { id: String(active.token), operation: 'alreadyExisting' };
  const { bin, last4, expiryMonth, expiryYear } = kept;
  const id = derivedReference(merchantAccount, shopper, bin, last4, expiryMonth, expiryYear, known.length);
  return { id, operation: 'created' };
}

/** Generates a random token for a card whose token is notified only later. */
export function lateToken({ randomBytes }: Pick<SandboxDependencies, 'randomBytes'>): Token {
  return { id: randomReference(randomBytes(16)), operation: 'created' };
}
