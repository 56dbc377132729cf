import { expect, it } from 'vitest';
import { fileName, LineCounter } from './download.ts';

it('counts line ends across chunks, and no line break inside a cell', () => {
  const counter = new LineCounter();
  const text = new TextEncoder();
  for (const piece of ['a,b\r', '\n"two\nlines",c\r\n', 'd\r\r\n']) counter.add(text.encode(piece));
  expect(counter.lines).toBe(3);
});

it('takes the name that the server gives, in any script', () => {
  const given = `attachment; filename="payments-___.csv"; filename*=UTF-8''payments-%E5%95%86%E5%BA%97.csv`;
  expect(fileName(given)).toBe('payments-商店.csv');
  expect(fileName('attachment')).toBeUndefined();
  expect(fileName(null)).toBeUndefined();
});
