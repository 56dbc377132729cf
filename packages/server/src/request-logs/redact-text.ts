import { passesLuhn } from '../lib/cards.ts';
import { scrubCardNumbers } from '../lib/log/scrub.ts';

/** Twelve or more digits of any script, with up to three characters that are no letters between two of them. */
const digitRun = /\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){11,}/gu;

/** A security code in free text, after a word that names it. */
const namedCode =
  /\b(cvc2?|cvv2?|csc|security[\s_-]?code)((?:\s+is)?[^\p{L}\p{Nd}]{0,6})\p{Nd}{3,4}(?!\p{Nd})/giu;

/** The shortest text that can contain a named security code. */
const min = 'cvc123'.length;

const secret = /\b([sr]k_(?:test|live)_|whsec_)[A-Za-z0-9+/=]{8,}/g;

/**
 * Removes card numbers, named security codes, and our API keys and secrets from a text. Stricter than the scrubber of the
 * server's own log: removes any run of digits that could be a card number, whatever separates them. Replaces NUL and lone
 * surrogates, which the database cannot store.
 */
export function redactText(text: string): string {
  const kept = text.toWellFormed().replaceAll('\0', '\ufffd').replace(secret, '$1[redacted]');
  // Fast path: most texts are too short for a card number or code, or have no digit.
  if (kept.length < min || !/\p{Nd}/u.test(kept)) return kept;
  return kept.replace(digitRun, redactDigits).replace(namedCode, '$1$2[redacted]');
}

function redactDigits(run: string): string {
  // NFKC turns full-width and mathematical digits into ASCII. Digits of other scripts are not kept.
  const plain = run.normalize('NFKC');
  const digits = plain.replaceAll(/[^\p{Nd}]/gu, '');
  if (!/^\d+$/.test(digits)) return '[digits not kept]';
  return isCardNumber(digits) || hidesCardNumber(plain) ? maskDigits(digits) : run;
}

/** Whether these digits can be a card number that the API accepts: 12 to 19 digits that pass the Luhn check. */
export const isCardNumber = (digits: string): boolean =>
  digits.length >= 12 && digits.length <= 19 && passesLuhn(digits);

/** Whether a part of the run of digits is a card number. */
function hidesCardNumber(run: string): boolean {
  const spaced = run.replaceAll(/\D+/g, ' ');
  return scrubCardNumbers(spaced) !== spaced;
}

export const maskDigits = (digits: string): string => `[card ••••${digits.slice(-4)}]`;
