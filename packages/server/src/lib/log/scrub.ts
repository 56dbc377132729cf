import { type CardBrand, cardBrand, luhnDouble } from '../cards.ts';

const minLength = 13;
const maxLength = 19;

/** A digit and all following characters that may belong to a written card number, with the sign of a bare JSON number. */
const candidate = /-?\d[\d -]{12,}/g;

/** The lengths per brand at which a number counts even if more digits touch it, as in `%204111111111111111`. */
const issuedLengths: Readonly<Record<CardBrand, readonly number[]>> = {
  visa: [16, 19],
  mastercard: [16],
  amex: [15],
  discover: [16, 19],
  diners: [14, 16, 19],
  jcb: [16, 19],
  maestro: [16, 18, 19],
  unionpay: [16, 17, 18, 19],
};

/** Consecutive digits, with the index of each in the text. */
interface Run {
  readonly digits: string;
  readonly places: readonly number[];
}

/** The first and last digit of a range that must not be shown, as indexes into `Run.digits`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Replaces every card number in `text` by `[card ••••1111]`, keeping the last four digits. A card number is 13 to 19
 * digits that pass the Luhn check, with any spaces and hyphens between them (which the API accepts too). If more digits
 * touch it, its brand and length must match as well. A JSON object stays valid: the mask of a number outside a string is
 * quoted. Runs in linear time.
 */
export function scrubCardNumbers(text: string): string {
  const isInsideString = text.startsWith('{"') ? jsonStrings(text) : () => true;
  let isJson: boolean | undefined;
  return text.replace(candidate, (match, offset: number) => {
    const masked = maskCards(match);
    if (masked === match || isInsideString(offset)) return masked;
    // Parsed only now, because log lines hardly ever have a number of that length outside of strings.
    isJson ??= isJsonText(text);
    if (!isJson) return masked;
    // This is a bare JSON number. One with a fraction is a measurement, not a card number.
    const neighbours = `${text[offset - 1]}${text[offset + match.length]}`;
    if (neighbours.includes('.')) return match;
    return `"${mask(digitsOf(match))}"`;
  });
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const digitsOf = (match: string): string => match.replaceAll(/[ -]/g, '');

/** Masks the card numbers of a match, then looks again in the text between them, which no longer touches masked digits. */
function maskCards(match: string): string {
  const run = readRun(match);
  let masked = '';
  let next = 0;
  for (const { start, end } of findCards(run)) {
    masked += maskCards(match.slice(next, run.places[start])) + mask(run.digits.slice(start, end + 1));
    next = (run.places[end] ?? 0) + 1;
  }
  return next === 0 ? match : masked + maskCards(match.slice(next));
}

function readRun(text: string): Run {
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (isDigit(text.charCodeAt(at))) places.push(at);
  }
  return { digits: digitsOf(text), places };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Finds the ranges of card numbers in ascending order. Overlapping ones are merged, so that no digit of either is left over. */
function findCards(run: Run): Range[] {
  const stretches: Range[] = [];
  for (let end = minLength - 1; end < run.digits.length; end += 1) {
    let start = longestCardEndingAt(run, end);
    if (start === undefined) continue;
    for (let last = stretches.at(-1); last !== undefined && last.end >= start; last = stretches.at(-1)) {
      start = Math.min(start, last.start);
      stretches.pop();
    }
    stretches.push({ start, end });
  }
  return stretches;
}

/** Walks left from the check digit, so that one running Luhn sum covers all seven lengths. */
function longestCardEndingAt(run: Run, end: number): number | undefined {
  let sum = 0;
  let found: number | undefined;
  const steps = Math.min(maxLength, end + 1);
  for (let length = 1; length <= steps; length += 1) {
    const start = end + 1 - length;
    const digit = run.digits.charCodeAt(start) - 0x30;
    sum += length % 2 === 1 ? digit : luhnDouble(digit);
    if (length >= minLength && sum % 10 === 0 && canBeCard(run, start, end)) found = start;
  }
  return found;
}

function canBeCard(run: Run, start: number, end: number): boolean {
  const standsAlone = !touches(run, start - 1, start) && !touches(run, end, end + 1);
  if (standsAlone) return true;
  const brand = cardBrand(run.digits.slice(start, start + 4));
  return brand !== null && issuedLengths[brand].includes(end + 1 - start);
}

/** Whether both digits exist and nothing separates them. */
function touches(run: Run, left: number, right: number): boolean {
  const from = run.places[left];
  return from !== undefined && run.places[right] === from + 1;
}

function mask(digits: string): string {
  return `[card ••••${digits.slice(-4)}]`;
}

/** Returns a function that decides for ascending offsets into a JSON text whether they are inside a string, in one pass. */
function jsonStrings(text: string): (offset: number) => boolean {
  let at = 0;
  let inside = false;
  return (offset) => {
    for (; at < offset; at += 1) {
      if (text[at] === '"') inside = !inside;
      else if (text[at] === '\\') at += 1;
    }
    return inside;
  };
}
