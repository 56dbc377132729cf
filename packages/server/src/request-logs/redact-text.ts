import { passesLuhn } from '../lib/cards.ts';
import { scrubCardNumbers } from '../lib/log/scrub.ts';

/** Twelve digits or more with whatever people put between them, in any script. */
const digitRun = /\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){11,}/gu;

/** A security code that is named as such in free text. */
const namedCode =
  /\b(cvc2?|cvv2?|csc|security[\s_-]?code)((?:\s+is)?[^\p{L}\p{Nd}]{0,6})\p{Nd}{3,4}(?!\p{Nd})/giu;

/** Of a named code. */
const min = 'cvc123'.length;

const secret = /\b([sr]k_(?:test|live)_|whsec_)[A-Za-z0-9+/=]{8,}/g;

/**
 * Text without card numbers, security codes that are named, and secrets of ours. Stricter than the scrubber of the
 * server's own log: any run of digits that could be a card number goes, whatever stands between them. NUL and lone
 * surrogates, which the database cannot keep, are replaced.
 */
export function redactText(text: string): string {
  const kept = text.toWellFormed().replaceAll('\0', '\ufffd').replace(secret, '$1[redacted]');
  // Most texts are too short for a number or a code, or have no digit.
  if (kept.length < min || !/\p{Nd}/u.test(kept)) return kept;
  return kept.replace(digitRun, redactDigits).replace(namedCode, '$1$2[redacted]');
}

function redactDigits(run: string): string {
  // Full-width and mathematical digits become ASCII; of other scripts nothing is kept.
  const plain = run.normalize('NFKC');
  const digits = plain.replaceAll(/[^\p{Nd}]/gu, '');
  if (!/^\d+$/.test(digits)) return '[digits not kept]';
  return isCardNumber(digits) || hidesCardNumber(plain) ? maskDigits(digits) : run;
}

/** Whether these digits can be a card number as the API takes one: 12 to 19 that pass the Luhn check. */
export const isCardNumber = (digits: string): boolean =>
  digits.length >= 12 && digits.length <= 19 && passesLuhn(digits);

/** Whether a part of the run is a card number. */
function hidesCardNumber(run: string): boolean {
  const spaced = run.replaceAll(/\D+/g, ' ');
  return scrubCardNumbers(spaced) !== spaced;
}

export const maskDigits = (digits: string): string => `[card ••••${digits.slice(-4)}]`;
