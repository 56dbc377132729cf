const number = new Intl.NumberFormat('en');

/** A number with what it counts: `1 payment`, `1,200 payments`. @param what in the plural, ended by "s" */
export const countOf = (value: number, what: string): string =>
  `${number.format(value)} ${value === 1 ? what.replace(/s$/, '') : what}`;
