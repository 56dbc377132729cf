/** Parses a time in a response; null if it is missing or invalid. */
export function instant(text: string | null): Date | null {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}
