import { type List, listOfPage, type PagePlace, placeOfPage } from '../../lib/list.ts';

/** What the page parameters of a list mean. */
export const pageOf = (query: { page?: number; per_page?: number }): PagePlace => placeOfPage(query, 50);

/** The envelope of a list that filters narrow. */
export const cappedPage = <T>(
  data: T[],
  { total, capped }: { readonly total: number; readonly capped: boolean },
  place: PagePlace,
): List<T> & { readonly capped: boolean } => ({ ...listOfPage(data, total, place), capped });
