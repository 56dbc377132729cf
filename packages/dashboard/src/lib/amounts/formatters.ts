/** Caches formatters. Creating one takes longer than hundreds of uses, and a list needs several in every row. */
function kept<O extends object, F>(make: (locale: string | undefined, options: O) => F) {
  const made = new Map<string, F>();
  return (locale: string | undefined, options: O): F => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const known = made.get(key) ?? make(locale, options);
    made.set(key, known);
    return known;
  };
}

/** Formatters for times. */
export const dateFormat = kept(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);

/** Formatters for numbers. */
export const numberFormat = kept(
  (locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
);
