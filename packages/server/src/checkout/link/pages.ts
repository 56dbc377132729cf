import { formatAmount } from '../../lib/money.ts';
import { hasCapacity, statusOf } from '../../payment-links/row.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { type CardFaults, cardFields, noFaults, summary } from '../pages/card-fields.ts';
import { acceptedBrands } from '../pages/card-page.ts';
import { plainPage } from '../pages/end-pages.ts';
import { type Html, html, isolated, nothing } from '../pages/html.ts';
import {
  amountLine,
  heading,
  mainAction,
  otherWay,
  type Page,
  walletName,
  withLanguage,
} from '../pages/scene.ts';
import type { TextKey } from '../pages/texts/texts.ts';
import type { DetailErrors, DetailName, Entries } from './details.ts';
import { waysToPay } from './pay.ts';
import type { LinkScene } from './visit.ts';

/** What the buyer pays for. */
function subject({ visit: { link } }: LinkScene): Html {
  const more =
    link.description === null ? nothing : html`<p class="hint lines">${isolated(link.description)}</p>\n`;
  return html`<p class="what"><strong>${isolated(link.title)}</strong></p>\n${more}`;
}

/** The minimum and the maximum amount that may be entered, as texts. */
function bounds({ words, visit: { link } }: LinkScene) {
  const shown = (amount: number | null) => words.amount(amount ?? 0, link.currency);
  return { min: shown(link.amount_min), max: shown(link.amount_max) };
}

/** What is wrong with an entry, as text without tags. */
const problemText = (scene: LinkScene, key: TextKey): string =>
  scene.words.plain(key, { ...bounds(scene), label: scene.visit.link.reference_label ?? '' });

interface Entry {
  readonly name: DetailName;
  readonly label: Html;
  readonly hint: Html;
  readonly attributes: Html;
}

function entry(
  scene: LinkScene,
  { name, label, hint, attributes }: Entry,
  value: string,
  error?: TextKey,
): Html {
  return html`<div class="field">
<div class="label"><label for="${name}">${label}</label></div>
<p class="hint" id="${name}-hint">${hint}</p>
<input id="${name}" name="${name}" ${attributes} value="${value}" aria-required="true" aria-describedby="${name}-hint ${name}-problem"${error === undefined ? nothing : html` aria-invalid="true"`}>
<p class="problem" id="${name}-problem" aria-live="polite">${error === undefined ? '' : problemText(scene, error)}</p>
</div>
`;
}

/** The fields that the link asks for, in the order of the page. */
function asked(scene: LinkScene): readonly Entry[] {
  const { words, shop, visit } = scene;
  const { link } = visit;
  const amount: Entry = {
    name: 'amount',
    label: html`${words.text('fact_amount')} (${isolated(link.currency)})`,
    hint: words.text('link_amount_hint', bounds(scene)),
    attributes: html`type="text" inputmode="decimal" autocomplete="off" dir="ltr" maxlength="30"`,
  };
  const reference: Entry = {
    name: 'reference',
    label: isolated(link.reference_label ?? ''),
    hint: words.text('link_reference_hint', { shop }),
    attributes: html`type="text" autocomplete="off" maxlength="80"`,
  };
  const email: Entry = {
    name: 'email',
    label: words.text('receipt_email'),
    hint: words.text('link_email_hint', { shop }),
    attributes: html`type="email" autocomplete="email" dir="ltr" maxlength="254"`,
  };
  return [
    ...(link.amount === null ? [amount] : []),
    ...(link.reference_label === null ? [] : [reference]),
    ...(link.save_payment_method ? [email] : []),
  ];
}

function problems(scene: LinkScene, errors: DetailErrors): Html {
  const items = asked(scene).flatMap(({ name }) => {
    const error = errors[name];
    return error === undefined ? [] : [html`<li><a href="#${name}">${problemText(scene, error)}</a></li>`];
  });
  if (items.length === 0) return nothing;
  const { words } = scene;
  return html`<div class="summary" id="summary" tabindex="-1" autofocus><div role="alert"><h2>${words.text('summary_title')}</h2>
<p>${words.text('nothing_taken')}</p>
<ul>${items}</ul></div></div>
`;
}

const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">\n`;

const actionOf = (scene: LinkScene): string => withLanguage(scene, scene.path);

const suggestion = ({ visit: { link } }: LinkScene): string =>
  link.amount_suggested === null ? '' : formatAmount(link.amount_suggested, link.currency);

/**
 * The first page of a link: what the buyer pays for, the fields to fill in, and the payment methods.
 * @param entries what was typed before; null if no form has been sent yet
 */
