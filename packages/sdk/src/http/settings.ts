import { refuseBrowser } from './refuse-browser.ts';
import { type Clock, type Fetch, type System, system } from './system.ts';

/** Options of a `Till` client. */
export interface TillOptions {
  /** Secret key (`sk_test_…`, `sk_live_…`) or restricted key (`rk_test_…`, `rk_live_…`). */
  readonly apiKey: string;
  /** Address of your Till server, such as `https://pay.shop.example`, without `/api/v1`. */
  readonly baseUrl: string;
  /** Timeout of each attempt in milliseconds, including the time to read the response. Default: 60 000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of a call. Default: 2. */
  readonly maxRetries?: number | undefined;
  /** Called with the metadata of every response. Use it for your logs. */
  readonly onAnswer?: ((answer: AnswerNote) => void) | undefined;
  /** Replaces the global `fetch`, for example to use a proxy or in tests. */
  readonly fetch?: Fetch | undefined;
  /** Replaces the system clock in tests. */
  readonly clock?: Clock | undefined;
  /** Replaces `Math.random` in tests. It must return a number from 0 up to but excluding 1. */
  readonly random?: (() => number) | undefined;
  /** Generates the idempotency key of a call that has none. Default: random UUIDs. */
  readonly newIdempotencyKey?: (() => string) | undefined;
}

const optionNames: readonly string[] = [
  'apiKey',
  'baseUrl',
  'timeoutMs',
  'maxRetries',
  'onAnswer',
  'fetch',
  'clock',
  'random',
  'newIdempotencyKey',
] satisfies (keyof TillOptions)[];

/** Metadata of one response, as passed to `onAnswer`. It contains no secrets. */
export interface AnswerNote {
  readonly method: string;
  /** Request path without the query string. */
  readonly path: string;
  readonly status: number;
  /** Request id. Quote it when you contact support. */
  readonly requestId: string | undefined;
  /** Number of the attempt, 1 for the first one of a call. */
  readonly attempt: number;
  /** Whether the server replayed the stored response of an earlier request with the same idempotency key. */
  readonly isReplayed: boolean;
  /** Names of request fields and parameters that had no effect, for example because they are misspelt. */
  readonly ignoredFields: readonly string[];
}

/** The validated options of a client, with defaults applied. */
export interface Settings extends System {
  readonly apiKey: string;
  /** Has no trailing slash. */
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly onAnswer: (answer: AnswerNote) => void;
}

const timeoutMsDefault = 60_000;
const maxRetriesDefault = 2;

/**
 * @param taker what the options belong to, as the error message names it
 * @throws TypeError if an option does not exist, for example because it is misspelt
 */
export function rejectUnknownOptions(options: object, names: readonly string[], taker: string): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`There is no option ${unknown}: ${taker} takes ${names.join(', ')}.`);
}

function readApiKey(key: unknown): string {
  if (typeof key === 'string' && /^[sr]k_(test|live)_\w+$/.test(key)) return key;
  throw new TypeError('apiKey must be a secret key: sk_test_… or sk_live_…, or rk_… for a restricted one');
}

function readBaseUrl(text: unknown): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.search === '' && url.hash === '';
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be the http or https address of your Till server.');
  }
  const base = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  if (base.endsWith('/api/v1')) throw new TypeError('baseUrl must not hold /api/v1: the client adds it.');
  return base;
}

/** @throws TypeError if the timeout is not a positive number of milliseconds */
export function readTimeout(ms: number | undefined, standard = timeoutMsDefault): number {
  if (ms === undefined) return standard;
  // // setTimeout fires at once if the delay is 2^31 ms or more.
  if (ms > 0 && ms < 2 ** 31) return ms;
  throw new TypeError('timeoutMs must be a number of milliseconds above 0.');
}

/** @throws TypeError if the count is not a non-negative integer */
export function readMaxRetries(count: number | undefined, standard = maxRetriesDefault): number {
  if (count === undefined) return standard;
  if (Number.isInteger(count) && count >= 0) return count;
  throw new TypeError('maxRetries must be 0 or a positive integer.');
}

/**
 * Validates the options of a client and applies the defaults.
 * @throws TypeError if an option is invalid
 * @throws Error in a browser
 */
export function readSettings(options: TillOptions): Settings {
  refuseBrowser();
  rejectUnknownOptions(options, optionNames, 'a client');
  return {
    apiKey: readApiKey(options.apiKey),
    baseUrl: readBaseUrl(options.baseUrl),
    timeoutMs: readTimeout(options.timeoutMs),
    maxRetries: readMaxRetries(options.maxRetries),
    onAnswer: options.onAnswer ?? (() => {}),
    fetch: options.fetch ?? system.fetch,
    clock: options.clock ?? system.clock,
    random: options.random ?? system.random,
    newIdempotencyKey: options.newIdempotencyKey ?? system.newIdempotencyKey,
  };
}
