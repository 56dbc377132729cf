const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** A count with thousands separators: `1,234`. */
export const countText = (count: number): string => number.format(count);

/** A count with its noun: `1 payment`, `1,200 payments`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;

/** The singular of a noun: `entry` for `entries`. */
export const singularOf = (many: string): string => many.replace(/ies$/, 'y').replace(/s$/, '');
