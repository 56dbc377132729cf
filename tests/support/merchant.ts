import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { cardPayment } from './card-payment.ts';
import { type CommandResult, commandJson, runCommand, runProcess } from './server.ts';

export { cardPayment, testCard } from './card-payment.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever fields they name
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any
}

export interface CallOptions {
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  /** Null sends no key. Default: a new key. */
  readonly idempotencyKey?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string | null;
  /** Whether to return a rate-limit error. By default the request is retried after its Retry-After. */
  readonly takesRateLimit?: boolean;
}

/** A running server, and the environment for its commands. */
export interface Target {
  readonly baseUrl: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The server that all acceptance tests share. */
export const target = (): Target => inject('target');

/** Runs `till … --json` in the environment of the server under test. */
export const till = <T = Record<string, unknown>>(...parameters: string[]): Promise<T> =>
  commandJson<T>(target().environment, parameters);

/** Runs `till …` and returns its output and exit code. */
export const tillRaw = (...parameters: string[]): Promise<CommandResult> =>
  runCommand(target().environment, parameters);

/**
 * Like `tillRaw`, but in a separate process, to test what belongs to the process: exit codes, standard
 * output, the link that npm creates.
 */
export const tillProcess = (...parameters: string[]): Promise<CommandResult> =>
  runProcess(target().environment, parameters);

/**
 * A merchant account with a key. Each test file opens its own, so that test files never see each other's
 * records.
 */
export class Merchant {
  readonly id: string;
  readonly key: string;
  readonly #target: Target;

  /** @param place the server to use, if a test runs its own */
  constructor(id: string, key: string, place: Target = target()) {
    this.id = id;
    this.key = key;
    this.#target = place;
  }

  static async open(
    processor: 'processor_a' | 'processor_b' = 'processor_a',
    ...options: string[]
  ): Promise<Merchant> {
    return Merchant.openAt(target(), processor, ...options);
  }

  /** Opens the account on a test's own server. */
  static async openAt(
    place: Target,
    processor: 'processor_a' | 'processor_b' = 'processor_a',
    ...options: string[]
  ): Promise<Merchant> {
    const account = await commandJson<{ id: string; secret_key: string }>(place.environment, [
      'accounts',
      'create',
      '--name',
      'Test shop',
      '--processor',
      processor,
      ...options,
    ]);
    return new Merchant(account.id, account.secret_key, place);
  }

  /** The same account, used through another server. */
  at(place: Target): Merchant {
    return new Merchant(this.id, this.key, place);
  }

  /**
   * Sends a request, and retries it as long as it is rate-limited, like the SDK. The machine's speed thus
   * does not affect tests. A retry has the same idempotency key.
   */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    const headers: Record<string, string> = {};
    if (options.key !== null) headers.authorization = `Bearer ${options.key ?? this.key}`;
    const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    if (payload !== undefined) headers['content-type'] = 'application/json';
    if (method === 'POST' && options.idempotencyKey !== null) {
      headers['idempotency-key'] = options.idempotencyKey ?? randomUUID();
    }
    const send = () =>
      answerTo(`${this.#target.baseUrl}${path}`, {
        method,
        headers: { ...headers, ...options.headers },
        redirect: 'manual',
        ...(payload === undefined ? {} : { body: payload }),
      });
    return options.takesRateLimit === true ? send() : withRateLimitRetries(send);
  }

  get(path: string): Promise<Reply> {
    return this.call('GET', path);
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<Reply> {
    return this.call('POST', path, { ...(body === undefined ? {} : { body }), ...options });
  }

  pay(changes: Record<string, unknown> = {}, options: CallOptions = {}): Promise<Reply> {
    return this.post('/api/v1/payments', cardPayment(changes), options);
  }

  /** Returns what the simulated processor really did for this account. */
  ledger() {
    return commandJson<{
      charges: { reference: string; amount: number; currency: string; status: string }[];
      refunds: { reference: string; payment_reference: string; amount: number; status: string }[];
    }>(this.#target.environment, ['sandbox', 'ledger', '--account', this.id]);
  }
}

/** Sends a request, and retries it after its Retry-After as long as it is rate-limited. */
export async function withRateLimitRetries(send: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await send();
    if (reply.status !== 429) return reply;
    const seconds = Number(reply.headers.get('retry-after'));
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

async function answerTo(url: string, request: RequestInit): Promise<Reply> {
  const response = await fetch(url, request);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

/** An email address that no other test uses. */
export const freshEmail = () => `${randomUUID().slice(0, 13)}@shop.example`;
