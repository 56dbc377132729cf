export const usualPerPage = 50;

/** What the page parameters of a list mean. */
export const pageOf = ({
  page = 1,
  per_page: perPage = usualPerPage,
}: {
  page?: number;
  per_page?: number;
}) => ({
  page,
  perPage,
  offset: (page - 1) * perPage,
});

/** The envelope of a list that filters narrow. */
export const cappedPage = <T>(
  data: T[],
  { total, capped }: { readonly total: number; readonly capped: boolean },
  { page, perPage }: { readonly page: number; readonly perPage: number },
) => ({
  object: 'list' as const,
  data,
  has_more: page * perPage < total,
  total_count: total,
  capped,
});
