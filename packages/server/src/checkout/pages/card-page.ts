import { walletType } from '@till/contract';
import type { HostedFields } from '../../processors/port/capabilities.ts';
import { capabilitiesOf } from '../../processors/registry.ts';
import { merchantUrl } from '../visit/flow.ts';
import type { FieldErrors, FieldName } from './card-form.ts';
import { type Html, html, nothing } from './html.ts';
import { orderSummary } from './order.ts';
import { brandName } from './receipt.ts';
import { amountLine, otherWay, type Page, type PaymentScene, walletName } from './scene.ts';
import type { TextKey } from './texts/texts.ts';

/** What is wrong with what was sent. */
export interface CardFaults {
  readonly errors: FieldErrors;
  /** What came of the last card, in words that say whether money moved. */
  readonly problem: TextKey | null;
  /** A second sentence: why. */
  readonly reason?: TextKey | null;
}

const noFaults: CardFaults = { errors: {}, problem: null };

const cardSign = html`<svg viewBox="0 0 24 16" aria-hidden="true" focusable="false"><rect x=".75" y=".75" width="22.5" height="14.5" rx="2.25" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M1 4.5h22v2.5H1z" fill="currentColor"/></svg>`;

/** Attributes of an input that the script reads: every text that it may have to say. */
const said = (words: PaymentScene['words'], texts: Readonly<Record<string, TextKey>>): Html =>
  html`${Object.entries(texts).map(([name, key]) => html` data-${name}="${words.plain(key)}"`)}`;

interface Field {
  readonly name: FieldName;
  readonly label: TextKey;
  readonly hint?: Html;
  readonly attributes: Html;
  readonly beside?: Html;
  readonly value?: string;
  readonly texts: Readonly<Record<string, TextKey>>;
}

function field({ words }: PaymentScene, { errors }: CardFaults, input: Field): Html {
  const { name, value = '' } = input;
  const error = errors[name];
  const hint = input.hint === undefined ? nothing : html`<p class="hint" id="${name}-hint">${input.hint}</p>`;
  const described = input.hint === undefined ? `${name}-problem` : `${name}-hint ${name}-problem`;
  return html`<div class="field">
<div class="label"><label for="${name}">${words.text(input.label)}</label>${input.beside ?? nothing}</div>
${hint}
<input id="${name}" name="${name}" type="text" ${input.attributes} value="${value}" aria-required="true" aria-describedby="${described}"${error === undefined ? nothing : html` aria-invalid="true"`}${said(words, input.texts)}>
<p class="problem" id="${name}-problem" aria-live="polite">${error === undefined ? '' : words.text(error)}</p>
</div>`;
}

const order: readonly FieldName[] = ['number', 'expiry', 'cvc', 'name'];

/** What has to be put right, at the top of the form; always there, so that assistive technology knows it. */
function summary({ words }: PaymentScene, { errors, problem, reason }: CardFaults): Html {
  const items = order.flatMap((name) => {
    const error = errors[name];
    return error === undefined ? [] : [html`<li><a href="#${name}">${words.text(error)}</a></li>`];
  });
  const isWrong = items.length > 0 || problem !== null;
  const why = reason == null ? nothing : html` ${words.text(reason)}`;
  const first = problem === null ? nothing : html`<p id="summary-reason">${words.text(problem)}${why}</p>`;
  return html`<div class="summary" id="summary" tabindex="-1"${isWrong ? html` autofocus` : html` hidden`}>
<div role="alert">
${problem === null ? html`<h2>${words.text('summary_title')}</h2>\n<p>${words.text('nothing_taken')}</p>` : first}
<ul id="summary-list">${items}</ul>
</div>
</div>`;
}

/** Until when the payment can be completed, and what the page says as that comes near. */
export function deadline({ words, visit, now, path }: PaymentScene): Html {
  const { payment, context } = visit;
  if (payment.confirm_by === null) return nothing;
  const left = payment.confirm_by.getTime() - context.now.getTime();
  const seconds = String(Math.max(Math.ceil(left / 1000), 0));
  // In the buyer's own time, which is not the account's where a sandbox clock was moved.
  const until = new Date(now.getTime() + left);
  const data = html`data-seconds="${seconds}" data-five="${words.plain('five_minutes')}" data-one="${words.plain('one_minute')}" data-after="${path}"`;
  // One run of text: what stood behind a time that is written anew would move.
  return html`<p class="deadline" id="deadline" ${data} data-until="${until.toISOString()}" data-locale="${words.language.dates}" data-text="${words.language.texts.complete_by}">${words.plain('complete_by', { time: words.minute(until) })}</p>`;
}

/** What the shop keeps of the instrument; nothing where it keeps nothing. */
export function keepsNote({ words, visit, shop }: PaymentScene): Html {
  if (visit.payment.save_model === null) return nothing;
  const isWallet = visit.payment.method_type === walletType;
  return html`<p class="note">${words.text(isWallet ? 'keeps_wallet' : 'keeps_card', { shop, wallet: walletName })}</p>`;
}

/** The way back to the shop without paying; nothing where the shop gave no address for it. */
export function cancelWay({ words, visit, shop }: PaymentScene): Html {
  const { failure_url: url } = visit.request;
  if (url === undefined) return nothing;
  return otherWay(merchantUrl(url, visit.payment), words.text('cancel', { shop }));
}

/** The brands that the processor takes, before a number is typed; nothing where it names none. */
function acceptedBrands({ words, visit }: PaymentScene): Html {
  const { fieldBrands = [] } = capabilitiesOf(visit.context.processor);
  if (fieldBrands.length === 0) return nothing;
  return words.text('accepted', { brands: fieldBrands.map(brandName).join(', ') });
}

