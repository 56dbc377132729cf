import { refuseBrowser } from './refuse-browser.ts';
import { type Clock, type Fetch, type System, system } from './system.ts';

/** The options of a client. */
export interface TillOptions {
  /** A secret key, `sk_test_…` or `sk_live_…`, or a restricted one, `rk_test_…` or `rk_live_…`. */
  readonly apiKey: string;
  /** The address of your Till server, such as `https://pay.shop.example`; without `/api/v1`. */
  readonly baseUrl: string;
  /** Time-out of one attempt in milliseconds, reading the response included; default 60 000. */
  readonly timeoutMs?: number | undefined;
  /** How often a call is retried; default 2. */
  readonly maxRetries?: number | undefined;
  /** Called with every response, for your logs. */
  readonly onAnswer?: ((answer: AnswerNote) => void) | undefined;
  /** In place of the global `fetch`: a proxy, or a test. */
  readonly fetch?: Fetch | undefined;
  /** In place of the system's clock, for tests. */
  readonly clock?: Clock | undefined;
  /** In place of `Math.random`, for tests: at least 0, below 1. */
  readonly random?: (() => number) | undefined;
  /** In place of random UUIDs. */
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

/** What `onAnswer` gets of one response; it holds no secrets. */
export interface AnswerNote {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  /** Quote it to support. */
  readonly requestId: string | undefined;
  /** 1 for the first attempt of a call. */
  readonly attempt: number;
  /** The response is replayed: the stored one of an earlier request with the same key. */
  readonly isReplayed: boolean;
  /** Fields and parameters of the call that had no effect, such as misspelt ones. */
  readonly ignoredFields: readonly string[];
}

/** Options as the client uses them. */
export interface Settings extends System {
  readonly apiKey: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly onAnswer: (answer: AnswerNote) => void;
}

const timeoutMsDefault = 60_000;
const maxRetriesDefault = 2;

/** @param taker what takes the options @throws TypeError for an option that does not exist, such as a misspelt one */
export function requireKnown(options: object, names: readonly string[], taker: string): void {
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

/** @throws TypeError for a time-out that is not a number of milliseconds */
export function readTimeout(ms: number | undefined, standard = timeoutMsDefault): number {
  if (ms === undefined) return standard;
  // Larger values would make timers fire at once.
  if (ms > 0 && ms < 2 ** 31) return ms;
  throw new TypeError('timeoutMs must be a number of milliseconds above 0.');
}

/** @throws TypeError for what is no count */
export function readMaxRetries(count: number | undefined, standard = maxRetriesDefault): number {
  if (count === undefined) return standard;
  if (Number.isInteger(count) && count >= 0) return count;
  throw new TypeError('maxRetries must be 0 or a positive integer.');
}

/**
 * @throws TypeError for an option that cannot work
 * @throws Error in a browser
 */
export function readSettings(options: TillOptions): Settings {
  refuseBrowser();
  requireKnown(options, optionNames, 'a client');
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
