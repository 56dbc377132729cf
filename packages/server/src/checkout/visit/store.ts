import type { CardFieldsMode } from '../../accounts/store.ts';
import { sha256 } from '../../lib/keys.ts';
import type { Lease } from '../../operations/operation.ts';
import type { Database } from '../../store/database.ts';
import { ownerIsGone } from '../../store/instance.ts';
import { readToken } from './links.ts';

const mostRefusals = 5;
const mostAttempts = 20;

export interface CheckoutToken {
  readonly account_id: string;
  readonly livemode: boolean;
  readonly payment_id: string;
  readonly confirm_on_return: boolean;
  /** Hash of the cookie of the browser that sent the first form. */
  readonly browser_sha256: Buffer | null;
  /** Chosen on the page. */
  readonly language: string | null;
  /** Where the bank asks about the card that was typed last. */
  readonly bank_url: string | null;
  /** A card is being sent at this moment. */
  readonly busy: boolean;
  /** The connection's choice; null: as the mode asks for. */
  readonly card_fields: CardFieldsMode | null;
}

type Key = Pick<CheckoutToken, 'account_id' | 'livemode' | 'payment_id'>;

const keyOf = (token: Key) => [token.account_id, token.livemode, token.payment_id];
const busy = (now: string) => `(t.busy_until > ${now} and not ${ownerIsGone('t.busy_owner')})`;

/** All SQL on checkout tokens. */
export class CheckoutStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @param now real time */
  async find(token: string, now: Date): Promise<CheckoutToken | undefined> {
    const tenant = readToken(token);
    if (tenant === undefined) return undefined;
    const [row] = await this.#db.query<CheckoutToken>({
      name: 'find_checkout_token',
      text: `select t.account_id, t.livemode, t.payment_id, t.confirm_on_return, t.browser_sha256, t.language,
               t.bank_url, ${busy('$4')} as busy, c.card_fields
             from checkout_tokens t join connections c on c.account_id = t.account_id
             where t.account_id = $1 and t.livemode = $2 and t.token_sha256 = $3`,
      values: [tenant.accountId, tenant.livemode, sha256(token), now],
      scope: tenant,
    });
    return row;
  }

  /** The buyer goes on from our page: the payment is confirmed as soon as the browser comes back. */
  async confirmOnReturn(token: Key): Promise<void> {
    await this.#db.query({
      name: 'confirm_on_return',
      text: `update checkout_tokens t set confirm_on_return = true where t.account_id = $1 and t.livemode = $2 and t.payment_id = $3`,
      values: keyOf(token),
      scope: token,
    });
  }

  /** The bank asks about the card that was just typed, at that address. */
  async sendToBank(token: Key, url: string): Promise<void> {
    await this.#db.query({
      name: 'send_checkout_to_bank',
      text: `update checkout_tokens t set confirm_on_return = true, bank_url = $4 where t.account_id = $1 and t.livemode = $2 and t.payment_id = $3`,
      values: [...keyOf(token), url],
      scope: token,
    });
  }

  /** The bank was left without an answer: the page offers its form again. */
  async leaveBank(token: Key): Promise<void> {
    await this.#db.query({
      name: 'leave_bank',
      text: `update checkout_tokens t set bank_url = null where t.account_id = $1 and t.livemode = $2 and t.payment_id = $3 and t.bank_url is not null`,
      values: keyOf(token),
      scope: token,
    });
  }

  async chooseLanguage(token: Key, tag: string): Promise<void> {
    await this.#db.query({
      name: 'choose_checkout_language',
      text: `update checkout_tokens t set language = $4 where t.account_id = $1 and t.livemode = $2 and t.payment_id = $3`,
      values: [...keyOf(token), tag],
      scope: token,
    });
  }

  /** The first browser that sends a form keeps the link. @returns false where another one has it */
  async bindBrowser(token: Key, browser: Buffer): Promise<boolean> {
    const rows = await this.#db.query({
      name: 'bind_checkout_browser',
      text: `update checkout_tokens t set browser_sha256 = $4
             where t.account_id = $1 and t.livemode = $2 and t.payment_id = $3 and coalesce(t.browser_sha256, $4) = $4 returning 1`,
      values: [...keyOf(token), browser],
      scope: token,
    });
    return rows.length > 0;
  }

  /**
   * Begins to send a card; nobody else may until `endTurn`.
   * @param now real time
   * @returns the card's number on this page; `busy` while another is sent; `spent` where too many were tried or refused
   */
  async takeTurn(token: Key, lease: Lease, now: Date): Promise<number | 'busy' | 'spent'> {
    const [row] = await this.#db.query<{ attempts: number }>({
      name: 'take_checkout_turn',
      text: `update checkout_tokens t set attempts = attempts + 1, bank_url = null, busy_owner = $4, busy_until = $5
             where t.account_id = $1 and t.livemode = $2 and t.payment_id = $3 and refusals < $7 and attempts < $8 and not ${busy('$6')} returning attempts`,
      values: [...keyOf(token), lease.owner, lease.until, now, mostRefusals, mostAttempts],
      scope: token,
    });
    if (row !== undefined) return row.attempts;
    const [state] = await this.#db.query<{ busy: boolean }>({
      name: 'is_checkout_busy',
      text: `select ${busy('$4')} as busy from checkout_tokens t where t.account_id = $1 and t.livemode = $2 and t.payment_id = $3`,
      values: [...keyOf(token), now],
      scope: token,
    });
    return state?.busy === true ? 'busy' : 'spent';
  }

  async endTurn(token: Key, lease: Lease): Promise<void> {
    await this.#db.query({
      name: 'end_checkout_turn',
      text: `update checkout_tokens t set busy_until = '-infinity'
             where t.account_id = $1 and t.livemode = $2 and t.payment_id = $3 and t.busy_owner = $4 and t.busy_until = $5`,
      values: [...keyOf(token), lease.owner, lease.until],
      scope: token,
    });
  }

  async countRefusal(token: Key): Promise<void> {
    await this.#db.query({
      name: 'count_checkout_refusal',
      text: `update checkout_tokens t set refusals = refusals + 1 where t.account_id = $1 and t.livemode = $2 and t.payment_id = $3`,
      values: keyOf(token),
      scope: token,
    });
  }
}
