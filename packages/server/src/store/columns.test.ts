import { describe, expect, it } from 'vitest';
import {
  bigint,
  int,
  json,
  jsonRow,
  jsonRows,
  listOf,
  nullable,
  parametersOf,
  rowsOfJson,
  text,
  time,
  valuesOf,
} from './columns.ts';

const columns = {
  n: int,
  id: text,
  amount: bigint,
  note: nullable(text),
  at: time,
  facts: nullable(json<object>()),
} as const;
const row = { id: 'a', amount: 5, note: null, at: new Date(0), facts: { code: null }, unlisted: 'no column' };

describe('the input rows of a statement', () => {
  it('have the listed columns only, without nulls', () => {
    expect(JSON.parse(jsonRows(columns, [[row, { n: 0 }]]))).toEqual([
      { n: 0, id: 'a', amount: 5, at: '1970-01-01T00:00:00.000Z', facts: { code: null } },
    ]);
  });

  it('a field of the second object overrides that of the first, also with null', () => {
    const changed = jsonRows(columns, [[row, { n: 0, id: '"b"', facts: null }]]);
    expect(JSON.parse(changed)).toEqual([{ n: 0, id: '"b"', amount: 5, at: '1970-01-01T00:00:00.000Z' }]);
  });

  it('are read with the columns’ types', () => {
    expect(rowsOfJson(columns)).toContain(
      '(n int, id text, amount bigint, note text, at timestamptz, facts json)',
    );
  });
});

describe('a row as JSON', () => {
  it('leaves out nulls and the values that are known', () => {
    expect(JSON.parse(jsonRow(columns, { ...row, n: 0 }, { n: 0, amount: 6 }).written)).toEqual({
      id: 'a',
      amount: 5,
      at: '1970-01-01T00:00:00.000Z',
      facts: { code: null },
    });
  });
});

describe('the list of columns', () => {
  it('names each once, of its table where one is given', () => {
    expect(listOf({ id: text, note: text })).toBe('id, note');
    expect(listOf({ id: text, note: text }, 'r')).toBe('r.id, r.note');
  });

  it('has SQL of its own for a column that is computed', () => {
    expect(listOf({ id: text, email: text }, 'r', { email: 'u.email' })).toBe('r.id, u.email as email');
  });
});

describe('an inserted row', () => {
  it('has a parameter for each column, and its value in the same place', () => {
    expect(parametersOf(columns)).toBe('$1, $2, $3, $4, $5, $6');
    expect(parametersOf({ id: text, note: text }, 3)).toBe('$3, $4');
    expect(valuesOf(columns, { at: row.at, facts: null, amount: 5, note: null, id: 'a', n: 0 })).toEqual([
      0,
      'a',
      5,
      null,
      row.at,
      null,
    ]);
  });

  it('has objects and arrays of JSON as text', () => {
    expect(valuesOf({ facts: json<object>() }, { facts: [{ code: null }] })).toEqual(['[{"code":null}]']);
  });
});
