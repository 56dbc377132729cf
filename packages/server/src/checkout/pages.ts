import { formatAmount } from '../lib/money.ts';
import type { PaymentRow } from '../payments/present.ts';
import type { FieldErrors, FieldName } from './card-form.ts';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');

export const checkoutStyle = `
:root { color-scheme: light dark; --line: #6b7280; --error: #b00020; --accent: #0b57d0; --on-accent: #fff; }
@media (prefers-color-scheme: dark) { :root { --line: #9ca3af; --error: #ff8a80; --accent: #8ab4f8; --on-accent: #0b1b33; } }
* { box-sizing: border-box; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 30rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
.band { margin: 0; background: #7a4b00; color: #fff; padding: 0.5rem 1rem; text-align: center; font-weight: 600; }
h1 { font-size: 1.5rem; margin: 0.5rem 0; }
.amount { font-size: 2rem; font-weight: 700; margin: 0; }
label { display: block; font-weight: 600; margin-top: 1rem; }
input { font: inherit; width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.4rem; background: Canvas; color: CanvasText; }
input[aria-invalid="true"] { border: 2px solid var(--error); }
.row { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.problem { color: var(--error); margin: 0.25rem 0 0; }
.summary { border: 2px solid var(--error); border-radius: 0.4rem; padding: 0.75rem 1rem; }
.summary a { color: inherit; }
.action { display: block; width: 100%; min-height: 2.75rem; margin-top: 1.5rem; padding: 0.7rem 1rem; border: 0; border-radius: 0.4rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
.quiet { display: inline-block; min-height: 2.75rem; padding: 0.6rem 0; color: inherit; }
h1:focus { outline: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

/** What every page of one payment shows around its content. */
export interface Frame {
  readonly merchant: string;
  readonly livemode: boolean;
  readonly title: string;
}

function layout({ livemode, title, merchant }: Frame, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`${title} · ${merchant}`)}</title>
<link rel="stylesheet" href="/checkout/style.css">
</head>
<body>
${livemode ? '' : '<p class="band" role="note">Test payment. No money will be taken.</p>\n'}<main>
${content}
</main>
</body>
</html>
`;
}

const amountOf = (payment: PaymentRow) =>
  `<p class="amount"><bdi>${escapeHtml(`${formatAmount(payment.amount, payment.currency)} ${payment.currency}`)}</bdi></p>`;

function field(name: FieldName, label: string, attributes: string, errors: FieldErrors, value = ''): string {
  const error = errors[name];
  return `<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" ${attributes} value="${escapeHtml(value)}" aria-describedby="${name}-problem"${error === undefined ? '' : ' aria-invalid="true"'}>
<p class="problem" id="${name}-problem">${escapeHtml(error ?? '')}</p></div>`;
}

function summary(errors: FieldErrors, problem: string): string {
  const entries = Object.entries(errors);
  if (entries.length === 0 && problem === '') return '';
  const items = entries.map(([name, text]) => `<li><a href="#${name}">${escapeHtml(text)}</a></li>`).join('');
  return `<div class="summary" role="alert" tabindex="-1" autofocus>
<p>${escapeHtml(problem === '' ? 'Please check the following. No money has been taken.' : problem)}</p>${items === '' ? '' : `<ul>${items}</ul>`}
</div>`;
}

export interface CardPage {
  readonly merchant: string;
  readonly payment: PaymentRow;
  readonly action: string;
  readonly cancelUrl: string | null;
  readonly errors?: FieldErrors;
  /** What went wrong with the last card, in words that say whether money moved. */
  readonly problem?: string;
  readonly name?: string;
}

/** The card form. Card number and security code are never filled in again. */
export function cardPage({
  merchant,
  payment,
  action,
  cancelUrl,
  errors = {},
  problem = '',
  name = '',
}: CardPage): string {
  const wrong = Object.keys(errors).length > 0 || problem !== '';
  const amount = `${formatAmount(payment.amount, payment.currency)} ${payment.currency}`;
  const deadline = payment.confirm_by?.toISOString().slice(11, 16) ?? '';
  return layout(
    { merchant, livemode: payment.livemode, title: wrong ? 'Error: payment' : 'Payment' },
    `<h1>Pay ${escapeHtml(merchant)}</h1>
${amountOf(payment)}
<p>Complete by ${deadline} UTC.</p>
${summary(errors, problem)}
<form method="post" action="${escapeHtml(action)}" autocomplete="on" novalidate>
${field('number', 'Card number', 'type="text" inputmode="numeric" autocomplete="cc-number" dir="ltr" maxlength="30"', errors)}
<div class="row">
${field('expiry', 'Expiry date (MM/YY)', 'type="text" inputmode="numeric" autocomplete="cc-exp" dir="ltr" maxlength="9"', errors)}
${field('cvc', 'Security code', 'type="text" inputmode="numeric" autocomplete="cc-csc" dir="ltr" maxlength="4"', errors)}
</div>
${field('name', 'Name on card', 'type="text" autocomplete="cc-name" maxlength="100"', errors, name)}
<button class="action" type="submit">Pay ${escapeHtml(amount)}</button>
</form>
${cancelUrl === null ? '' : `<p><a class="quiet" href="${escapeHtml(cancelUrl)}">Cancel and return to ${escapeHtml(merchant)}</a></p>`}`,
  );
}

export interface MessagePage {
  readonly merchant: string;
  readonly livemode: boolean;
  readonly heading: string;
  readonly text: string;
  readonly payment?: PaymentRow;
  readonly action?: { readonly label: string; readonly url: string };
  readonly second?: { readonly label: string; readonly url: string } | null;
}

/** A page that says where the payment stands and at most two ways on. */
export function messagePage({
  merchant,
  livemode,
  heading,
  text,
  payment,
  action,
  second,
}: MessagePage): string {
  return layout(
    { merchant, livemode, title: heading },
    `<h1 tabindex="-1" autofocus>${escapeHtml(heading)}</h1>
${payment === undefined ? '' : amountOf(payment)}
<p>${escapeHtml(text)}</p>
${action === undefined ? '' : `<p><a class="action" href="${escapeHtml(action.url)}">${escapeHtml(action.label)}</a></p>`}
${second == null ? '' : `<p><a class="quiet" href="${escapeHtml(second.url)}">${escapeHtml(second.label)}</a></p>`}`,
  );
}