export function detailsPage(
  scene: LinkScene,
  entries: Entries | null = null,
  errors: DetailErrors = {},
): Page {
  const { words, shop, visit } = scene;
  const { link } = visit;
  const first: Entries = { amount: suggestion(scene), reference: '', email: '' };
  const title = words.plain('pay_shop', { shop });
  const buttons = waysToPay(visit).map((way, place) => {
    const label =
      way === 'wallet' ? words.text('link_by_wallet', { wallet: walletName }) : words.text('link_by_card');
    return html`<button class="${place === 0 ? 'action' : 'action second'}" type="submit" name="way" value="${way}">${label}</button>\n`;
  });
  const isWrong = Object.keys(errors).length > 0;
  const content = html`<h1>${words.text('pay_shop', { shop })}</h1>
${link.amount === null ? nothing : amountLine(scene, { amount: link.amount, currency: link.currency })}
${subject(scene)}${problems(scene, errors)}
<form method="post" action="${actionOf(scene)}" novalidate>
${hidden('form', visit.form)}${asked(scene).map((one) => entry(scene, one, (entries ?? first)[one.name], errors[one.name]))}${buttons}</form>`;
  return {
    status: isWrong ? 422 : 200,
    title: isWrong ? words.plain('error_title', { title }) : title,
    content,
  };
}

/** The card form of a link, if the processor has no fields of its own. @param amount in minor units */
export function linkCardPage(
  scene: LinkScene,
  { amount, entries, form }: { readonly amount: number; readonly entries: Entries; readonly form: string },
  faults: CardFaults = noFaults,
  name = '',
): Page {
  const { words, shop, visit } = scene;
  const { link, context } = visit;
  const title = words.plain('pay_shop', { shop });
  const errorTitle = words.plain('error_title', { title });
  const isWrong = Object.keys(faults.errors).length > 0;
  const month = String(context.now.getUTCFullYear() * 100 + context.now.getUTCMonth() + 1);
  const reference =
    link.reference_label === null
      ? nothing
      : html`<p class="hint">${isolated(link.reference_label)} ${isolated(entries.reference)}</p>\n`;
  const keeps = link.save_payment_method
    ? html`<p class="note">${words.text('may_keep_card', { shop })}</p>\n`
    : nothing;
  const carried = asked(scene).map((one) => hidden(one.name, entries[one.name]));
  const content = html`<h1>${words.text('pay_shop', { shop })}</h1>
${amountLine(scene, { amount, currency: link.currency })}
${subject(scene)}${reference}${summary(words, faults)}
<form method="post" action="${actionOf(scene)}" id="card" autocomplete="on" novalidate data-month="${month}" data-error-title="${errorTitle}" data-busy="${words.plain('processing')}" data-slow="${words.plain('processing_slow', { shop })}">
${hidden('form', form)}${hidden('way', 'card')}${carried}${cardFields(words, acceptedBrands(words, context.processor), faults, name)}
${keeps}<button class="action" id="pay" type="submit">${words.text('pay_amount', { amount: words.amount(amount, link.currency) })}</button>
</form>
<p class="status" id="status" role="status"></p>
${carried.length === 0 ? nothing : otherWay(actionOf(scene), words.text('link_back'))}`;
  return { status: isWrong ? 422 : 200, title: isWrong ? errorTitle : title, content };
}

/** The page that explains why nobody can pay with the link, or not now; null if it can be paid. */
export function closedPage(scene: LinkScene): Page | null {
  const { visit } = scene;
  switch (statusOf(visit.link, visit.context.now)) {
    case 'completed':
      return plainPage(scene, 410, 'link_completed_title', 'link_completed');
    case 'inactive':
      return plainPage(scene, 410, 'link_inactive_title', 'link_inactive');
    case 'expired':
      return plainPage(scene, 410, 'expired_title', 'expired');
    case 'active':
      return hasCapacity(visit.link) || visit.abandoned !== null
        ? null
        : plainPage(scene, 409, 'link_busy_title', 'link_busy', actionOf(scene), 'try_again');
  }
}

/**
 * Shown if this browser began a payment that has not ended. The buyer continues it or gives it up.
 * @param onward the page to continue on
 */
export function begunPage(scene: LinkScene, payment: PaymentRow, onward: string): Page {
  const { words, path } = scene;
  const amount = words.amount(payment.amount, payment.currency);
  const content = html`${heading(words.text('link_begun_title'))}
<p class="lead">${words.text('link_begun', { amount })}</p>
${mainAction(onward, words.text('go_on'))}
<form method="post" action="${path}/again?lang=${words.language.tag}" class="ways"><button class="plain" type="submit">${words.text('link_start_again')}</button></form>`;
  return { status: 200, title: words.plain('link_begun_title'), content };
}

/** Shown if this browser has already paid with the link. Another payment begins only if the buyer asks for it. */
export function paidBeforePage(scene: LinkScene, payment: PaymentRow, receipt: string): Page {
  const { words } = scene;
  const amount = words.amount(payment.amount, payment.currency);
  const content = html`${heading(words.text('paid_title'))}
<p class="lead">${words.text('link_paid_before', { amount })}</p>
${mainAction(receipt, words.text('receipt_title'))}
${otherWay(`${actionOf(scene)}&again=1`, words.text('link_pay_again'))}`;
  return { status: 200, title: words.plain('paid_title'), content };
}

/** Shown if the processor certainly did nothing. */
export const notReachedPage = (scene: LinkScene): Page =>
  plainPage(scene, 503, 'outage_title', 'not_reached', actionOf(scene), 'try_again');
