import { type FailureCode, walletType } from '@till/contract';
import type { PaymentRow } from '../../payments/payment.ts';
import { merchantUrl } from '../visit/flow.ts';
import { type Html, html, nothing } from './html.ts';
import { type ReceiptState, receipt, receiptForm } from './receipt.ts';
import {
  heading,
  linkPathOf,
  mainAction,
  type Page,
  type PaymentScene,
  type Scene,
  walletName,
  withLanguage,
} from './scene.ts';
import type { TextKey } from './texts/texts.ts';

/** The reasons for a decline that buyers are shown. Anything that hints at a stolen card stays general. */
const reasons: Partial<Record<FailureCode, TextKey>> = {
  expired_card: 'reason_expired_card',
  insufficient_funds: 'reason_insufficient_funds',
  invalid_cvv: 'reason_invalid_cvv',
  invalid_card: 'reason_invalid_card',
  '3ds_failed': 'reason_3ds_failed',
  '3ds_not_available': 'reason_3ds_not_available',
};

/** Why a card was declined, in words; null if no reason is shown. */
export const reasonFor = (code: FailureCode): TextKey | null => reasons[code] ?? null;

interface Ending {
  readonly title: TextKey;
  readonly text: TextKey;
  readonly reason?: TextKey | null;
}

/** @param opened whether the page was only opened, since the payment had ended before */
function endingOf(payment: PaymentRow, opened: boolean): Ending {
  switch (payment.status) {
    case 'succeeded':
      return { title: 'paid_title', text: opened ? 'already_paid' : 'paid' };
    case 'authorized':
      return { title: 'held_title', text: opened ? 'already_held' : 'held' };
    case 'voided':
      return { title: 'voided_title', text: 'voided' };
    default:
      return failureOf(payment);
  }
}

function failureOf(payment: PaymentRow): Ending {
  const code = payment.failure_code ?? 'declined';
  if (code === '3ds_abandoned' && payment.buyer_done_at !== null) {
    return { title: 'unconfirmed_title', text: 'unconfirmed' };
  }
  if (code === '3ds_abandoned' || code === '3ds_token_expired' || code === 'confirmation_expired') {
    // The buyer's payment link may still be paid: only the payment that was begun with it is over.
    if (payment.payment_link_id !== null) return { title: 'unfinished_title', text: 'unfinished' };
    return { title: 'expired_title', text: 'expired' };
  }
  if (code === 'not_processed') return { title: 'not_possible_title', text: 'not_processed' };
  const text = payment.method_type === walletType ? 'declined_wallet' : 'declined';
  return { title: 'declined_title', text, reason: reasonFor(code) };
}

const isGood = ({ status }: PaymentRow) => status === 'succeeded' || status === 'authorized';

const check = html`<svg class="good" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true" focusable="false"><circle cx="20" cy="20" r="18" fill="none" stroke="currentColor" stroke-width="3"/><path d="m12 20.5 5.5 5.5L28.5 15" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>
`;

const shopAddress = ({ visit }: PaymentScene, payment: PaymentRow): string | undefined =>
  isGood(payment) ? visit.request.success_url : visit.request.failure_url;

interface EndOptions {
  readonly opened: boolean;
  readonly leaveFor?: string | undefined;
  /** The outcome of the request for the receipt by mail, and what was entered. */
  readonly asked?: { readonly state: ReceiptState; readonly entered: string };
}

/** How a buyer can keep the receipt: on paper and, if the money was taken and mail is configured, by mail. */
function receiptChoices(scene: PaymentScene, payment: PaymentRow, { asked }: EndOptions): Html {
  const { words, mails } = scene;
  const print = html`<p class="ways scripted"><button class="plain" id="print" type="button">${words.text('print')}</button></p>`;
  if (!mails || payment.status !== 'succeeded') return print;
  return html`${print}
${receiptForm(scene, asked?.state ?? null, asked?.entered)}`;
}

/** How a buyer whose payment failed can continue: at the link again, or with the shop. */
function startAgain(scene: PaymentScene): Html {
  const { words, visit, shop } = scene;
  const linkPath = linkPathOf(visit);
  return linkPath === null
    ? html`<p class="lead">${words.text('start_again', { shop })}</p>\n`
    : mainAction(withLanguage(scene, linkPath), words.text('try_again'));
}

function endPage(scene: PaymentScene, payment: PaymentRow, options: EndOptions): Page {
  const { words, shop } = scene;
  const { title, text, reason } = endingOf(payment, options.opened);
  const target = shopAddress(scene, payment);
  const back = options.leaveFor ?? (target === undefined ? undefined : merchantUrl(target, payment));
  const why = reason == null ? nothing : html` ${words.text(reason)}`;
  const goes = options.leaveFor === undefined ? nothing : html` ${words.text('returning', { shop })}`;
  const good = isGood(payment);
  // Without an address of the shop, nothing else on the page would lead on.
  const startsAgain = !good && payment.status === 'failed' && back === undefined;
  const next = startsAgain ? startAgain(scene) : nothing;
  const content = html`${good ? check : nothing}${heading(words.text(title))}
<p class="lead">${words.text(text, { wallet: walletName })}${why}${goes}</p>
${good ? receipt(scene, payment) : nothing}
${back === undefined ? nothing : mainAction(back, words.text('return_to_shop', { shop }))}
${next}${good && options.leaveFor === undefined ? receiptChoices(scene, payment, options) : nothing}`;
  const isWrong = options.asked?.state === 'receipt_wrong';
  const name = words.plain(title);
  return {
    status: isWrong ? 422 : 200,
    title: isWrong ? words.plain('error_title', { title: name }) : name,
    content,
    leaveFor: options.leaveFor,
  };
}

