import { isIP } from 'node:net';
import { holdsCardNumber } from '../../lib/text/digits.ts';
import { isLanguageTag } from '../../lib/text/language-tag.ts';
import { parseUrl } from '../../lib/web/url.ts';

/** The rule of decisions, "Customers": one `@`, a dot in the domain, at most 254 characters. Linear in the length. */
function isEmail(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length === 0 || trimmed.length > 254 || /[\s\p{Cc}]/u.test(trimmed)) return false;
  const parts = trimmed.split('@');
  const [local = '', domain = ''] = parts;
  return (
    parts.length === 2 &&
    local.length > 0 &&
    domain.includes('.') &&
    domain.split('.').every((label) => label.length > 0)
  );
}

/** A real calendar date `YYYY-MM-DD`. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** An absolute https URL without fragment or credentials, as `success_url` and `failure_url` must be. */
function isHttpsUrl(text: string): boolean {
  // The URL parser removes line breaks and trims, but we must store and redirect to exactly the text that was checked.
  if (/[\s\p{Cc}\\]/u.test(text) || !/^https:\/\/[^/?#]/i.test(text) || text.includes('#')) return false;
  const url = parseUrl(text);
  return url !== undefined && url.username === '' && url.password === '' && url.hostname !== '';
}

export const formats = {
  email: isEmail,
  date: isDate,
  'https-url': isHttpsUrl,
  ip: (text: string) => isIP(text) !== 0,
  'language-tag': isLanguageTag,
  'person-name': (text: string) => !holdsCardNumber(text),
  'date-time': true,
} as const;
