import { sha256 } from '../../lib/keys.ts';
import type { ClientInfo } from '../../payments/kept-request.ts';
import { giveUpPayment } from '../../payments/operations/expire.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import type { CheckoutPageDependencies } from '../dependencies.ts';
import { readCardForm } from '../pages/card/card-form.ts';
import { cannotPayPage, pausedFormPage } from '../pages/end-pages.ts';
import { type Page, withLanguage } from '../pages/scene.ts';
import { processingPage } from '../pages/way-pages.ts';
import { asksDetails, entriesOf, readDetails } from './details.ts';
import { begunPage, closedPage, detailsPage, linkCardPage, notReachedPage, paidBeforePage } from './pages.ts';
import { attempt, type Means, waysToPay } from './pay.ts';
import { attemptedPayment, isOpen, type LinkScene, openLink } from './visit.ts';

/** The outcome of a step: a page, a redirect, or a state for the script. */
export type LinkStepResult = Page | { readonly goTo: string } | { readonly state: 'processing' | 'ended' };

/** The request of the browser. */
export interface LinkSent {
  readonly query: Readonly<Record<string, string>>;
  readonly form: URLSearchParams;
  readonly client: ClientInfo;
  /** The id of the form in the URL. */
  readonly named: string;
}

export type LinkStep = (
  deps: CheckoutPageDependencies,
  scene: LinkScene,
  sent: LinkSent,
) => Promise<LinkStepResult> | LinkStepResult;

/** The page of a payment that was begun. */
const pageOf = (
  { payments }: CheckoutPageDependencies,
  { visit: { context } }: LinkScene,
  id: string,
): string => `/checkout/pay/${payments.links.token(context.accountId, context.livemode, id)}`;

const addressOf = (scene: LinkScene, form: string, seen: boolean): string =>
  `${scene.path}/attempts/${form}?lang=${scene.words.language.tag}${seen ? '&seen=1' : ''}`;

/** The first form: the card form itself if nothing else is asked for and there is no other payment method. */
function firstPage(scene: LinkScene): Page {
  const { visit } = scene;
  const ways = waysToPay(visit);
  const { amount } = visit.link;
  return amount !== null && !asksDetails(visit.link) && ways.length === 1 && ways[0] === 'typed'
    ? linkCardPage(scene, { amount, entries: { amount: '', reference: '', email: '' }, form: visit.form })
    : detailsPage(scene);
}

/** Whether the outcome of a payment that this browser began is still to come. */
const isUnderWay = async ({ payments }: CheckoutPageDependencies, own: PaymentRow): Promise<boolean> =>
  own.status === 'processing' ||
  (own.status === 'requires_action' && (await payments.operations.isOpen(own)));

async function ownOpen(
  deps: CheckoutPageDependencies,
  scene: LinkScene,
  own: PaymentRow,
  asksAgain: boolean,
): Promise<LinkStepResult> {
  if (await isUnderWay(deps, own)) return processingPage(scene, withLanguage(scene, ''));
  const page = withLanguage(scene, pageOf(deps, scene, own.id));
  return asksAgain ? begunPage(scene, own, page) : { goTo: page };
}

/** Shows the page to a person who opens it. Changes nothing. */
export const presentLinkPage: LinkStep = (deps, scene, { query }) => {
  const { own } = scene.visit;
  const asksAgain = query.again !== undefined;
  if (own !== null && isOpen(own)) return ownOpen(deps, scene, own, asksAgain);
  const closed = closedPage(scene);
  const hasPaid = own?.status === 'succeeded';
  if (closed !== null) return hasPaid ? { goTo: withLanguage(scene, pageOf(deps, scene, own.id)) } : closed;
  if (hasPaid && !asksAgain) {
    return paidBeforePage(scene, own, withLanguage(scene, pageOf(deps, scene, own.id)));
  }
  return firstPage(scene);
};

/** The means of payment that the form selects, or a page if something has to be entered first. */
function meansOf(scene: LinkScene, sent: LinkSent, form: string, amount: number): Means | Page {
  const ways = waysToPay(scene.visit);
  const way = sent.form.get('way') ?? '';
  if (way === 'wallet' && ways.includes('wallet')) return 'wallet';
  if (ways.includes('card_fields')) return 'card_fields';
  const shown = { amount, entries: entriesOf(sent.form), form };
  if (way !== 'card') return linkCardPage(scene, shown);
  const read = readCardForm(sent.form, scene.visit.context.now);
  if ('card' in read) return { card: read.card };
  return linkCardPage(scene, shown, { errors: read.errors, problem: null }, read.name);
}

