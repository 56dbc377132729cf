import type { Answer } from '../../api/calls.ts';
import { countOf } from '../../lib/wording/plural.ts';

/** A path with shortened ids, so that the part behind them is visible: `/payments/pay_…5lbh/refunds`. */
export const shortPath = (path: string): string =>
  path.replaceAll(/\b([a-z]+_)[a-z0-9]{20}([a-z0-9]{4})\b/g, '$1…$2');

/** A duration: `7 ms`, `1.4 s`. */
export const millisecondWords = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;

/** A size: `318 bytes`, `1.2 KiB`. */
export const byteWords = (bytes: number): string =>
  bytes < 1024 ? countOf(bytes, 'byte') : `${(bytes / 1024).toFixed(1)} KiB`;

/** A percentage. It is shown as 100 % or 0 % only if that is exact. */
export function percentWords(part: number, whole: number): string {
  const share = (100 * part) / whole;
  if (part === whole || part === 0) return `${share} %`;
  return `${Math.min(99.9, Math.max(0.1, share)).toFixed(1)} %`;
}

const phrases: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  301: 'Moved',
  302: 'Found',
  307: 'Redirect',
  308: 'Redirect',
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Wrong method',
  408: 'Time-out',
  409: 'Conflict',
  410: 'Gone',
  413: 'Too large',
  415: 'Wrong type',
  422: 'Invalid',
  429: 'Too many requests',
  500: 'Server error',
  502: 'Bad gateway',
  503: 'Unavailable',
  504: 'Gateway time-out',
};

/** The reason phrase of an HTTP status. */
export const statusWords = (status: number): string =>
  phrases[status] ??
  (status < 300 ? 'Success' : status < 400 ? 'Redirect' : status < 500 ? 'Refused' : 'Server error');

type KeptBody = Answer<'retrieveRequestLog'>['body'];

const notes: Readonly<Record<NonNullable<KeptBody['note']>, (bytes: string) => string>> = {
  not_json: (bytes) =>
    `${bytes} that are no JSON object. They are not kept: nothing says where card data would be in them.`,
  too_large: (bytes) => `${bytes}. Bodies of more than 32 KiB are not kept.`,
  file: () => 'A file. Files are not kept in the log.',
  unused: (bytes) => `${bytes} that this operation does not read. They are not kept.`,
};

/** Why there is no body to show; undefined if there is one. */
export function bodyNote({ text, note, bytes }: KeptBody): string | undefined {
  if (text !== null) return undefined;
  return note === null ? 'Nothing was sent.' : notes[note](byteWords(bytes));
}
