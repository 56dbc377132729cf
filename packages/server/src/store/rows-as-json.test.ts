import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../vault/test-database.ts';
import { bigint, bool, bytes, int, json, nullable, rowsAsJson, text, texts, time } from './columns.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const query = <Row>(sql: string) => database.db.query<Row>({ text: sql, scope: 'everybody' });

const columns = {
  id: text,
  amount: bigint,
  month: nullable(int),
  is_on: bool,
  labels: texts,
  facts: nullable(json<object>()),
  at: nullable(time),
} as const;
const { select, read } = rowsAsJson(columns);

const values = [
  `('pay_1', 9007199254740991, 12, true, '{a,"b c"}', '{"code": null, "list": [1, "\\u00e9"]}', '2026-11-26 12:34:56.789+00')`,
  `(E'"quoted"\n\\\\ und Köln 🙂', -5, null, false, '{}', null, null)`,
  `('', 0, 0, false, array[]::text[], '[]', '2026-11-26 23:34:56.7-05:30')`,
  `('micro', 0, 0, false, '{}', '0', '2026-11-26 12:34:56.789999+00')`,
  `('early', 0, 0, false, '{}', '"text"', '0099-12-31 00:00:00+00')`,
  `('late', 0, 0, false, '{}', 'true', '12026-11-26 00:00:00+00')`,
  `('endless', 0, 0, false, '{}', 'null', 'infinity')`,
];

describe('rows that come as JSON', () => {
  it.each(values)('are those that come by columns: %s', async (written) => {
    const rows = `(select p.column1::text as id, column2::bigint as amount, column3::int as month, column4 as is_on,
      column5::text[] as labels, column6::json as facts, column7::timestamptz as at from (values ${written}) p) r`;
    const [plain] = await query(`select * from ${rows}`);
    const [packed] = await query<{ fields: unknown[] }>(`select ${select('r')} as fields from ${rows}`);
    expect(read(packed?.fields ?? [])).toEqual(plain);
  });

  it('have no bytes, which JSON would hold as text', () => {
    expect(() => rowsAsJson({ id: text, token: bytes })).toThrow('token');
  });
});
