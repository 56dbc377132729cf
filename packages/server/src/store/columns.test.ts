import { describe, expect, it } from 'vitest';
import { bigint, int, json, jsonRows, nullable, rowsOfJson, text, time } from './columns.ts';

const columns = {
  n: int,
  id: text,
  amount: bigint,
  note: nullable(text),
  at: time,
  facts: nullable(json<object>()),
} as const;
const row = { id: 'a', amount: 5, note: null, at: new Date(0), facts: { code: null }, unlisted: 'no column' };

describe('the rows of a statement', () => {
  it('have the listed columns alone, without those that are null', () => {
    expect(JSON.parse(jsonRows(columns, [[row, { n: 0 }]]))).toEqual([
      { n: 0, id: 'a', amount: 5, at: '1970-01-01T00:00:00.000Z', facts: { code: null } },
    ]);
  });

  it('take a field of the second object in place of that of the first, also where it is null', () => {
    const changed = jsonRows(columns, [[row, { n: 0, id: '"b"', facts: null }]]);
    expect(JSON.parse(changed)).toEqual([{ n: 0, id: '"b"', amount: 5, at: '1970-01-01T00:00:00.000Z' }]);
  });

  it('are read with the types of their columns', () => {
    expect(rowsOfJson(columns)).toContain(
      '(n int, id text, amount bigint, note text, at timestamptz, facts json)',
    );
  });
});
