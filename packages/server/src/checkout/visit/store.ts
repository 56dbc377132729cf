import { joinConnection } from '../../accounts/sql.ts';
import type { CardFieldsMode } from '../../accounts/store.ts';
import { sha256 } from '../../lib/keys.ts';
import type { Lease } from '../../operations/operation.ts';
import { bool, bytes, listOf, nullable, type RowOf, tenantColumns, text } from '../../store/columns.ts';
import type { Database } from '../../store/database.ts';
import { ownerIsGone } from '../../store/instance.ts';
import type { Tenant } from '../../store/tenant.ts';

const maxRefusals = 5;
const maxAttempts = 20;
/** Limits how often the receipt of one payment can be mailed, so that nobody can flood an address with it. */
const maxReceipts = 3;

export const tokenColumns = {
  ...tenantColumns,
  payment_id: text,
  confirm_on_return: bool,
  /** Hash of the cookie of the browser that sent the first form. */
  browser_sha256: nullable(bytes),
  /** The language that the buyer chose on the page. */
  language: nullable(text),
  /** The bank's URL for the card that was typed last; null if no bank waits for the buyer. */
  bank_url: nullable(text),
} as const;

export interface CheckoutToken extends RowOf<typeof tokenColumns> {
  /** A card is being sent at this moment. */
  readonly busy: boolean;
  /** The connection's choice; null for the default of the mode. */
  readonly card_fields: CardFieldsMode | null;
}

type Key = Pick<CheckoutToken, 'tenant' | 'payment_id'>;

const keyOf = (token: Key) => [token.tenant, token.payment_id];
const busy = (now: string) => `(t.busy_until > ${now} and not ${ownerIsGone('t.busy_owner')})`;

