import { stepOf } from '../visit/flow.ts';
import { cancelWay, deadline, keepsNote } from './card-page.ts';
import { type Html, html, nothing } from './html.ts';
import { orderSummary } from './order.ts';
import {
  amountLine,
  heading,
  mainAction,
  otherWay,
  type Page,
  type PaymentScene,
  type Scene,
  walletName,
} from './scene.ts';
import type { TextKey } from './texts/texts.ts';

const statusLine = html`<p class="status" id="status" role="status"></p>`;

/** Shown before the buyer goes to the wallet. @param problem the outcome of the last visit there */
export function walletPage(scene: PaymentScene, problem: TextKey | null = null): Page {
  const { words, visit, shop, path } = scene;
  const content = html`${heading(words.text('pay_shop', { shop }))}
${amountLine(scene, visit.payment)}
${deadline(scene)}
${orderSummary(scene)}<p class="lead">${problem === null ? nothing : html`${words.text(problem)} `}${words.text('wallet_lead', { wallet: walletName })}</p>
${keepsNote(scene)}
${mainAction(`${path}/continue`, words.text('wallet_continue', { wallet: walletName }))}
${statusLine}
${cancelWay(scene)}`;
  return { status: 200, title: words.plain('pay_shop', { shop }), content };
}

/** Shown while the bank waits for the buyer: its page in a frame of this one, or in the whole window without JavaScript. */
export function bankPage(scene: PaymentScene, address: string, problem: TextKey | null = null): Page {
  const { words, visit, path } = scene;
  const takesCard = stepOf(visit.payment) === 'enter_card';
  const data = html`data-address="${path}/continue" data-title="${words.plain('bank_frame')}" data-state="${path}/state" data-after="${path}/wait"`;
  const content = html`${heading(words.text('bank_title'))}
${amountLine(scene, visit.payment)}
${deadline(scene)}
<p class="lead">${words.text(problem ?? 'bank_lead')}</p>
<div id="bank" ${data}></div>
<div class="unscripted">${mainAction(`${path}/continue`, words.text('bank_continue'))}</div>
<p class="ways scripted"><a class="plain" href="${path}/continue">${words.text('bank_elsewhere')}</a></p>
${statusLine}
${takesCard ? otherWay(`${path}/card`, words.text('another_card')) : nothing}
${cancelWay(scene)}`;
  return { status: 200, title: words.plain('bank_title'), content, frame: new URL(address).origin };
}

/** Shown while the processor handles the request. @param query of the URL to continue at */
export function processingPage({ words, path, shop }: Scene, query = ''): Page {
  const after = `${path}/wait${query}`;
  const content = html`<div id="processing" data-state="${path}/state" data-after="${after}" data-slow="${words.plain('processing_slow', { shop })}">
${heading(words.text('processing'))}
<p class="lead">${words.text('processing_lead')}</p>
<div class="busy" aria-hidden="true"></div>
${statusLine}
</div>`;
  return {
    status: 200,
    title: words.plain('processing'),
    content,
    refresh: { seconds: 3, path: after },
  };
}

/** Shown if nobody knows yet whether the processor charged. @param query of the URL to check again */
export function outagePage(
  { words, path, requestId }: Pick<Scene, 'words' | 'path' | 'requestId'>,
  query = '',
): Page {
  const reference = html`<dl class="facts"><dt>${words.text('fact_reference')}</dt><dd><bdi>${requestId}</bdi></dd></dl>`;
  const content = html`${heading(words.text('outage_title'))}
<p class="lead">${words.text('outage')}</p>
${mainAction(`${path}/wait${query}`, words.text('check_again'))}
${reference}`;
  return { status: 503, title: words.plain('outage_title'), content };
}

/** Shown only in one of our frames. The whole window continues from here. */
export function frameEndPage({ words }: PaymentScene, address: string): Page {
  const link: Html = html`<a class="action" id="leave-frame" target="_top" href="${address}">${words.text('go_on')}</a>`;
  const content = html`<h1 class="unseen">${words.text('go_on')}</h1>
<p>${link}</p>`;
  return { status: 200, title: words.plain('go_on'), content };
}
