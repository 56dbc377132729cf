import { invalidParam } from '@till/contract';
import { cardNumberIn, holdsNumber } from '../../lib/text/digits.ts';
import { type JsonObject, shownPath } from './body.ts';

/**
 * Refuses a body that repeats its own card number, in any spacing, in another field or in the name of a field: from there it
 * would be stored and sent on (decisions, "Limits and refusals"). For names of persons, the format in the contract refuses any
 * card number.
 * @param field the path of the field that takes the number, `payment_method.number`
 * @throws ApiError `invalid_params` that names the other field
 */
export function refuseMisplacedCardNumber(body: JsonObject, field: string): void {
  const number = cardNumberIn(body, field);
  if (number === undefined) return;
  const found = findNumber(body, '', { number, field });
  if (found === undefined) return;
  const path = shownPath(found);
  throw invalidParam(path, `${path} must not hold the card's number: it belongs in ${field} only.`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The path of the first field that contains the number. If a field's name contains it, the path of the enclosing object. */
function findNumber(
  value: unknown,
  path: string,
  own: { readonly number: string; readonly field: string },
): string | undefined {
  if (path === own.field) return undefined;
  if (typeof value === 'string' || typeof value === 'number') {
    return spellings(String(value)).some((text) => holdsNumber(text, own.number)) ? path : undefined;
  }
  if (!isObject(value)) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && holdsNumber(name, own.number)) return path === '' ? 'body' : path;
    const below = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const found = findNumber(inner, below, own);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The text itself, and with URL escapes such as %20 replaced by spaces. */
const spellings = (text: string): string[] =>
  text.includes('%') ? [text, text.replaceAll(/%[0-9a-f]{2}/gi, ' ')] : [text];
