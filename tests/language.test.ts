import { describe, expect, it } from 'vitest';
import { packageSources, read, testSources } from './support/sources.ts';

/** Words that were ours alone, and what the field says in their place (docs/glossary.md has the few that stay). */
const replaced: readonly { readonly word: RegExp; readonly instead: string }[] = [
  { word: /\b[A-Z]\w*Parts\b/, instead: '…Dependencies' },
  { word: /\bwish(es)?\b|\w+Wish\b/, instead: 'options or request' },
  { word: /\bnews\b|\w+News\b/, instead: 'update' },
  { word: /\blearn\(/, instead: 'merge' },
  { word: /\b(un)?hurr(y|ied)\b/, instead: 'expedite, asynchronous' },
  { word: /\btwin\b/, instead: 'concurrent request with the same key' },
  { word: /\buntold|_untold\b/, instead: 'notice due' },
  { word: /\bputOff\b/, instead: 'reschedule' },
  { word: /\bpaces\b/, instead: 'concurrency limit' },
  { word: /\bsecond line\b|\bsecondLine\b|\w*SecondLine\b/, instead: 'row-level security' },
  { word: /\b(un)?keyed\b(?! hash)|\bKeyed\b(?! hash)/, instead: 'idempotent' },
  { word: /\bkeepKnown\b|\blostClaim\b/, instead: 'store the answer, key taken' },
];

const isExempt = (path: string) => path.includes('/generated/') || path === 'tests/language.test.ts';
const sources = [...packageSources, ...testSources].filter((path) => !isExempt(path));

describe('the field’s language', () => {
  it.each(replaced)('says “$instead”', ({ word }) => {
    expect(sources.length).toBeGreaterThan(1000);
    expect(sources.filter((path) => word.test(read(path)))).toEqual([]);
  });
});
