/** The account and mode whose rows the file holds. */
export interface FileOwner {
  readonly accountName: string;
  readonly livemode: boolean;
}

/** Turns a text into a word of a file name: letters and digits of any script, in lower case. */
const fileWord = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60);

/**
 * The name of a CSV file, such as `payments-shop-2026-11-20-live.csv`.
 * @param list the kind of its rows
 * @param when the days or the month that it covers
 */
export function csvFileName(list: string, { accountName, livemode }: FileOwner, when: string): string {
  const words = [list, fileWord(accountName), when, livemode ? 'live' : 'sandbox'];
  return `${words.filter((word) => word !== '').join('-')}.csv`;
}
