import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

describe('canonicalJson', () => {
  it.each([
    ['null', 'null'],
    ['true', 'true'],
    ['-0', '0'],
    ['1.50', '1.5'],
    ['1e21', '1e+21'],
    ['"a\\u0062\\n"', '"ab\\n"'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['[ 3, [1, 2], {} ]', '[3,[1,2],{}]'],
    ['{"b": 1, "a": {"d": [ {"z": 1, "y": 2} ], "c": null}}', '{"a":{"c":null,"d":[{"y":2,"z":1}]},"b":1}'],
    ['{"10": 1, "9": 2, "a": 3, "": 4}', '{"":4,"10":1,"9":2,"a":3}'],
    ['{"__proto__": {"x": 1}, "constructor": 2}', '{"__proto__":{"x":1},"constructor":2}'],
    ['{"\\"q\\"": 1}', '{"\\"q\\"":1}'],
    ['"\\ud800"', '"\\ud800"'],
  ])('serialises %s as %s', (source, canonical) => {
    expect(canonicalJson(JSON.parse(source))).toBe(canonical);
  });

  it('serialises what JSON cannot hold as null', () => {
    expect(canonicalJson(undefined)).toBe('null');
    expect(canonicalJson([undefined, () => 1])).toBe('[null,null]');
  });

  it('distinguishes bodies that differ in a key named __proto__ only', () => {
    expect(canonicalJson(JSON.parse('{"__proto__": 1}'))).not.toBe(canonicalJson(JSON.parse('{}')));
  });

  it('handles any depth that fits a request body', () => {
    const depth = 100_000;
    const arrays = '['.repeat(depth) + ']'.repeat(depth);
    expect(canonicalJson(JSON.parse(arrays))).toBe(arrays);
    const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(canonicalJson(JSON.parse(objects))).toBe(objects);
  });

  it('is lossless: its text parses back to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(parsed))).toEqual(parsed);
      }),
    );
  });

  it('is independent of the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(canonicalJson(withKeysReversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('is different for different values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [left, right] = [JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))];
        expect(canonicalJson(left) === canonicalJson(right)).toBe(equal(left, right));
      }),
    );
  });
});

function withKeysReversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withKeysReversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, withKeysReversed(member)]);
  return Object.fromEntries(entries.reverse());
}

function equal(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
}
