/** One page of a list, newest first. */
export interface Page<T> {
  object: 'list';
  data: T[];
  /** There is a next page. */
  has_more: boolean;
  /** Of the whole list. */
  total_count: number;
}

/**
 * A list that was asked for. `await` gives one page; `for await` goes through all objects from that page on, each once,
 * even where new ones push others to a later page, or objects leave the list because of what is done with them.
 */
export type Listing<T> = Promise<Page<T>> & AsyncIterable<T>;

/**
 * @param fetchPage reads a page by its number
 * @param from the number of the first page, from 1
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
        // So many objects may have moved up, onto pages that were read.
        number = Math.max(from, number - Math.ceil(gone / size));
      }
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: everyItem });
}
