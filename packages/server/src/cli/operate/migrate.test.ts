import { expect, it } from 'vitest';
import { planInWords } from './migrate.ts';

it('a plan says of each migration what running servers would feel of it', () => {
  const why = 'the previous version still names the column';
  const statement = `alter table payments drop column ${'note'.repeat(40)}`;
  const pending = [
    { name: '0002_expand.sql', statements: 2, hazards: [] },
    { name: '0003_contract.sql', statements: 1, hazards: [{ statement, why }] },
  ];
  expect(planInWords({ pending }).split('\n')).toEqual([
    '0002_expand.sql  2 statements',
    '0003_contract.sql  1 statement',
    `  careful: ${why}`,
    `    ${statement.slice(0, 120)}`,
  ]);
  expect(planInWords({ pending: [] })).toBe('The schema is up to date.');
});
