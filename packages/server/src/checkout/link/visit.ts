import { readBranding } from '../../accounts/branding.ts';
import { type AccountContext, backgroundContext } from '../../accounts/context.ts';
import { findAccount, tenantOf } from '../../accounts/store.ts';
import { sha256 } from '../../lib/keys.ts';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import { readLinkToken } from '../../payment-links/link-token.ts';
import { hasCapacity, type LinkRow } from '../../payment-links/row.ts';
import { isDiscarded } from '../../payments/operations/discard-payment.ts';
import { retrievePayment } from '../../payments/operations/expire.ts';
import { isWindowOver, type PaymentRow } from '../../payments/payment.ts';
import { listPaymentRows } from '../../payments/reads.ts';
import type { BrowserCookie } from '../browser.ts';
import type { CheckoutPageDependencies } from '../dependencies.ts';
import type { Scene } from '../pages/scene.ts';
import { stepOf } from '../visit/flow.ts';

/** How many waiting payments a visit looks at, the newest ones. */
const maxLookedAt = 100;

/**
 * A payment for which its buyer has sent nothing for this long, in milliseconds of account time, may lose its place of
 * the link.
 */
const placeLifetimeMs = 5 * 60_000;

/** A buyer at a link: the link as it is now, and what this browser did with it before. */
export interface LinkVisit {
  readonly link: LinkRow;
  readonly context: AccountContext;
  readonly browser: BrowserCookie;
  /** The id of the form that is shown. All tabs of a browser share it until a payment is begun in one of them. */
  readonly form: string;
  /** The browser's newest payment with the link; null if there is none or if it was certainly not carried out. */
  readonly own: PaymentRow | null;
  /** If every place of the link is taken: a payment that gives up its place for the next buyer; else null. */
  readonly abandoned: PaymentRow | null;
}

/** What the pages of a link show around their content. */
export interface LinkScene extends Scene {
  readonly visit: LinkVisit;
}

/** Finds the link of a token; undefined if the token is unknown. @param suspend suspends the request while it waits */
export async function openLink(
  deps: CheckoutPageDependencies,
  token: string,
  browser: BrowserCookie,
  suspend: Suspend,
): Promise<
  { readonly visit: LinkVisit; readonly branding: Awaited<ReturnType<typeof readBranding>> } | undefined
> {
  const { payments, links } = deps;
  const owner = readLinkToken(token);
  if (owner === undefined) return undefined;
  const account = await findAccount(payments.db, owner.accountId);
  if (account === undefined) return undefined;
  const tenant = tenantOf(account, owner.livemode);
  const found = await links.store.find(tenant, owner.id);
  if (found === undefined) return undefined;
  const context = backgroundContext(account, owner.livemode, payments.clock.now(), suspend);
  const { link, abandoned } = await withoutOverdue(deps, context, found);
  const [branding, attempts] = await Promise.all([
    readBranding(payments.db, context.accountId),
    browser.hash === null
      ? { newest: null, count: 0 }
      : links.store.attemptsOfBrowser(tenant, link.id, browser.hash),
  ]);
  const form = sha256(`${browser.name}:${link.id}:${attempts.count}`).toString('base64url');
  const own = attempts.newest === null ? null : await attemptedPayment(deps, context, attempts.newest);
  return { visit: { link, context, browser, form, own, abandoned }, branding };
}

/**
 * Fails the overdue payments that still hold places of the link, so that they do not count as paying buyers even if the
 * sweep has not come yet.
 * @returns the link afterwards
 */
async function withoutOverdue(
  deps: CheckoutPageDependencies,
  context: AccountContext,
  link: LinkRow,
): Promise<Pick<LinkVisit, 'link' | 'abandoned'>> {
  const { payments, links } = deps;
  if (hasCapacity(link) || link.open_count === 0) return { link, abandoned: null };
  const waiting = { payment_link: link.id, status: 'requires_action', per_page: maxLookedAt } as const;
  const { rows } = await listPaymentRows(payments.db, context, waiting);
  const overdue = rows.filter((row) => isWindowOver(row, context.now));
  if (overdue.length === 0) return { link, abandoned: await findAbandoned(deps, context, rows) };
  for (const row of overdue) await retrievePayment(payments, context, row.id);
  return { link: (await links.store.find(context, link.id)) ?? link, abandoned: null };
}

/** The oldest payment whose buyer has left: nothing was sent recently, no bank waits for the buyer, and nothing is in doubt. */
export async function findAbandoned(
  { payments, tokens }: CheckoutPageDependencies,
  context: AccountContext,
  rows: readonly PaymentRow[],
): Promise<PaymentRow | null> {
  const since = new Date(context.now.getTime() - placeLifetimeMs);
  const ids = rows.filter((row) => stepOf(row) !== 'authenticate').map(({ id }) => id);
  if (ids.length === 0) return null;
  const idle = new Set(await tokens.idleOf(context, ids, since, payments.clock.now()));
  for (const row of rows.toReversed()) {
    if (idle.has(row.id) && !(await payments.operations.isOpen(row))) return row;
  }
  return null;
}

/** A payment as it is now; null if it was certainly not carried out. The status `processing` means that nobody knows yet. */
export async function attemptedPayment(
  { payments }: Pick<CheckoutPageDependencies, 'payments'>,
  context: AccountContext,
  id: string,
): Promise<PaymentRow | null> {
  const payment = await payments.store.find(context, id);
  if (payment === undefined) return null;
  if (payment.status === 'processing') return (await isDiscarded(payments, payment)) ? null : payment;
  return payment.status === 'requires_action' ? retrievePayment(payments, context, id) : payment;
}

/** Whether a payment has not ended. */
export const isOpen = ({ status }: PaymentRow): boolean =>
  status === 'processing' || status === 'requires_action';
