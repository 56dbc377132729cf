/** One page of a list, newest objects first unless the method says otherwise. */
export interface Page<T> {
  object: 'list';
  data: T[];
  /** Whether another page follows. */
  has_more: boolean;
  /** Number of objects in the whole list, not only on this page. */
  total_count: number;
}

/**
 * The result of a list call. `await` it to get one page, or use `for await` to iterate over all objects from
 * that page on. The iteration yields each object once, even if new objects move others to a later page, or if
 * objects leave the list because of what your code does with them.
 *
 * @example
 * ```ts
 * const page = await till.payments.list({ status: 'succeeded', per_page: 10 });
 *
 * for await (const payment of till.payments.list({ per_page: 100 })) {
 *   console.log(payment.id);
 * }
 * ```
 */
export type Listing<T> = Promise<Page<T>> & AsyncIterable<T>;

/**
 * Creates a listing that fetches its first page at once and later pages on demand.
 * @param fetchPage fetches the page with the given number
 * @param from number of the first page, at least 1
 */
export function listing<T extends { readonly id: string }>(
  fetchPage: (page: number) => Promise<Page<T>>,
  from = 1,
): Listing<T> {
  const first = fetchPage(from);
  async function* everyItem(): AsyncGenerator<T, void, undefined> {
    const seen = new Set<string>();
    let page = await first;
    let number = from;
    const size = page.data.length;
    for (;;) {
      for (const item of page.data) {
        if (!seen.has(item.id)) yield item;
        seen.add(item.id);
      }
      if (!page.has_more) return;
      number += 1;
      for (let before = page.total_count; ; before = page.total_count) {
        page = await fetchPage(number);
        const gone = before - page.total_count;
        if (gone <= 0 || number === from) break;
        // // As many objects as left the list may have moved up to pages that were already read: go back that
        // far.
        number = Math.max(from, number - Math.ceil(gone / size));
      }
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: everyItem });
}
