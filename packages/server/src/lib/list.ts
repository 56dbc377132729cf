/** The requested page of a list. */
export interface PagePlace {
  /** The number of the page, from 1. */
  readonly page: number;
  readonly perPage: number;
  /** How many rows come before the page. */
  readonly offset: number;
}

/** The page that the query parameters of a list request. @param usual the default number of rows per page */
export const placeOfPage = (
  {
    page = 1,
    per_page: perPage,
  }: { readonly page?: number | undefined; readonly per_page?: number | undefined },
  usual = 20,
): PagePlace => {
  const rows = perPage ?? usual;
  return { page, perPage: rows, offset: (page - 1) * rows };
};

/** The rows of a page of a list that is completely in memory. */
export const rowsOfPage = <Row>(rows: readonly Row[], { offset, perPage }: PagePlace): Row[] =>
  rows.slice(offset, offset + perPage);

/** One page of a list in the format of the API. */
export interface List<Item> {
  readonly object: 'list';
  readonly data: Item[];
  readonly has_more: boolean;
  readonly total_count: number;
}

/** @param total the number of items on all pages */
export const listOfPage = <Item>(
  data: Item[],
  total: number,
  { offset, perPage }: PagePlace,
): List<Item> => ({ object: 'list', data, has_more: offset + perPage < total, total_count: total });

/** The same as text, from items that are already serialised. */
export const listAsText = (items: readonly string[], total: number, place: PagePlace): string => {
  const { has_more, total_count } = listOfPage([], total, place);
  return `{"object":"list","data":[${items.join(',')}],"has_more":${has_more},"total_count":${total_count}}`;
};
