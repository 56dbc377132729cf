import { errorCatalogue } from '@till/contract';
import type { RenderedPage } from './markdown.ts';
import { listedOperations } from './reference-page.ts';
import { triggerGroups } from './trigger-table.ts';

/** The URL, the page, the section of the page, and its text. An array keeps the index small. */
type Entry = readonly [address: string, page: string, section: string, text: string];

/** The maximum number of characters of a section's text. More text does not help to find the section. */
const maxTextLength = 700;

/** The search index: every section of every page, every operation, every test card and every trigger. */
export function searchIndex(
  pages: readonly { readonly address: string; readonly page: RenderedPage }[],
): string {
  const sections = pages.flatMap(({ address, page }) =>
    page.sections.map(({ id, title, text }): Entry => {
      const code = Object.hasOwn(errorCatalogue, id) ? `${id.replaceAll('_', ' ')} ` : '';
      return [
        id === '' ? address : `${address}#${id}`,
        page.title,
        id === '' ? '' : title,
        code + text.slice(0, maxTextLength),
      ];
    }),
  );
  const operations = listedOperations.flatMap(([tag, some]) =>
    some.map(
      ({ address, method, path, summary, id }): Entry => [
        address,
        'API reference',
        summary,
        `${method} ${path} ${tag} ${id}`,
      ],
    ),
  );
  const triggers = triggerGroups().flatMap(({ title, rows }) =>
    rows.map(
      ({ value, outcome, failureCode }): Entry => [
        `/docs/testing?find=${encodeURIComponent(value)}#test-cards-and-triggers`,
        title,
        value,
        `${outcome} ${failureCode ?? ''}`.trim(),
      ],
    ),
  );
  return JSON.stringify([...sections, ...operations, ...triggers]);
}