/**
 * The end of the buyer's own last step: a redirect to the shop if it gave an address for that, else the outcome.
 * @param query the parameters that the upstream appended, some of which are passed to the shop
 */
export function endedPage(
  scene: PaymentScene,
  payment: PaymentRow,
  query: Readonly<Record<string, string>> = {},
): Page {
  const target = shopAddress(scene, payment);
  return endPage(scene, payment, {
    opened: false,
    leaveFor: target === undefined ? undefined : merchantUrl(target, payment, query),
  });
}

/** A payment that had ended before the page was opened. The page says so and offers the way back. */
export const openedPage = (scene: PaymentScene, payment: PaymentRow): Page =>
  endPage(scene, payment, { opened: true });

/** The page of a paid payment after its receipt was requested. @param entered what was typed if it was no address */
export const receiptPage = (
  scene: PaymentScene,
  payment: PaymentRow,
  state: ReceiptState,
  entered = '',
): Page => endPage(scene, payment, { opened: false, asked: { state, entered } });

/** A page that shows nothing of the payment, for a browser that must not or cannot continue here. */
export function plainPage(
  scene: Scene,
  status: number,
  title: TextKey,
  text: TextKey,
  back?: string,
  label: TextKey = 'return_to_shop',
): Page {
  const { words, shop } = scene;
  const content = html`${heading(words.text(title))}
<p class="lead">${words.text(text, { shop, wallet: walletName })}</p>
${back === undefined ? nothing : mainAction(back, words.text(label, { shop }))}`;
  return { status, title: words.plain(title), content };
}

const failureAddress = ({ visit }: PaymentScene): string | undefined => {
  const { failure_url: url } = visit.request;
  return url === undefined ? undefined : merchantUrl(url, visit.payment);
};

/** The merchant cannot take payments at the moment. @param back where the buyer continues, if anywhere */
export const cannotPayPage = (scene: Scene, back?: string, label?: TextKey): Page =>
  plainPage(scene, 422, 'not_possible_title', 'not_possible', back, label);

export const notFoundPage = (scene: Scene): Page => plainPage(scene, 404, 'not_found_title', 'not_found');

/** A page of another site sent the form. Nothing was done, and the button leads to our own page. */
export const otherSitePage = (scene: Scene): Page =>
  plainPage(scene, 403, 'not_possible_title', 'not_processed', scene.path, 'try_again');

export const notPossiblePage = (scene: PaymentScene): Page => cannotPayPage(scene, failureAddress(scene));

export function tooManyPage(scene: PaymentScene): Page {
  const back = failureAddress(scene);
  const linkPath = linkPathOf(scene.visit);
  if (back !== undefined || linkPath === null) {
    return plainPage(scene, 422, 'not_possible_title', 'too_many', back);
  }
  const again = `${withLanguage(scene, linkPath)}&again=1`;
  return plainPage(scene, 422, 'not_possible_title', 'link_too_many', again, 'link_start_again');
}

/** Too many cards were declined recently. Nothing was sent, and the same page accepts a card again later. */
export const pausedPage = (scene: PaymentScene): Page =>
  plainPage(scene, 429, 'not_possible_title', 'paused', failureAddress(scene));

/** The same before a payment has begun, when there is no shop's address to return to yet. */
export const pausedFormPage = (scene: Scene, text: 'paused' | 'link_begun_too_often' = 'paused'): Page =>
  plainPage(scene, 429, 'not_possible_title', text, withLanguage(scene, scene.path), 'try_again');

/** The processor did not provide what its own fields need. */
export const fieldsUnavailablePage = (scene: PaymentScene): Page =>
  plainPage(scene, 503, 'outage_title', 'fields_unavailable', scene.path, 'try_again');

/** For a browser other than the one that sent the first form. It sees the state of the payment and nothing else. */
export function otherBrowserPage(scene: PaymentScene): Page {
  const { payment } = scene.visit;
  if (payment.status === 'requires_action') {
    return plainPage(scene, 403, 'other_browser_title', 'other_browser');
  }
  const { title, text } = endingOf(payment, true);
  return plainPage(scene, 200, title, text);
}

/** The shop finishes the payment itself, so the buyer is sent back to it. */
export function forShopPage(scene: PaymentScene, query: Readonly<Record<string, string>>): Page {
  const { words, shop, visit } = scene;
  const { success_url: url } = visit.request;
  const target = url === undefined ? undefined : merchantUrl(url, visit.payment, query);
  return leavingPage(
    scene,
    words.plain('return_to_shop', { shop }),
    words.text('for_shop', { shop }),
    target,
  );
}

/** The buyer cancelled at the upstream, in a payment that the shop confirms. */
export function cancelledPage(scene: PaymentScene, url: string): Page {
  const { words, visit } = scene;
  return leavingPage(
    scene,
    words.plain('unconfirmed_title'),
    words.text('not_approved'),
    merchantUrl(url, visit.payment),
  );
}

function leavingPage(
  { words, shop }: PaymentScene,
  title: string,
  lead: Html,
  leaveFor: string | undefined,
): Page {
  const content = html`${heading(html`${title}`)}
<p class="lead">${lead}</p>
${leaveFor === undefined ? nothing : mainAction(leaveFor, words.text('return_to_shop', { shop }))}`;
  return { status: 200, title, content, leaveFor };
}
