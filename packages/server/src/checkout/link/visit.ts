import { readBranding } from '../../accounts/branding.ts';
import { type AccountContext, backgroundContext } from '../../accounts/context.ts';
import { findAccount, tenantOf } from '../../accounts/store.ts';
import { sha256 } from '../../lib/keys.ts';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import { readLinkToken } from '../../payment-links/link-token.ts';
import { hasRoom, type LinkRow } from '../../payment-links/row.ts';
import { isDiscarded } from '../../payments/operations/discard-payment.ts';
import { retrievePayment } from '../../payments/operations/expire.ts';
import { isWindowOver, type PaymentRow } from '../../payments/payment.ts';
import { listPaymentRows } from '../../payments/reads.ts';
import type { BrowserCookie } from '../browser.ts';
import type { CheckoutPageDependencies } from '../dependencies.ts';
import type { Scene } from '../pages/scene.ts';
import { stepOf } from '../visit/flow.ts';

/** Waiting payments that a visit looks at, the newest ones. */
const maxLookedAt = 100;

/** So long a payment for which its buyer has sent nothing keeps its place from others, in milliseconds of account time. */
const placeLifetimeMs = 5 * 60_000;

/** A buyer at a link: the link as it is now, and what this browser did with it before. */
export interface LinkVisit {
  readonly link: LinkRow;
  readonly context: AccountContext;
  readonly browser: BrowserCookie;
  /** Names the form that is shown: the same for all tabs of a browser until a payment was begun in one of them. */
  readonly form: string;
  /** The browser's newest payment with the link; null for none, and for one that was certainly not carried out. */
  readonly own: PaymentRow | null;
  /** Where every place is taken: a payment that gives up its place for the next buyer; else null. */
  readonly abandoned: PaymentRow | null;
}

/** What the pages of a link have around their content. */
export interface LinkScene extends Scene {
  readonly visit: LinkVisit;
}

/**
 * Finds what the address of a link stands for; undefined for an unknown one.
 * @param suspend how the request waits
 */
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
 * The link without what overdue payments keep of it: one whose time is over does not count as
 * somebody who pays, whether the sweep has come or not.
 */
async function withoutOverdue(
  deps: CheckoutPageDependencies,
  context: AccountContext,
  link: LinkRow,
): Promise<Pick<LinkVisit, 'link' | 'abandoned'>> {
  const { payments, links } = deps;
  if (hasRoom(link) || link.open_count === 0) return { link, abandoned: null };
  const waiting = { payment_link: link.id, status: 'requires_action', per_page: maxLookedAt } as const;
  const { rows } = await listPaymentRows(payments.db, context, waiting);
  const overdue = rows.filter((row) => isWindowOver(row, context.now));
  if (overdue.length === 0) return { link, abandoned: await findAbandoned(deps, context, rows) };
  for (const row of overdue) await retrievePayment(payments, context, row.id);
  return { link: (await links.store.find(context, link.id)) ?? link, abandoned: null };
}

/** The oldest of the payments whose buyer has left: nothing was sent lately, no bank asks, and nothing is in doubt. */
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

/** A payment as it is now; null where it was certainly not carried out. `processing`: nobody knows yet. */
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
