import { digitsOf, formatNumber } from './cards.ts';

/** The position of the caret after the given number of digits. */
function placeAfter(text: string, digits: number): number {
  let seen = 0;
  for (let place = 0; place < text.length; place += 1) {
    if (seen === digits) return place;
    if (/\d/.test(text.charAt(place))) seen += 1;
  }
  return text.length;
}

export interface Edited {
  readonly text: string;
  readonly caret: number;
}

/**
 * Regroups a card number after an edit and keeps the caret behind the same digit.
 * @param caret position after the edit, before regrouping
 * @param before the digits before the edit
 * @param inputType of the `input` event; deleting a space deletes the digit beside it
 */
export function regroup(value: string, caret: number, before: string, inputType: string): Edited {
  let digits = digitsOf(value);
  let left = digitsOf(value.slice(0, caret)).length;
  if (digits === before && inputType === 'deleteContentBackward' && left > 0) {
    digits = digits.slice(0, left - 1) + digits.slice(left);
    left -= 1;
  } else if (digits === before && inputType === 'deleteContentForward') {
    digits = digits.slice(0, left) + digits.slice(left + 1);
  }
  const text = formatNumber(digits);
  const atEnd = left >= digits.length;
  return { text, caret: atEnd ? text.length : placeAfter(text, left) };
}
