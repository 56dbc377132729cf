import { OperatorError } from '../../../accounts/accounts.ts';
import { messageOf } from '../../../lib/text/message-of.ts';
import { userAgent } from '../../../lib/version.ts';

/** The part of a page below one heading. */
interface Section {
  readonly url: string;
  readonly heading: string;
  readonly text: string;
}

const maxTextLength = 2000;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];

/** Splits a Markdown page at its headings. A `#` within a code block does not begin a heading. */
export function sectionsOf(url: string, markdown: string): Section[] {
  const sections: { url: string; heading: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,4} (.+)$/.exec(line)?.[1];
    if (heading !== undefined || sections.length === 0) {
      sections.push({ url, heading: heading ?? '', lines: [] });
    }
    if (heading === undefined) sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ lines, ...section }) => ({ ...section, text: lines.join('\n').trim() }));
}

/** Ranks sections by the words of a query. Rare words count more, and words in a heading count five times. */
export function bestSections(sections: readonly Section[], query: string, max: number): Section[] {
  const bags = sections.map(({ heading, text }) => ({
    heading: new Set(wordsOf(heading)),
    words: wordsOf(text),
  }));
  const scores = sections.map(() => 0);
  for (const word of new Set(wordsOf(query))) {
    const counts = bags.map(
      ({ heading, words }) => words.filter((one) => one === word).length + (heading.has(word) ? 5 : 0),
    );
    const found = counts.filter((count) => count > 0).length;
    const weight = Math.log((sections.length + 1) / (found + 1)) + 0.1;
    for (const [index, count] of counts.entries()) {
      scores[index] = (scores[index] ?? 0) + (weight * count) / (count + 2);
    }
  }
  return sections
    .map((section, index) => ({ section, score: scores[index] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, max)
    .map(({ section }) => ({ ...section, text: section.text.slice(0, maxTextLength) }));
}

/** Searches the documentation that a server publishes. The pages are fetched once and kept in memory. */
export function docsSearch(server: string): (query: string, max: number) => Promise<Section[]> {
  let pages: Promise<Section[]> | undefined;
  const read = async (path: string) => {
    const answer = await fetch(`${server}${path}`, { headers: { 'user-agent': userAgent } }).catch(
      (error: unknown) => {
        throw new OperatorError('server_not_running', `No server answers at ${server}: ${messageOf(error)}`);
      },
    );
    if (!answer.ok) throw new OperatorError('docs_not_there', `${server}${path} answers ${answer.status}.`);
    return answer.text();
  };
  const load = async () => {
    const index = await read('/llms.txt');
    const paths = [...new Set(index.match(/\/docs\/[a-z0-9/_-]+\.md/g) ?? [])];
    const read1 = async (path: string) => sectionsOf(`${server}${path}`, await read(path));
    return (await Promise.all(paths.map(read1))).flat();
  };
  return async (query, max) => {
    pages ??= load();
    try {
      return bestSections(await pages, query, max);
    } catch (error) {
      // The next search fetches the pages again.
      pages = undefined;
      throw error;
    }
  };
}
