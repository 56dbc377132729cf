import { gzipSync } from 'node:zlib';
import type { Value } from './cases.ts';

/** Replaces the placeholders in a text by their values. */
export type Fill = (text: string) => string;

type Macro = (argument: Value, fill: Fill) => unknown;

const list = (argument: Value): Value[] => argument as Value[];

function repeat(argument: Value, fill: Fill): string {
  const [text, count] = list(argument);
  return fill(text as string).repeat(Number(count));
}

function map(argument: Value): Record<string, string> {
  const [keys, keyLength, valueLength] = list(argument).map(Number);
  return Object.fromEntries(
    Array.from({ length: keys ?? 0 }, (_none, n) => [
      String(n).padStart(keyLength ?? 0, 'k'),
      'v'.repeat(valueLength ?? 0),
    ]),
  );
}

const macros: Readonly<Record<string, Macro>> = {
  $repeat: repeat,
  $concat: (argument, fill) =>
    list(argument)
      .map((part) => toText(part, fill))
      .join(''),
  $map: map,
  $array: (argument, fill) => {
    const [item, count] = list(argument);
    return Array.from({ length: Number(count) }, () => JSON.parse(toJson(item ?? null, fill)) as unknown);
  },
  $object_with_keys: (argument) =>
    Object.fromEntries(Array.from({ length: Number(argument) }, (_none, n) => [`k${n}`, n])),
};

function macroOf(value: Value): [name: string, argument: Value] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [entry, ...others] = Object.entries(value);
  return entry?.[0].startsWith('$') && others.length === 0 ? entry : undefined;
}

function run([name, argument]: [string, Value], fill: Fill): unknown {
  const macro = macros[name];
  if (macro === undefined) throw new Error(`the macro ${name} is not known here`);
  return macro(argument, fill);
}

/** Serializes a value to JSON. `$json` contains the exact JSON text. */
export function toJson(value: Value, fill: Fill): string {
  const macro = macroOf(value);
  if (macro !== undefined) {
    return macro[0] === '$json' ? fill(macro[1] as string) : JSON.stringify(run(macro, fill));
  }
  if (typeof value === 'string') return JSON.stringify(fill(value));
  if (Array.isArray(value)) return `[${value.map((item) => toJson(item, fill)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}:${toJson(item, fill)}`,
  );
  return `{${members.join(',')}}`;
}

/** Evaluates a value to text: a header, a path, or a part of a raw body. */
export function toText(value: Value, fill: Fill): string {
  if (typeof value === 'string') return fill(value);
  const macro = macroOf(value);
  if (macro === undefined) throw new Error(`no text: ${JSON.stringify(value)}`);
  return String(run(macro, fill));
}

/** Evaluates a value to the bytes of a body. */
export function toBytes(value: Value, fill: Fill): Buffer {
  const macro = macroOf(value);
  if (macro?.[0] === '$hex') return Buffer.from(macro[1] as string, 'hex');
  if (macro?.[0] === '$gzip') return gzipSync(toText(macro[1], fill));
  return Buffer.from(toText(value, fill));
}
