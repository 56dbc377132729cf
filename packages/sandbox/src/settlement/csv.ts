/** A field of a CSV file (RFC 4180), quoted where it has to be. */
export const field = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** The same, always quoted. */
export const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

export const line = (fields: readonly string[]): string => `${fields.join(',')}\r\n`;
