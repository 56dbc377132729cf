import { namedSchemas } from '@till/contract';
import { holdsNumber } from '../lib/text/digits.ts';
import { isCardNumber, maskDigits, redactText } from './redact-text.ts';

/** Placeholder for a value that is never stored. */
export const redacted = '[redacted]';
const unknownField = '[unknown field, not kept]';
const cut = '[cut]';

const maxTextLength = 500;
const maxNameLength = 100;
const maxDepth = 32;

interface SchemaPart {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly patternProperties?: Readonly<Record<string, SchemaPart>>;
  readonly items?: SchemaPart;
  readonly anyOf?: readonly SchemaPart[];
}

const named: ReadonlyMap<string, SchemaPart> = new Map(
  namedSchemas.map((schema) => [(schema as unknown as { $id: string }).$id, schema as SchemaPart]),
);

/** Patterns of field names, in lower case and without punctuation, that reveal the kind of the value. */
const codeNames = /cvc|cvv|securitycode|cardcode|verificationvalue|^(csc|cvn|cvd|cid|cav2|pin|pinblock)$/;
const numberNames = /^(number|pan|ccnumber|accountnumber)$|cardnumber/;
const secretNames = /^authorization$|password|secret|apikey|clienttoken|^track([123]|data)?$|magstripe/;
/** Links with a token that works for anyone who opens them. */
const linkNames = /^(checkouturl|redirecturl)$/;

type FieldKind = 'code' | 'number' | 'secret' | 'link' | 'other';

/** Caches the kinds of field names, because the same few hundred names recur. */
const kinds = new Map<string, FieldKind>();
const maxKinds = 1000;

function kindOf(name: string): FieldKind {
  const known = kinds.get(name);
  if (known !== undefined) return known;
  const field = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const kind = codeNames.test(field)
    ? 'code'
    : secretNames.test(field)
      ? 'secret'
      : numberNames.test(field)
        ? 'number'
        : linkNames.test(field)
          ? 'link'
          : 'other';
  // Merchants choose the names of their metadata, so their number is unbounded.
  if (kinds.size >= maxKinds) kinds.clear();
  kinds.set(name, kind);
  return kind;
}

/** Limits the size of the stored body. Values after the limit are replaced by a mark, so that the result stays valid JSON. */
class Budget {
  left: number;
  readonly #cardNumber: string | undefined;

  /** @param cardNumber digits of the request's card number, which are redacted in every text, in any spacing */
  constructor(characters: number, cardNumber?: string) {
    this.left = characters;
    this.#cardNumber = cardNumber;
  }

  redactText(text: string): string {
    const hides = this.#cardNumber !== undefined && holdsNumber(text, this.#cardNumber);
    return hides ? '[digits not kept]' : redactText(text);
  }

  get isSpent(): boolean {
    return this.left <= 0;
  }

  spend<T extends string | number | boolean | null>(value: T): T {
    this.left -= String(value).length + 4;
    return value;
  }
}

/**
 * Redacts a request body for storage. Keeps the fields in the operation's schema, only the names of unknown fields (decisions,
 * "Order of checks"), and no card data.
 * @param maxCharacters approximate maximum size
 * @param cardNumber the digits of the card number in the body, if it has one
 */
export const redactRequest = (
  body: object,
  schema: object,
  maxCharacters: number,
  cardNumber?: string,
): unknown => redactBySchema(body, schema, new Budget(maxCharacters, cardNumber), '', 0);

/** Redacts a response body for storage. Its structure is ours, but it contains the merchant's texts. */
export const redactAnswer = (body: unknown, maxCharacters: number): unknown =>
  redactWithoutSchema(body, new Budget(maxCharacters), '', 0);

