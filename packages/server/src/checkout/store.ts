import { sha256 } from '../lib/keys.ts';
import type { Database } from '../store/database.ts';
import { readToken } from './links.ts';

const mostRefusals = 5;
const mostAttempts = 20;

export interface CheckoutToken {
  readonly account_id: string;
  readonly livemode: boolean;
  readonly payment_id: string;
  readonly confirm_on_return: boolean;
}

/** All SQL on checkout tokens. */
export class CheckoutStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(token: string): Promise<CheckoutToken | undefined> {
    const tenant = readToken(token);
    if (tenant === undefined) return undefined;
    const [row] = await this.#db.query<CheckoutToken>({
      name: 'find_checkout_token',
      text: `select account_id, livemode, payment_id, confirm_on_return from checkout_tokens
             where account_id = $1 and livemode = $2 and token_sha256 = $3`,
      values: [tenant.accountId, tenant.livemode, sha256(token)],
    });
    return row;
  }

  /** The buyer goes on from our page: the payment is confirmed as soon as the browser comes back. */
  async confirmOnReturn(token: CheckoutToken): Promise<void> {
    await this.#db.query({
      name: 'confirm_on_return',
      text: `update checkout_tokens set confirm_on_return = true
             where account_id = $1 and livemode = $2 and payment_id = $3`,
      values: [token.account_id, token.livemode, token.payment_id],
    });
  }

  /** The number of the next card typed on this page; undefined where too many were refused or tried already. */
  async reserveAttempt(token: CheckoutToken): Promise<number | undefined> {
    const [row] = await this.#db.query<{ attempts: number }>({
      name: 'reserve_checkout_attempt',
      text: `update checkout_tokens set attempts = attempts + 1
             where account_id = $1 and livemode = $2 and payment_id = $3 and refusals < $4 and attempts < $5
             returning attempts`,
      values: [token.account_id, token.livemode, token.payment_id, mostRefusals, mostAttempts],
    });
    return row?.attempts;
  }

  async countRefusal(token: CheckoutToken): Promise<void> {
    await this.#db.query({
      name: 'count_checkout_refusal',
      text: `update checkout_tokens set refusals = refusals + 1
             where account_id = $1 and livemode = $2 and payment_id = $3`,
      values: [token.account_id, token.livemode, token.payment_id],
    });
  }
}
