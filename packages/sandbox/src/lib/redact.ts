import { isObject } from './json.ts';

function replaceIn(value: unknown, typed: RegExp, shown: string): unknown {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    const replaced = text.replace(typed, shown);
    return replaced === text ? value : replaced;
  }
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, typed, shown));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.replace(typed, shown), replaceIn(inner, typed, shown)]),
  );
}

/** Masks a card number wherever it occurs in a value, even with spaces or hyphens between its digits. */
export function maskCardNumber<Value>(value: Value, number: string): Value {
  const typed = new RegExp(number.split('').join('[ -]?'), 'g');
  if ((JSON.stringify(value) ?? '').search(typed) === -1) return value;
  const shown = `${number.slice(0, 6)}${'*'.repeat(number.length - 10)}${number.slice(-4)}`;
  return replaceIn(value, typed, shown) as Value;
}
