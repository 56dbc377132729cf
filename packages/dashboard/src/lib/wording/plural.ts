const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** `1,234`. */
export const countText = (count: number): string => number.format(count);

/** A number with what it counts: `1 payment`, `1,200 payments`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;

/** One of a list that is named in the plural: `entry` of `entries`. */
export const singularOf = (many: string): string => many.replace(/ies$/, 'y').replace(/s$/, '');
