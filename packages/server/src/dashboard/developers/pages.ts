import { type List, listOfPage, type PagePlace, placeOfPage } from '../../lib/list.ts';

/** The page of a list that a query asks for. */
export const pageOf = (query: { page?: number; per_page?: number }): PagePlace => placeOfPage(query, 50);

/** The envelope of a filtered list, whose total is counted up to a limit. */
export const cappedPage = <T>(
  data: T[],
  { total, capped }: { readonly total: number; readonly capped: boolean },
  place: PagePlace,
): List<T> & { readonly capped: boolean } => ({ ...listOfPage(data, total, place), capped });
