/**
 * What a spreadsheet would take for the beginning of a formula, also in full-width letters, after invisible ones, and
 * behind a semicolon or a line break, where some spreadsheets begin a cell of their own.
 */
const formula = /(?:^|[;\t\r\n])[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/**
 * One cell. Text that a spreadsheet would run as a formula gets an apostrophe before it, so that it stays text
 * (OWASP, "CSV Injection"); numbers are written as they are.
 */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return /^[A-Za-z0-9_.:-]*$/.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}

/** One line with its end (RFC 4180). */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(csvCell).join(',')}\r\n`;

/** Tells spreadsheets that what follows is UTF-8. */
export const byteOrderMark = '\u{FEFF}';
