/** Sums up the values of the rows of each place. @returns one number per place */
export function perPlace<Row extends { readonly place: number }>(
  places: number,
  rows: readonly Row[],
  value: (row: Row) => number,
): number[] {
  const sums = Array.from({ length: places }, () => 0);
  for (const row of rows) sums[row.place] = (sums[row.place] ?? 0) + value(row);
  return sums;
}
