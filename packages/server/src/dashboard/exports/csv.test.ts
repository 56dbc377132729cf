import { describe, expect, it } from 'vitest';
import { csvCell, csvLine } from './csv.ts';

describe('a cell', () => {
  it.each(['=1+1', '+49 30', '-2', '@sum', ' =1', '\t1', '\r1', '\n1', '＝1', '＠x'])(
    'keeps %j text',
    (text) => {
      expect(csvCell(text)).toMatch(/^"?'/);
      expect(csvCell(text)).toContain(text);
    },
  );

  it.each([
    ['Jane;=1+1;x', "Jane;'=1+1;x"],
    ['Jane\n=1+1', "Jane\n'=1+1"],
    ['Jane;"=1+1;x', `Jane;'""=1+1;x`],
    ['a\r\n =1', "a\r\n' =1"],
    ['a;b-c', 'a;b-c'],
  ])('keeps %j text where a spreadsheet begins a cell in the middle', (text, expected) => {
    expect(csvCell(text)).toBe(`"${expected}"`);
  });

  it('quotes what would end it', () => {
    expect(csvCell('a,b')).toBe('"a,b"');
    expect(csvCell('say "hi"')).toBe('"say ""hi"""');
    expect(csvCell('two\nlines')).toBe('"two\nlines"');
    expect(csvCell('a;b')).toBe('"a;b"');
  });

  it('leaves plain text, numbers and nothing as they are', () => {
    expect(['pay_1', 4990, 0, null, '49.90', '2026-11-20T12:00:00Z'].map(csvCell)).toEqual([
      'pay_1',
      '4990',
      '0',
      '',
      '49.90',
      '2026-11-20T12:00:00Z',
    ]);
  });
});

it('a line ends as RFC 4180 says', () => {
  expect(csvLine(['a', 1, null, 'b,c'])).toBe('a,1,,"b,c"\r\n');
});
