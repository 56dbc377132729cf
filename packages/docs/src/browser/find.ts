/** The URL, the page, the section of the page, and the text of the section. */
export type IndexEntry = readonly [address: string, page: string, section: string, text: string];

export interface Found {
  readonly address: string;
  readonly page: string;
  readonly section: string;
  /** The excerpt around the first match. */
  readonly excerpt: string;
}

const maxFound = 20;
const excerptLength = 110;

/** How well a text matches a word: as a whole word, at the start of a word, anywhere, or not at all. */
function fit(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  const startsWord = new RegExp(
    `(?:^|[^\\p{L}\\p{N}])${word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`,
    'u',
  ).test(text);
  if (text === word) return 4;
  return startsWord ? 2 : 1;
}

function score([, page, section, text]: IndexEntry, words: readonly string[]): number {
  let total = 0;
  for (const word of words) {
    const points =
      8 * fit(section.toLowerCase(), word) +
      5 * fit(page.toLowerCase(), word) +
      fit(text.toLowerCase(), word);
    if (points === 0) return 0;
    total += points;
  }
  // With equal scores a page comes before its sections.
  return section === '' ? total + 3 : total;
}

function excerpt(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.max(0, Math.min(...words.map((word) => lower.indexOf(word)).filter((found) => found >= 0)));
  const from = Number.isFinite(at) ? Math.max(0, text.lastIndexOf(' ', Math.max(0, at - 30)) + 1) : 0;
  const piece = text.slice(from, from + excerptLength).trim();
  return `${from > 0 ? '…' : ''}${piece}${from + excerptLength < text.length ? '…' : ''}`;
}

/** The entries that match every word, best first. */
export function find(index: readonly IndexEntry[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return index
    .map((entry) => ({ entry, points: score(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .slice(0, maxFound)
    .map(({ entry: [address, page, section, text] }) => ({
      address,
      page,
      section,
      excerpt: excerpt(text, words),
    }));
}
