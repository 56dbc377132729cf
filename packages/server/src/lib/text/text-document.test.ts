import { describe, expect, it } from 'vitest';
import { linesDocument, textDocument } from './text-document.ts';

const fileOf = (text: string): string => textDocument(text).toString('latin1');
const shownIn = (file: string): string[] =>
  [...file.matchAll(/^\((.*)\) '$/gm)].map(([, shown]) => shown ?? '');

describe('textDocument', () => {
  it('the cross-reference table has the offset of every object', () => {
    const file = fileOf('One\nTwo');
    expect(file.startsWith('%PDF-1.4\n')).toBe(true);
    expect(file.endsWith('%%EOF\n')).toBe(true);
    const table = Number(/startxref\n(\d+)\n/.exec(file)?.[1]);
    expect(file.slice(table, table + 5)).toBe('xref\n');
    const offsets = [...file.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, at]) => Number(at));
    expect(offsets).toHaveLength(6);
    for (const [index, offset] of offsets.entries()) {
      expect(file.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj\n`));
    }
    expect(file).toContain(`/Size ${offsets.length + 1} `);
  });

  it('every stream has its length', () => {
    const file = fileOf('Café (no. 7) \\ end');
    const [, length, stream] = /<< \/Length (\d+) >>\nstream\n(.*)\nendstream/s.exec(file) ?? [];
    expect(stream).toHaveLength(Number(length));
    expect(shownIn(file)).toEqual(['Café \\(no. 7\\) \\\\ end']);
  });

  it('characters that the font lacks become question marks', () => {
    expect(shownIn(fileOf('10 € – “ok” Łódź 東\u0007'))).toEqual(['10 \x80 \x96 \x93ok\x94 Lódz ??']);
  });

  it('wraps long lines at spaces, or anywhere without one', () => {
    const lines = shownIn(fileOf(`${'word '.repeat(30).trim()}\n${'x'.repeat(170)}`));
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    expect(lines.slice(0, 2)).toEqual([Array(16).fill('word').join(' '), Array(14).fill('word').join(' ')]);
    expect(lines.slice(2).join('')).toBe('x'.repeat(170));
  });

  it('starts a new page where one is full', () => {
    const file = fileOf(Array.from({ length: 61 }, (_, index) => `Line ${index}`).join('\n'));
    expect(file).toContain('/Kids [5 0 R 7 0 R] /Count 2');
    expect(shownIn(file)).toHaveLength(61);
  });

  it('headings are bold, and wrapped like the rest', () => {
    const file = linesDocument([{ heading: 'x'.repeat(90) }, 'plain']).toString('latin1');
    expect(file.match(/^\/F2 10 Tf\n\(x+\) '\n\/F1 10 Tf$/gm)).toHaveLength(2);
    expect(shownIn(file).at(-1)).toBe('plain');
  });

  it('is deterministic', () => {
    expect(textDocument('One')).toEqual(textDocument('One'));
  });
});