/** All SQL on checkout tokens. */
export class CheckoutStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @param tenant the account and mode that the token contains @param now real time */
  async find(tenant: Tenant, token: string, now: Date): Promise<CheckoutToken | undefined> {
    const [row] = await this.#db.query<CheckoutToken>({
      name: 'find_checkout_token',
      text: `select ${listOf(tokenColumns, 't')}, ${busy('$3')} as busy, c.card_fields
             from checkout_tokens t join tenants n on n.tenant = t.tenant
             ${joinConnection('n')}
             where t.tenant = $1 and t.token_sha256 = $2`,
      values: [tenant.tenant, sha256(token), now],
      scope: tenant,
    });
    return row;
  }

  /**
   * Those of the payments whose buyer has sent nothing since a time, for which no card is being sent and no bank waits.
   * @param since account time
   * @param now real time
   */
  async idleOf(
    tenant: Tenant,
    payments: readonly string[],
    since: Date,
    now: Date,
  ): Promise<readonly string[]> {
    const rows = await this.#db.query<{ id: string }>({
      name: 'idle_checkouts',
      text: `select t.payment_id as id from checkout_tokens t
             where t.tenant = $1 and t.payment_id = any ($2) and coalesce(t.sent_at, t.created_at) <= $4
               and t.bank_url is null and not ${busy('$3')}`,
      values: [tenant.tenant, payments, now, since],
      scope: tenant,
    });
    return rows.map(({ id }) => id);
  }

  /** Records that the buyer sends something that may pay. @param at account time */
  async noteSent(token: Key, at: Date): Promise<void> {
    await this.#db.query({
      name: 'note_checkout_sent',
      text: `update checkout_tokens t set sent_at = $3 where t.tenant = $1 and t.payment_id = $2`,
      values: [...keyOf(token), at],
      scope: token,
    });
  }

  /**
   * Records that the buyer continues from our page, so that the payment is confirmed as soon as the browser returns.
   * @param at account time
   */
  async confirmOnReturn(token: Key, at: Date): Promise<void> {
    await this.#db.query({
      name: 'confirm_on_return',
      text: `update checkout_tokens t set confirm_on_return = true, sent_at = $3
             where t.tenant = $1 and t.payment_id = $2`,
      values: [...keyOf(token), at],
      scope: token,
    });
  }

  /** Records the bank's URL for the card that was just typed. */
  async sendToBank(token: Key, url: string): Promise<void> {
    await this.#db.query({
      name: 'send_checkout_to_bank',
      text: `update checkout_tokens t set confirm_on_return = true, bank_url = $3
             where t.tenant = $1 and t.payment_id = $2`,
      values: [...keyOf(token), url],
      scope: token,
    });
  }

  /** Records that the buyer left the bank without an answer, so that the page offers its form again. */
  async leaveBank(token: Key): Promise<void> {
    await this.#db.query({
      name: 'leave_bank',
      text: `update checkout_tokens t set bank_url = null
             where t.tenant = $1 and t.payment_id = $2 and t.bank_url is not null`,
      values: keyOf(token),
      scope: token,
    });
  }

  async chooseLanguage(token: Key, tag: string): Promise<void> {
    await this.#db.query({
      name: 'choose_checkout_language',
      text: `update checkout_tokens t set language = $3 where t.tenant = $1 and t.payment_id = $2`,
      values: [...keyOf(token), tag],
      scope: token,
    });
  }

  /** Binds the payment to the first browser that sends a form. @returns false if it is bound to another one */
  async bindBrowser(token: Key, browser: Buffer): Promise<boolean> {
    const rows = await this.#db.query({
      name: 'bind_checkout_browser',
      text: `update checkout_tokens t set browser_sha256 = $3
             where t.tenant = $1 and t.payment_id = $2 and coalesce(t.browser_sha256, $3) = $3 returning 1`,
      values: [...keyOf(token), browser],
      scope: token,
    });
    return rows.length > 0;
  }

  /**
   * Leases the page to one submitted card until `endLease`.
   * @param now real time
   * @returns the card's number on this page; `busy` while another card is sent; `spent` if too many were tried or refused
   */
  async takeLease(token: Key, lease: Lease, now: Date): Promise<number | 'busy' | 'spent'> {
    const [row] = await this.#db.query<{ attempts: number }>({
      name: 'take_checkout_lease',
      text: `update checkout_tokens t set attempts = attempts + 1, bank_url = null, busy_owner = $3, busy_until = $4
             where t.tenant = $1 and t.payment_id = $2 and refusals < $6 and attempts < $7 and not ${busy('$5')}
             returning attempts`,
      values: [...keyOf(token), lease.owner, lease.until, now, maxRefusals, maxAttempts],
      scope: token,
    });
    if (row !== undefined) return row.attempts;
    const [state] = await this.#db.query<{ busy: boolean }>({
      name: 'is_checkout_busy',
      text: `select ${busy('$3')} as busy from checkout_tokens t where t.tenant = $1 and t.payment_id = $2`,
      values: [...keyOf(token), now],
      scope: token,
    });
    return state?.busy === true ? 'busy' : 'spent';
  }

  async endLease(token: Key, lease: Lease): Promise<void> {
    await this.#db.query({
      name: 'end_checkout_lease',
      text: `update checkout_tokens t set busy_until = '-infinity'
             where t.tenant = $1 and t.payment_id = $2 and t.busy_owner = $3 and t.busy_until = $4`,
      values: [...keyOf(token), lease.owner, lease.until],
      scope: token,
    });
  }

  /** Counts a receipt that is about to be mailed. @returns false if the limit is reached */
  async countReceipt(token: Key): Promise<boolean> {
    const rows = await this.#db.query({
      name: 'count_checkout_receipt',
      text: `update checkout_tokens t set receipts = receipts + 1
             where t.tenant = $1 and t.payment_id = $2 and receipts < $3 returning 1`,
      values: [...keyOf(token), maxReceipts],
      scope: token,
    });
    return rows.length > 0;
  }

  async countRefusal(token: Key): Promise<void> {
    await this.#db.query({
      name: 'count_checkout_refusal',
      text: `update checkout_tokens t set refusals = refusals + 1 where t.tenant = $1 and t.payment_id = $2`,
      values: keyOf(token),
      scope: token,
    });
  }
}
