import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const rows = readFileSync(here('./COVERAGE.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\|(---| Line )/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('COVERAGE.md', () => {
  it('has three columns throughout', () => {
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter((row) => row.length !== 3)).toEqual([]);
  });

  it('names files that exist and titles in them', () => {
    const wrong = rows.filter(([, file = '', words = '']) => {
      if (file === 'later') return words !== '';
      return (
        words === '' ||
        !existsSync(here(`./${file}`)) ||
        !readFileSync(here(`./${file}`), 'utf8').includes(words)
      );
    });
    expect(wrong).toEqual([]);
  });
});
