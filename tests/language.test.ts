import { describe, expect, it } from 'vitest';
import { filesBelow, packageSources, read, testSources } from './support/sources.ts';

/** Terms that only this code base used, with the standard terms instead. docs/glossary.md has the few that stay. */
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
  { word: /\btold\b(?! (to|apart)\b)/, instead: 'notified, reported, shown or recorded' },
  {
    word: /\b(tells?|telling)\b(?! (the buyer|them apart)\b)/,
    instead: 'notifies, reports, shows or returns',
  },
  { word: /\b[Ww]hoever\b/, instead: 'the client that, anyone who, the operator' },
  { word: /\bstor(y|ies)\b/, instead: 'the steps in order' },
  { word: /\bkeepKnown\b|\blostClaim\b/, instead: 'store the answer, key taken' },
  { word: /\bacts\b(?! (on|in|as|before)\b)/, instead: 'audit entries, operations or requests' },
  { word: /\bcarr(y|ies|ied|ying) on\b/, instead: 'resume' },
  {
    word: /\b(most|least|fewest|usual)[A-Z]\w*|\b(longest|shortest)[A-Z]\w*(Ms|Seconds|Length)\b/,
    instead: 'max…, min…, default…',
  },
  { word: /\b[Pp]atience(Ms|Seconds)?\b|\bPATIENCE_MS\b|\bgoodbye/, instead: 'timeout' },
  { word: /\b(\w+E|e)veryMs\b/, instead: 'interval' },
  { word: /\bmend(s|ed|ers?|ing)?\b/, instead: 'repair' },
  { word: /\b(o|O|log|report)[nr]?Trouble\b/, instead: 'incident' },
];

/** More such terms, which are still allowed in admission and delivery, since their queues are being simplified. */
const replacedElsewhere: readonly { readonly word: RegExp; readonly instead: string }[] = [
  {
    word: /\b(takes?|their|its|my|had a) turns?\b|\w+Turns?\b|\bturns\w*\(|\bperTurn\b/,
    instead: 'round robin, fair queue, lease, event loop iteration',
  },
  { word: /\bheard\b|\bhears\b/, instead: 'received, answered, notified' },
];
const isBeingSimplified = (path: string) => /\/src\/(http\/admission|webhooks\/delivery)\//.test(path);

const isExempt = (path: string) => path.includes('/generated/') || path === 'tests/language.test.ts';
const documents = [
  ...filesBelow('docs'),
  ...filesBelow('bench'),
  ...filesBelow('tools'),
  ...filesBelow('deploy'),
];
const texts = documents.filter((path) => /\.(md|ts|mjs|yaml|conf|service)$/.test(path));
const front = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'tests/acceptance/COVERAGE.md'];
const sources = [...packageSources, ...testSources, ...texts, ...front].filter((path) => !isExempt(path));

describe('the field’s language', () => {
  it.each(replaced)('says “$instead”', ({ word }) => {
    expect(sources.length).toBeGreaterThan(1000);
    expect(sources.filter((path) => word.test(read(path)))).toEqual([]);
  });

  it.each(replacedElsewhere)('says “$instead” outside of admission and delivery', ({ word }) => {
    expect(sources.filter((path) => !isBeingSimplified(path) && word.test(read(path)))).toEqual([]);
  });
});
