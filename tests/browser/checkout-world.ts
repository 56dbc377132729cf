import { queryDatabase } from '../support/fresh-database.ts';
import { Merchant, target, till } from '../support/merchant.ts';
import type { OpenPage } from './harness.ts';

export const goodCard = { number: '4111111111111111', expiry: '03/32', cvc: '737', name: 'Jane Smith' };
/** The bank refuses to authenticate this card, without a challenge, so nothing is charged. */
export const refusedCard = { ...goodCard, number: '4868719158130060' };
/** The bank challenges the buyer for this card. */
export const challengedCard = { ...goodCard, number: '4212345678910006' };

export const shopAddresses = {
  success_url: 'https://shop.example/ok?order=7',
  failure_url: 'https://shop.example/failed?order=7',
};

/** A payment that waits for the buyer on its checkout page. */
export interface Waiting {
  readonly id: string;
  /** The path of the page, without the origin. */
  readonly path: string;
  readonly merchant: Merchant;
}

export const origin = (): string => target().baseUrl;

async function waiting(merchant: Merchant, body: Record<string, unknown>): Promise<Waiting> {
  const { status, body: payment } = await merchant.pay({ ...shopAddresses, ...body });
  if (status !== 201) throw new Error(`the payment was answered with ${status}: ${JSON.stringify(payment)}`);
  return { id: payment.id, path: new URL(payment.next_action.checkout_url).pathname, merchant };
}

export const cardPayment = (merchant: Merchant, changes: Record<string, unknown> = {}): Promise<Waiting> =>
  waiting(merchant, { payment_method: { type: 'card_fields' }, ...changes });

export const walletPayment = (merchant: Merchant, changes: Record<string, unknown> = {}): Promise<Waiting> =>
  waiting(merchant, { payment_method: { type: 'processor_b' }, ...changes });

/** Creates a card payment of processor_a that the bank challenges. */
export const challengedPayment = (merchant: Merchant): Promise<Waiting> =>
  waiting(merchant, { card: { number: challengedCard.number } });

/** Types a card into the form, key by key in fields that are formatted while typing. */
export async function fillCard({ page }: OpenPage, card: typeof goodCard = goodCard): Promise<void> {
  for (const [name, value] of Object.entries(card)) await page.fill(`#${name}`, value);
}

/** Fills in the form, submits it and waits for the next page. */
export async function payBy(opened: OpenPage, card: typeof goodCard = goodCard): Promise<void> {
  await fillCard(opened, card);
  await Promise.all([opened.page.waitForNavigation(), opened.page.click('#pay')]);
}

/** Responds for the shop with an empty response, so that a page that redirects to the shop stays visible. */
export const stayOnPage = ({ page }: OpenPage): Promise<unknown> =>
  page.route('https://shop.example/**', (route) => route.fulfill({ status: 204 }));

/** A shop that answers every request, for pages that redirect to it. */
export const openShop = ({ context }: OpenPage): Promise<unknown> =>
  context.route('https://shop.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Shop</title><h1>Shop</h1>' }),
  );

/**
 * The browser's messages about requests that a policy refused. The browser reports these without JavaScript as well.
 */
export function listenToPolicy({ page }: OpenPage): readonly string[] {
  const said: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) said.push(message.text());
  });
  return said;
}

/** Runs a statement on the database of the server under test, for states that no request can produce. */
export async function query<Row>(sql: string, values: unknown[]): Promise<Row[]> {
  const url = target().environment.DATABASE_URL ?? (await till<{ url: string }>('db', 'url')).url;
  return queryDatabase<Row>(url, sql, values);
}

/**
 * The advisory lock number with which the server under test shows that it is alive. The servers of other tests have
 * other databases.
 */
const livingServer = `(select objid::bigint from pg_locks where locktype = 'advisory' and granted and classid = 7110
  and database = (select oid from pg_database where datname = current_database()) limit 1)`;

/** Simulates that a card is being submitted, until `releaseLease`. */
export const holdLease = ({ id }: Waiting): Promise<unknown> =>
  query(
    `update checkout_tokens set busy_until = 'infinity', busy_owner = ${livingServer} where payment_id = $1`,
    [id],
  );

export const releaseLease = ({ id }: Waiting): Promise<unknown> =>
  query(`update checkout_tokens set busy_until = '-infinity' where payment_id = $1`, [id]);

/** The charges that the simulated processor really made for this payment. */
export const chargesOf = async ({ id, merchant }: Waiting) =>
  (await merchant.ledger()).charges.filter(({ reference }) => reference === id);

export const statusOf = async ({ id, merchant }: Waiting): Promise<string> =>
  (await merchant.get(`/api/v1/payments/${id}`)).body.status;

/** Opens a live account with a simulator as its live processor, optionally with the processor's own card fields. */
export async function openLiveShop(cardFields: 'first_party' | 'processor'): Promise<Merchant> {
  const merchant = await Merchant.open('processor_b', '--environment', 'live');
  await till('accounts', 'update', merchant.id, '--activation', 'active');
  await query('update connections set card_fields = $2 where account_id = $1', [merchant.id, cardFields]);
  return merchant;
}
