import { expect, it } from 'vitest';
import { LineCounter } from './download.ts';

it('counts line ends across chunks, and no line break inside a cell', () => {
  const counter = new LineCounter();
  const text = new TextEncoder();
  for (const piece of ['a,b\r', '\n"two\nlines",c\r\n', 'd\r\r\n']) counter.add(text.encode(piece));
  expect(counter.lines).toBe(3);
});
