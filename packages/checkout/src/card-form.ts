import { brandNames, brandOf, codeLength, digitsOf } from './cards.ts';
import { regroup } from './caret.ts';
import { after, announce, dataOf, find } from './dom.ts';
import { formatExpiry } from './expiry.ts';
import { checkField, type FieldName, fieldNames, type Values } from './fields.ts';

/** After this many seconds the page announces that processing takes longer than usual. */
const slowAfterSeconds = 30;

type Inputs = Readonly<Record<FieldName, HTMLInputElement>>;

function findInputs(): Inputs | undefined {
  const found = fieldNames.map((name) => [name, find(name, HTMLInputElement)] as const);
  return found.every(([, input]) => input !== undefined) ? (Object.fromEntries(found) as Inputs) : undefined;
}

/** Autofill dispatches a plain event that has no input type. */
const editOf = (event: Event) =>
  event instanceof InputEvent ? event : { inputType: '', isComposing: false };

const problemOf = (name: FieldName) => find(`${name}-problem`, HTMLElement);

/**
 * Validates, formats and submits the card form. The form also works without script, because the server applies the same
 * validation.
 */
class CardForm {
  readonly #form: HTMLFormElement;
  readonly #inputs: Inputs;
  readonly #thisMonth: number;
  #digits: string;
  #sent = false;

  constructor(form: HTMLFormElement, inputs: Inputs) {
    this.#form = form;
    this.#inputs = inputs;
    this.#thisMonth = Number(dataOf(form, 'month'));
    this.#digits = digitsOf(inputs.number.value);
  }

  start(): void {
    this.#inputs.number.addEventListener('input', (event) => this.#formatNumber(event));
    this.#inputs.expiry.addEventListener('input', (event) => this.#formatExpiry(event));
    for (const name of fieldNames) {
      const input = this.#inputs[name];
      input.addEventListener('input', () => this.#clearIfRight(name));
      input.addEventListener('blur', () => {
        if (input.value.trim() !== '') this.#validate(name);
      });
    }
    this.#form.addEventListener('submit', (event) => this.#submit(event));
    this.#showBrand();
  }

  #values(): Values {
    return Object.fromEntries(fieldNames.map((name) => [name, this.#inputs[name].value])) as Values;
  }

  #formatNumber(event: Event): void {
    const input = this.#inputs.number;
    const { inputType, isComposing } = editOf(event);
    if (isComposing) return;
    const caret = input.selectionStart ?? input.value.length;
    const edited = regroup(input.value, caret, this.#digits, inputType);
    this.#digits = digitsOf(edited.text);
    if (edited.text !== input.value) {
      input.value = edited.text;
      if (document.activeElement === input) input.setSelectionRange(edited.caret, edited.caret);
    }
    this.#showBrand();
  }

  #formatExpiry(event: Event): void {
    const input = this.#inputs.expiry;
    const { inputType, isComposing } = editOf(event);
    // While the caret is inside the text, the text is not reformatted.
    if (isComposing || (input.selectionStart ?? 0) < input.value.length) return;
    const text = formatExpiry(input.value, inputType.startsWith('delete'));
    if (text !== input.value) input.value = text;
  }

  /** Shows the card brand beside the number and sets the length of the security code for that brand. */
  #showBrand(): void {
    const brand = brandOf(this.#digits);
    const label = find('brand', HTMLElement);
    if (label !== undefined) label.textContent = brand === null ? '' : brandNames[brand];
    const { cvc } = this.#inputs;
    const hint = find('cvc-hint', HTMLElement);
    if (hint !== undefined) hint.textContent = dataOf(cvc, `hint${codeLength(this.#digits)}`);
  }

  #faultText(name: FieldName): string {
    const fault = checkField(name, this.#values(), this.#thisMonth);
    return fault === null ? '' : dataOf(this.#inputs[name], fault);
  }

  /** Shows or clears the error of a field. @returns its text */
  #validate(name: FieldName): string {
    const text = this.#faultText(name);
    const input = this.#inputs[name];
    if (text === '') input.removeAttribute('aria-invalid');
    else input.setAttribute('aria-invalid', 'true');
    const problem = problemOf(name);
    if (problem !== undefined && problem.textContent !== text) problem.textContent = text;
    return text;
  }

  #clearIfRight(changed: FieldName): void {
    // The number decides how long the security code is.
    const concerned: readonly FieldName[] = changed === 'number' ? ['number', 'cvc'] : [changed];
    for (const name of concerned) {
      const isMarked = this.#inputs[name].hasAttribute('aria-invalid');
      if (isMarked && this.#faultText(name) === '') this.#validate(name);
    }
  }

  #submit(event: SubmitEvent): void {
    if (this.#sent) {
      event.preventDefault();
      return;
    }
    const faults = fieldNames
      .map((name) => ({ name, text: this.#validate(name) }))
      .filter(({ text }) => text !== '');
    if (faults.length > 0) {
      event.preventDefault();
      this.#showSummary(faults);
      return;
    }
    this.#sent = true;
    find('pay', HTMLButtonElement)?.setAttribute('aria-disabled', 'true');
    announce(dataOf(this.#form, 'busy'));
    after(slowAfterSeconds, () => announce(dataOf(this.#form, 'slow')));
  }

  #showSummary(faults: readonly { name: FieldName; text: string }[]): void {
    const summary = find('summary', HTMLElement);
    const list = find('summary-list', HTMLUListElement);
    if (summary === undefined || list === undefined) return;
    list.replaceChildren(
      ...faults.map(({ name, text }) => {
        const link = document.createElement('a');
        link.href = `#${name}`;
        link.textContent = text;
        const item = document.createElement('li');
        item.append(link);
        return item;
      }),
    );
    find('summary-reason', HTMLElement)?.remove();
    find('summary-intro', HTMLElement)?.removeAttribute('hidden');
    summary.hidden = false;
    document.title = dataOf(this.#form, 'errorTitle');
    summary.focus();
  }
}

/** Focuses the field that a link of the error summary points to, even in browsers that would only scroll to it. */
function focusFromSummary(): void {
  find('summary', HTMLElement)?.addEventListener('click', (event) => {
    const link = event.target instanceof HTMLAnchorElement ? event.target : undefined;
    const input = link === undefined ? undefined : find(link.hash.slice(1), HTMLInputElement);
    if (input === undefined) return;
    event.preventDefault();
    input.focus();
  });
}

export function startCardForm(): void {
  const form = find('card', HTMLFormElement);
  const inputs = findInputs();
  if (form === undefined || inputs === undefined) return;
  new CardForm(form, inputs).start();
  focusFromSummary();
}
