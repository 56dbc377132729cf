import { errorCatalogue } from '@till/contract';
import type { RenderedPage } from './markdown.ts';
import { listedOperations } from './reference-page.ts';
import { triggerGroups } from './trigger-table.ts';

/** Address, page, part of the page, and its text: a list keeps the index small. */
type Entry = readonly [address: string, page: string, part: string, text: string];

/** More of a part's text does not help to find it. */
const longestText = 700;

/** What the search looks through: every part of every page, every operation, every test card and trigger. */
export function searchIndex(
  pages: readonly { readonly address: string; readonly page: RenderedPage }[],
): string {
  const parts = pages.flatMap(({ address, page }) =>
    page.sections.map(({ id, title, text }): Entry => {
      const code = Object.hasOwn(errorCatalogue, id) ? `${id.replaceAll('_', ' ')} ` : '';
      return [
        id === '' ? address : `${address}#${id}`,
        page.title,
        id === '' ? '' : title,
        code + text.slice(0, longestText),
      ];
    }),
  );
  const operations = listedOperations.flatMap(([part, some]) =>
    some.map(
      ({ address, method, path, summary, id }): Entry => [
        address,
        'API reference',
        summary,
        `${method} ${path} ${part} ${id}`,
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
  return JSON.stringify([...parts, ...operations, ...triggers]);
}
