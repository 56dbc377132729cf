/** Which page of a list is asked for. */
export interface PagePlace {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  /** How many come before it. */
  readonly offset: number;
}

/** Which page the parameters of a list name. @param usual how many rows a page has where they do not say */
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

/** The page of a list that is held whole. */
export const rowsOfPage = <Row>(rows: readonly Row[], { offset, perPage }: PagePlace): Row[] =>
  rows.slice(offset, offset + perPage);

/** One page of a list as the API answers it. */
export interface List<Item> {
  readonly object: 'list';
  readonly data: Item[];
  readonly has_more: boolean;
  readonly total_count: number;
}

/** @param total of all pages */
export const listOfPage = <Item>(
  data: Item[],
  total: number,
  { offset, perPage }: PagePlace,
): List<Item> => ({ object: 'list', data, has_more: offset + perPage < total, total_count: total });

/** The same as text, of items that are text already. */
export const listAsText = (items: readonly string[], total: number, place: PagePlace): string => {
  const { has_more, total_count } = listOfPage([], total, place);
  return `{"object":"list","data":[${items.join(',')}],"has_more":${has_more},"total_count":${total_count}}`;
};
