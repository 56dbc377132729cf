import { type Provider, walletType } from '@till/contract';
import type { HostedFields } from '../../processors/port/capabilities.ts';
import { capabilitiesOf } from '../../processors/registry.ts';
import { merchantUrl } from '../visit/flow.ts';
import { type CardFaults, cardFields, noFaults, summary } from './card-fields.ts';
import { type Html, html, nothing } from './html.ts';
import { orderSummary } from './order.ts';
import { brandName } from './receipt.ts';
import {
  amountLine,
  linkPathOf,
  otherWay,
  type Page,
  type PaymentScene,
  walletName,
  withLanguage,
} from './scene.ts';
import type { TextKey } from './texts/texts.ts';
import type { Words } from './words.ts';

/** Until when the payment can be completed, with the texts that the page shows as the deadline comes near. */
export function deadline({ words, visit, now, path }: PaymentScene): Html {
  const { payment, context } = visit;
  if (payment.confirm_by === null) return nothing;
  const left = payment.confirm_by.getTime() - context.now.getTime();
  const seconds = String(Math.max(Math.ceil(left / 1000), 0));
  // In the buyer's own time, which differs from the account's if a sandbox clock was moved.
  const until = new Date(now.getTime() + left);
  const data = html`data-seconds="${seconds}" data-five="${words.plain('five_minutes')}" data-one="${words.plain('one_minute')}" data-after="${path}"`;
  // One run of text: otherwise the words after a time would move when the script rewrites it.
  return html`<p class="deadline" id="deadline" ${data} data-until="${until.toISOString()}" data-locale="${words.language.dates}" data-text="${words.language.texts.complete_by}">${words.plain('complete_by', { time: words.minute(until) })}</p>`;
}

/** Which payment method the shop saves, or may save as far as a buyer at its link can see; nothing if it saves none. */
export function keepsNote({ words, visit, shop }: PaymentScene): Html {
  const { mayKeep, payment } = visit;
  if (!mayKeep && payment.save_model === null) return nothing;
  const kept = payment.method_type === walletType ? 'wallet' : 'card';
  const key = mayKeep ? (`may_keep_${kept}` as const) : (`keeps_${kept}` as const);
  return html`<p class="note">${words.text(key, { shop, wallet: walletName })}</p>`;
}

/** The link back to the shop without paying; nothing if the shop gave no address for it. */
export function cancelWay(scene: PaymentScene): Html {
  const { words, visit, shop } = scene;
  const { failure_url: url } = visit.request;
  const linkPath = linkPathOf(visit);
  // Back to where the amount was entered. The payment that was begun is given up there.
  if (url === undefined && linkPath !== null) {
    return otherWay(`${withLanguage(scene, linkPath)}&again=1`, words.text('link_start_again'));
  }
  if (url === undefined) return nothing;
  return otherWay(merchantUrl(url, visit.payment), words.text('cancel', { shop }));
}

/** The brands that the processor accepts, shown before a number is typed; nothing if it names none. */
export function acceptedBrands(words: Words, processor: Provider): Html {
  const { fieldBrands = [] } = capabilitiesOf(processor);
  if (fieldBrands.length === 0) return nothing;
  return words.text('accepted', { brands: words.list(fieldBrands.map(brandName)) });
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
${orderSummary(scene)}${summary(words, faults)}
<form method="post" action="${path}" id="card" autocomplete="on" novalidate data-month="${month}" data-error-title="${errorTitle}" data-busy="${words.plain('processing')}" data-slow="${words.plain('processing_slow', { shop })}">
${cardFields(words, acceptedBrands(words, context.processor), faults, name)}
${keepsNote(scene)}
<button class="action" id="pay" type="submit">${words.text('pay_amount', { amount: words.amount(payment.amount, payment.currency) })}</button>
</form>
<p class="status" id="status" role="status"></p>
${cancelWay(scene)}`;
  return { status, title: isWrong ? errorTitle : title, content };
}

/** The data that the processor's own fields need. */
export interface ProcessorFields {
  readonly clientToken: string;
  readonly orderId: string;
  readonly fields: HostedFields;
}

/** The same page for a processor that takes the card in its own fields, so that the card number never comes to us. */
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
${place('number', 'number_label', html`<p class="hint">${acceptedBrands(words, visit.context.processor)}</p>`)}
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
