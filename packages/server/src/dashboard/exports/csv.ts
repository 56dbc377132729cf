/** What a spreadsheet would take for the beginning of a formula, also in full-width letters, after quotes and invisible ones. */
const formula = /^["\s\p{Cf}]*[=+\-@＝＋－＠]/u;
/** Where some spreadsheets begin a cell of their own. */
const borders = /([;\t\r\n])/;

/** `decimal`: an exact number of ours, which may be negative. */
export type Cell = string | number | null | { readonly decimal: string };

/**
 * One cell. Text that a spreadsheet would run as a formula gets an apostrophe before it, also in the middle, so that it
 * stays text (OWASP, "CSV Injection"); numbers are written as they are.
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

/** One line with its end (RFC 4180). */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** Tells spreadsheets that what follows is UTF-8. */
export const byteOrderMark = '\u{FEFF}';