/** Handles a form of the page. It begins at most one payment, however often it is sent. */
export const payByLink: LinkStep = async (deps, scene, sent) => {
  const { visit } = scene;
  const { link, context, own, browser } = visit;
  const named = sent.form.get('form') ?? '';
  const isNamed = /^[A-Za-z0-9_-]{43}$/.test(named);
  if (isNamed && (await deps.links.store.attemptOf(context, link.id, sha256(named))) !== null) {
    return { goTo: addressOf(scene, named, true) };
  }
  // Tabs that were opened before the browser had its cookie show forms with different ids. Once it has the cookie, all of
  // them use the id of this visit, so that they begin one payment.
  const form = isNamed && browser.hash === null ? named : visit.form;
  if (own !== null && isOpen(own)) return ownOpen(deps, scene, own, true);
  // The form was shown before that payment, and therefore without the question whether to pay again.
  if (own?.status === 'succeeded' && isNamed && named !== form) {
    return paidBeforePage(scene, own, withLanguage(scene, pageOf(deps, scene, own.id)));
  }
  const closed = closedPage(scene);
  if (closed !== null) return closed;
  const entries = entriesOf(sent.form);
  const read = readDetails(link, entries);
  if ('errors' in read) return detailsPage(scene, entries, read.errors);
  const means = meansOf(scene, sent, form, read.details.amount);
  if (typeof means === 'object' && 'content' in means) return means;
  const attempted = await attempt(deps, visit, { form, details: read.details, means, client: sent.client });
  switch (attempted) {
    case 'begun':
    case 'begun_before':
      return { goTo: addressOf(scene, form, attempted === 'begun_before') };
    case 'no_place':
      return lostPlace(deps, scene, sent);
    case 'not_possible':
      // The reason may be the amount, for example one with more decimals than the processor accepts.
      return cannotPayPage(
        scene,
        asksDetails(link) ? withLanguage(scene, scene.path) : undefined,
        'link_back',
      );
    case 'declined_too_often':
      return pausedFormPage(scene);
    case 'begun_too_often':
      return pausedFormPage(scene, 'link_begun_too_often');
    case 'not_reached':
      return notReachedPage(scene);
  }
};

/** Another buyer was faster, or the link was closed at this moment. The page shows which. */
async function lostPlace(
  deps: CheckoutPageDependencies,
  scene: LinkScene,
  sent: LinkSent,
): Promise<LinkStepResult> {
  const { context, link, browser } = scene.visit;
  const token = scene.path.slice('/pay/'.length);
  const opened = await openLink(deps, token, browser, context.suspend);
  const visit = opened?.visit ?? { ...scene.visit, link: { ...link, is_on: false } };
  return closedPage({ ...scene, visit }) ?? presentLinkPage(deps, { ...scene, visit }, sent);
}

/** Shows the outcome of a form. A browser that reloads this page does not send the form again. */
export const showAttempt: LinkStep = async (deps, scene, { query, named }) => {
  const { context, link } = scene.visit;
  const id = await deps.links.store.attemptOf(context, link.id, sha256(named));
  if (id === null) return notReachedPage(scene);
  const payment = await attemptedPayment(deps, context, id);
  if (payment === null) return notReachedPage(scene);
  if (payment.status === 'processing') {
    return processingPage({ ...scene, path: `${scene.path}/attempts/${named}` }, withLanguage(scene, ''));
  }
  const page = pageOf(deps, scene, payment.id);
  const ended = payment.status !== 'requires_action' && query.seen === undefined;
  return { goTo: withLanguage(scene, ended ? `${page}/wait` : page) };
};

/** Answers the script of a page that was opened again: whether the outcome of the browser's payment is still to come. */
export const reportOwnState: LinkStep = async (deps, { visit: { own } }) => ({
  state: own !== null && (await isUnderWay(deps, own)) ? 'processing' : 'ended',
});

/** Answers the script: whether the outcome is still to come. */
export const reportAttemptState: LinkStep = async (deps, { visit: { context, link } }, { named }) => {
  const id = await deps.links.store.attemptOf(context, link.id, sha256(named));
  const payment = id === null ? null : await attemptedPayment(deps, context, id);
  return { state: payment?.status === 'processing' ? 'processing' : 'ended' };
};

/** Gives up the payment that this browser began, and starts again. */
export const startAgain: LinkStep = async (deps, scene) => {
  const { own, context } = scene.visit;
  if (own?.status === 'requires_action') await giveUpPayment(deps.payments, context, own);
  return { goTo: withLanguage(scene, scene.path) };
};
