/** Formats a CSV field (RFC 4180) and quotes it only if necessary. */
export const field = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Formats a CSV field and always quotes it. */
export const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

export const line = (fields: readonly string[]): string => `${fields.join(',')}\r\n`;
