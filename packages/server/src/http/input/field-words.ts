import { limits, patternDescriptions } from '@till/contract';

/** The parts of a JSON schema that error messages describe. */
export interface SchemaPart {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly writeOnly?: boolean;
}

function formatWords({ format, minLength = 0, maxLength }: SchemaPart): string {
  switch (format) {
    case 'email':
      return `an e-mail address with one @ and a dot in the domain, of at most ${limits.emailLength} characters`;
    case 'date':
      return 'a date of the calendar as YYYY-MM-DD';
    case 'https-url':
      return `an https:// URL without fragment, spaces or credentials, of at most ${maxLength} characters`;
    case 'ip':
      return 'an IPv4 or IPv6 address';
    case 'language-tag':
      return 'a language tag (BCP 47), such as en, en-GB or zh-Hans-CN';
    case 'person-name':
      return `a person's name of ${minLength === 0 ? 'at most' : `${minLength} to`} ${maxLength} characters, without a card number`;
    default:
      return 'a valid value';
  }
}

function numberWords({ type, minimum, maximum }: SchemaPart): string {
  const noun = type === 'integer' ? 'an integer' : 'a number';
  if (minimum === undefined) return noun;
  return maximum === undefined ? `${noun} of at least ${minimum}` : `${noun} from ${minimum} to ${maximum}`;
}

function textWords(schema: SchemaPart): string {
  const { format, pattern, description, minLength, maxLength } = schema;
  if (format !== undefined) return formatWords(schema);
  const form = pattern === undefined ? undefined : (patternDescriptions[pattern] ?? description);
  if (form !== undefined) return form.replace(/\.$/, '');
  const min = minLength === undefined ? '' : ' that is not empty,';
  return maxLength === undefined ? 'a string' : `a string${min} of at most ${maxLength} characters`;
}

/** Describes what a schema accepts, in the form that follows "must be" in a message. */
export function acceptedWords(schema: SchemaPart): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return numberWords(schema);
    case 'string':
      return textWords(schema);
    case 'boolean':
      return 'true or false';
    case 'array':
      return schema.maxItems === undefined ? 'an array' : `an array of at most ${schema.maxItems} items`;
    case 'object':
      return schema.maxProperties === undefined
        ? 'an object'
        : `an object of at most ${schema.maxProperties} keys`;
    default:
      return 'a valid value';
  }
}

/** For longer texts a message only names the length. */
const maxShownLength = 30;
/** A text with more digits is not shown: it could be a card number or another sensitive number. */
const maxDigits = 8;

/**
 * Describes the sent value, in the form that precedes "was sent" in a message. It never contains a card number, a security code
 * or a long text.
 * @param isSecret whether the field takes a value that must not be repeated
 */
export function sentWords(value: unknown, isSecret = false): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `an array of ${counted(value.length, 'item')}`;
  if (typeof value === 'object') return `an object of ${counted(Object.keys(value).length, 'key')}`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  if (typeof value === 'number') {
    if (isSecret) return 'a number';
    // JSON has no largest number: one that does not fit is parsed as infinite, and would be written as null.
    if (!Number.isFinite(value)) return 'a number beyond all limits';
    return digits > 12 ? `a number of ${digits} digits` : text;
  }
  const length = Array.from(text).length;
  if (length === 0) return 'an empty string';
  const isShown =
    !isSecret && length <= maxShownLength && digits <= maxDigits && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
  return isShown ? JSON.stringify(text) : `a string of ${counted(length, 'character')}`;
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