const expiryAttributes = html`inputmode="numeric" autocomplete="cc-exp" dir="ltr" maxlength="9" autocapitalize="off" spellcheck="false"`;

function fields(scene: PaymentScene, faults: CardFaults, name: string): Html {
  const { words } = scene;
  const numeric = (autocomplete: string, most: string) =>
    html`inputmode="numeric" autocomplete="${autocomplete}" dir="ltr" maxlength="${most}" autocapitalize="off" spellcheck="false"`;
  const brand = html`<span class="brand">${cardSign}<span id="brand"></span></span>`;
  return html`${field(scene, faults, {
    name: 'number',
    label: 'number_label',
    hint: acceptedBrands(scene),
    attributes: numeric('cc-number', '30'),
    beside: brand,
    texts: { empty: 'number_empty', short: 'number_short', wrong: 'number_wrong' },
  })}
<div class="row">
${field(scene, faults, {
  name: 'expiry',
  label: 'expiry_label',
  hint: words.text('expiry_hint'),
  attributes: expiryAttributes,
  texts: { empty: 'expiry_empty', past: 'expiry_past' },
})}
${field(scene, faults, {
  name: 'cvc',
  label: 'cvc_label',
  hint: words.text('cvc_hint_3'),
  attributes: numeric('cc-csc', '4'),
  texts: { hint3: 'cvc_hint_3', hint4: 'cvc_hint_4', wrong3: 'cvc_wrong_3', wrong4: 'cvc_wrong_4' },
})}
</div>
${field(scene, faults, {
  name: 'name',
  label: 'name_label',
  attributes: html`autocomplete="cc-name" maxlength="100" autocapitalize="words" spellcheck="false"`,
  value: name,
  texts: { wrong: 'name_wrong' },
})}`;
}

/** The card form. Card number and security code are never filled in again. */
export function cardPage(
  scene: PaymentScene,
  status: number,
  faults: CardFaults = noFaults,
  name = '',
): Page {
  const { words, visit, shop, path } = scene;
  const { payment, context } = visit;
  const title = words.plain('pay_shop', { shop });
  const errorTitle = words.plain('error_title', { title });
  const isWrong = faults.problem !== null || Object.keys(faults.errors).length > 0;
  const month = String(context.now.getUTCFullYear() * 100 + context.now.getUTCMonth() + 1);
  const content = html`<h1>${words.text('pay_shop', { shop })}</h1>
${amountLine(scene, payment)}
${deadline(scene)}
${orderSummary(scene)}${summary(scene, faults)}
<form method="post" action="${path}" id="card" autocomplete="on" novalidate data-month="${month}" data-error-title="${errorTitle}" data-busy="${words.plain('processing')}" data-slow="${words.plain('processing_slow', { shop })}">
${fields(scene, faults, name)}
${keepsNote(scene)}
<button class="action" id="pay" type="submit">${words.text('pay_amount', { amount: words.amount(payment.amount, payment.currency) })}</button>
</form>
<p class="status" id="status" role="status"></p>
${cancelWay(scene)}`;
  return { status, title: isWrong ? errorTitle : title, content };
}

/** What the processor's own fields need. */
export interface ProcessorFields {
  readonly clientToken: string;
  readonly orderId: string;
  readonly fields: HostedFields;
}

/** The same page where the processor takes the card in its own fields, so that its number never comes to us. */
export function processorFieldsPage(
  scene: PaymentScene,
  status: number,
  sdk: ProcessorFields,
  problem: TextKey | null = null,
): Page {
  const { words, visit, shop, path } = scene;
  const { payment } = visit;
  const title = words.plain('pay_shop', { shop });
  const place = (type: string, label: TextKey, hint: Html = nothing) =>
    html`<div class="field"><div class="label"><span class="name" id="${type}-label">${words.text(label)}</span></div>${hint}<div class="frame-field" id="processor-${type}" role="group" aria-labelledby="${type}-label"></div></div>`;
  const problems = html`<div class="summary" id="summary" tabindex="-1"${problem === null ? html` hidden` : html` autofocus`}><p id="summary-reason" role="alert">${problem === null ? '' : words.text(problem)}</p></div>`;
  const content = html`<h1>${words.text('pay_shop', { shop })}</h1>
${amountLine(scene, payment)}
${deadline(scene)}
${orderSummary(scene)}${problems}
<noscript><p class="lead">${words.text('fields_need_script', { shop })}</p></noscript>
<form method="post" action="${path}/approved" id="processor-fields" class="scripted" data-sdk="${sdk.fields.global}" data-token="${sdk.clientToken}" data-order="${sdk.orderId}" data-locale="${words.language.tag}" data-busy="${words.plain('processing')}" data-refused="${words.plain('fields_refused')}" data-canceled="${words.plain('not_approved')}" data-unavailable="${words.plain('fields_unavailable')}">
${place('number', 'number_label', html`<p class="hint">${acceptedBrands(scene)}</p>`)}
<div class="row">
${place('expiry', 'expiry_label')}
${place('cvv', 'cvc_label')}
</div>
${keepsNote(scene)}
<button class="action" id="pay" type="submit" hidden>${words.text('pay_amount', { amount: words.amount(payment.amount, payment.currency) })}</button>
</form>
<p class="status" id="status" role="status"></p>
${cancelWay(scene)}`;
  const shown = problem === null ? title : words.plain('error_title', { title });
  return { status, title: shown, content, hostedFields: sdk.fields };
}
