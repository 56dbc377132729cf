/**
 * What a spreadsheet would take for the start of a formula, also in full-width characters or after quotes and
 * invisible characters.
 */
const formula = /^["\s\p{Cf}]*[=+\-@＝＋－＠]/u;
/** Characters at which some spreadsheets begin a new cell. */
const borders = /([;\t\r\n])/;

/** `decimal` is an exact number that Till computed. It may be negative. */
export type Cell = string | number | null | { readonly decimal: string };

/**
 * Formats one cell. Text that a spreadsheet would run as a formula gets an apostrophe in front, also in the middle of the
 * cell, so that it stays text (OWASP, "CSV Injection"). Numbers are written as they are.
 */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'object') return value.decimal;
  if (typeof value === 'number') return String(value);
  const safe = withoutFormulas(value);
  return /^[A-Za-z0-9_.:-]*$/.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}

function withoutFormulas(text: string): string {
  const parted = text.split(borders).map((part) => (formula.test(part) ? `'${part}` : part));
  const safe = parted.join('');
  return /^[\t\r\n]/.test(safe) ? `'${safe}` : safe;
}

/** One line with its line break (RFC 4180). */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** Marks the file as UTF-8 for spreadsheets. */
export const byteOrderMark = '\u{FEFF}';