function redactBySchema(
  value: unknown,
  schema: SchemaPart,
  budget: Budget,
  name: string,
  depth: number,
): unknown {
  const part = resolve(schema, value);
  if (isObject(value)) {
    if (part.patternProperties !== undefined) return redactWithoutSchema(value, budget, name, depth);
    const { properties } = part;
    if (properties === undefined) return budget.spend('[object, not kept]');
    return redactFields(value, budget, (key, inner) => {
      const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return known === undefined
        ? budget.spend(unknownField)
        : redactBySchema(inner, known, budget, key, depth + 1);
    });
  }
  if (Array.isArray(value)) {
    const { items } = part;
    if (items === undefined) return budget.spend('[list, not kept]');
    return redactItems(value, budget, (item) => redactBySchema(item, items, budget, name, depth + 1));
  }
  const expectsMore = part.properties ?? part.patternProperties ?? part.items;
  if (expectsMore !== undefined && value !== null) return budget.spend('[not an object, not kept]');
  return redactScalar(value, budget, name);
}

function redactWithoutSchema(value: unknown, budget: Budget, name: string, depth: number): unknown {
  if (depth > maxDepth) return budget.spend(cut);
  if (isObject(value)) {
    const kind = kindOf(name);
    if (kind === 'code' || kind === 'secret') return budget.spend(redacted);
    return redactFields(value, budget, (key, inner) => redactWithoutSchema(inner, budget, key, depth + 1));
  }
  if (Array.isArray(value)) {
    return redactItems(value, budget, (item) => redactWithoutSchema(item, budget, name, depth + 1));
  }
  return redactScalar(value, budget, name);
}

function redactFields(
  object: Readonly<Record<string, unknown>>,
  budget: Budget,
  redactValue: (name: string, value: unknown) => unknown,
): object {
  const fields: [string, unknown][] = [];
  for (const [name, value] of Object.entries(object)) {
    if (budget.isSpent) {
      fields.push(['…', cut]);
      break;
    }
    fields.push([budget.spend(budget.redactText(name).slice(0, maxNameLength)), redactValue(name, value)]);
  }
  // Unlike an assignment, this makes `__proto__` an ordinary field.
  return Object.fromEntries(fields);
}

function redactItems(
  items: readonly unknown[],
  budget: Budget,
  redactItem: (item: unknown) => unknown,
): unknown[] {
  const kept: unknown[] = [];
  for (const item of items) {
    if (budget.isSpent) {
      kept.push(cut);
      break;
    }
    kept.push(redactItem(item));
  }
  return kept;
}

function redactScalar(value: unknown, budget: Budget, name: string): string | number | boolean | null {
  const kind = kindOf(name);
  if (typeof value === 'string') return budget.spend(redactString(value, kind, budget));
  if (typeof value === 'number') {
    if (kind !== 'other' && kind !== 'link') return budget.spend(redacted);
    const text = String(value);
    const kept = budget.redactText(text);
    return budget.spend(kept === text ? value : kept);
  }
  return budget.spend(typeof value === 'boolean' ? value : null);
}

function redactString(value: string, kind: FieldKind, budget: Budget): string {
  switch (kind) {
    case 'code':
      // Verification results such as `avs.cvc: "match"` contain no digit and are kept.
      return /\p{Nd}/u.test(value) ? redacted : shorten(value, budget);
    case 'secret':
      return redacted;
    case 'number': {
      const digits = value.replaceAll(/[ -]/g, '');
      return isCardNumber(digits) ? maskDigits(digits) : redacted;
    }
    case 'link':
      return originOf(value);
    case 'other':
      return shorten(value, budget);
  }
}

/** Redacts a text and then truncates it. This order leaves no half of a card number. */
function shorten(value: string, budget: Budget): string {
  const text = budget.redactText(value);
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}… ${cut}`;
}

const originOf = (link: string) => `${/^https?:\/\/[^/?#]*/.exec(link)?.[0] ?? ''}/${redacted}`;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Resolves references, and picks the branch of a union that fits the value's kind: object, list or scalar. */
function resolve(schema: SchemaPart, value: unknown): SchemaPart {
  if (schema.$ref !== undefined) {
    const found = named.get(schema.$ref);
    return found === undefined ? {} : resolve(found, value);
  }
  if (schema.anyOf === undefined) return schema;
  const branches = schema.anyOf.map((branch) => resolve(branch, value));
  const fits = ({ properties, patternProperties, items }: SchemaPart) => {
    if (isObject(value)) return properties !== undefined || patternProperties !== undefined;
    if (Array.isArray(value)) return items !== undefined;
    return (properties ?? patternProperties ?? items) === undefined;
  };
  return branches.find(fits) ?? {};
}
