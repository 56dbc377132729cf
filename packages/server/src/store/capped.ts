/**
 * Matches of a filter are counted, and paged through, up to here: so a page costs the same however many there are. Lists
 * without a filter are numbered densely and need no bound (docs/architecture.md, "Lists").
 */
export const mostCounted = 10_000;

/** What `count(*)` of at most `mostCounted + 1` matches says. */
export const capped = (counted: number): { readonly total: number; readonly capped: boolean } => ({
  total: Math.min(counted, mostCounted),
  capped: counted > mostCounted,
});

/** How many rows of a page may be shown before the bound. */
export const rowsWithin = (offset: number, perPage: number): number =>
  Math.max(0, Math.min(perPage, mostCounted - offset));
