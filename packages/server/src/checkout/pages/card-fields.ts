import type { FieldErrors, FieldName } from './card/card-form.ts';
import { type Html, html, nothing } from './html.ts';
import type { TextKey } from './texts/texts.ts';
import type { Words } from './words.ts';

/** What is wrong with the form that was sent. */
export interface CardFaults {
  readonly errors: FieldErrors;
  /** The outcome of the last card, in words that say whether money moved. */
  readonly problem: TextKey | null;
  /** A second sentence with the reason. */
  readonly reason?: TextKey | null;
}

export const noFaults: CardFaults = { errors: {}, problem: null };

const cardSign = html`<svg viewBox="0 0 24 16" aria-hidden="true" focusable="false"><rect x=".75" y=".75" width="22.5" height="14.5" rx="2.25" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M1 4.5h22v2.5H1z" fill="currentColor"/></svg>`;

/** The `data-` attributes of an input: every text that the script may have to show. */
const textAttributes = (words: Words, texts: Readonly<Record<string, TextKey>>): Html =>
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

function field(words: Words, { errors }: CardFaults, input: Field): Html {
  const { name, value = '' } = input;
  const error = errors[name];
  const hint = input.hint === undefined ? nothing : html`<p class="hint" id="${name}-hint">${input.hint}</p>`;
  const described = input.hint === undefined ? `${name}-problem` : `${name}-hint ${name}-problem`;
  return html`<div class="field">
<div class="label"><label for="${name}">${words.text(input.label)}</label>${input.beside ?? nothing}</div>
${hint}
<input id="${name}" name="${name}" type="text" ${input.attributes} value="${value}" aria-required="true" aria-describedby="${described}"${error === undefined ? nothing : html` aria-invalid="true"`}${textAttributes(words, input.texts)}>
<p class="problem" id="${name}-problem" aria-live="polite">${error === undefined ? '' : words.text(error)}</p>
</div>`;
}

const order: readonly FieldName[] = ['number', 'expiry', 'cvc', 'name'];

/** The summary of errors at the top of the form. It is always present, so that assistive technology knows it. */
export function summary(words: Words, { errors, problem, reason }: CardFaults): Html {
  const items = order.flatMap((name) => {
    const error = errors[name];
    return error === undefined ? [] : [html`<li><a href="#${name}">${words.text(error)}</a></li>`];
  });
  const isWrong = items.length > 0 || problem !== null;
  const why = reason == null ? nothing : html` ${words.text(reason)}`;
  const first = problem === null ? nothing : html`<p id="summary-reason">${words.text(problem)}${why}</p>\n`;
  // The script shows this in place of the problem if the next card lacks something.
  const intro = html`<div id="summary-intro"${problem === null ? nothing : html` hidden`}>
<h2>${words.text('summary_title')}</h2>
<p>${words.text('nothing_taken')}</p>
</div>`;
  return html`<div class="summary" id="summary" tabindex="-1"${isWrong ? html` autofocus` : html` hidden`}>
<div role="alert">
${first}${intro}
<ul id="summary-list">${items}</ul>
</div>
</div>`;
}

const expiryAttributes = html`inputmode="numeric" autocomplete="cc-exp" dir="ltr" maxlength="9" autocapitalize="off" spellcheck="false"`;

/** The fields of a card. @param accepted the accepted brands @param name the name to fill in again */
export function cardFields(words: Words, accepted: Html, faults: CardFaults, name: string): Html {
  const numeric = (autocomplete: string, max: string) =>
    html`inputmode="numeric" autocomplete="${autocomplete}" dir="ltr" maxlength="${max}" autocapitalize="off" spellcheck="false"`;
  const brand = html`<span class="brand">${cardSign}<span id="brand"></span></span>`;
  return html`${field(words, faults, {
    name: 'number',
    label: 'number_label',
    hint: accepted,
    attributes: numeric('cc-number', '30'),
    beside: brand,
    texts: { empty: 'number_empty', short: 'number_short', wrong: 'number_wrong' },
  })}
<div class="row">
${field(words, faults, {
  name: 'expiry',
  label: 'expiry_label',
  hint: words.text('expiry_hint'),
  attributes: expiryAttributes,
  texts: { empty: 'expiry_empty', past: 'expiry_past' },
})}
${field(words, faults, {
  name: 'cvc',
  label: 'cvc_label',
  hint: words.text('cvc_hint_3'),
  attributes: numeric('cc-csc', '4'),
  texts: { hint3: 'cvc_hint_3', hint4: 'cvc_hint_4', wrong3: 'cvc_wrong_3', wrong4: 'cvc_wrong_4' },
})}
</div>
${field(words, faults, {
  name: 'name',
  label: 'name_label',
  attributes: html`autocomplete="cc-name" maxlength="100" autocapitalize="words" spellcheck="false"`,
  value: name,
  texts: { wrong: 'name_wrong' },
})}`;
}
