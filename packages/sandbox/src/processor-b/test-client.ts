import { randomBytes } from 'node:crypto';
import { readLedger } from '../ledger.ts';
import type { Batch, SandboxDatabase, SandboxDependencies } from '../lib/dependencies.ts';
import type { WireRequest, WireResponse } from '../lib/wire.ts';
import { createNotificationSender, type NotificationSender } from '../outbox/outbox.ts';
import type { SimulatedWire } from '../simulator/simulator.ts';
import { createProcessorB } from './simulator.ts';
import { createNotificationSignerB } from './webhooks.ts';

/** Responses have no static type, since their shape is what the tests check. */
type Json = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: Json;
}

export interface TestClient {
  readonly processor: SimulatedWire;
  readonly deps: SandboxDependencies;
  /** The accounts' time. Tests may change it. */
  readonly clock: { now: Date };
  /** The delays that the simulator waits for. Each ends when its `release` is called. */
  readonly waits: { readonly ms: number; readonly release: () => void }[];
  /** The addresses that the virtual buyers' browsers visited. */
  readonly visited: readonly string[];
  send(change: Partial<WireRequest>, signal?: AbortSignal): Promise<Answer>;
  /** The events that reached the merchant's side, which accepts all of them. */
  readonly deliveries: readonly Delivery[];
  post(account: string, path: string, body?: unknown, requestId?: string, more?: Headers): Promise<Answer>;
  put(account: string, path: string, body: unknown): Promise<Answer>;
  patch(account: string, path: string, body: unknown): Promise<Answer>;
  get(account: string, path: string): Promise<Answer>;
  remove(account: string, path: string): Promise<Answer>;
  /** Moves time forward by `afterMs` milliseconds and sends an account's due events. */
  sendDue(account: string, afterMs?: number): Promise<void>;
}

export interface Delivery {
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  readonly event: Json;
}

type Headers = Readonly<Record<string, string>>;

export const testPan = '4111111111111111';
export const testCvc = '737';
const api = 'https://processor-b.example';

let orders = 0;

type Fields = Readonly<Record<string, unknown>>;

/** A purchase unit with a unique reference. */
export function unit(change: Fields = {}): Record<string, unknown> & { custom_id: string } {
  orders += 1;
  const id = `pay_${orders}`;
  return {
    reference_id: id,
    custom_id: id,
    invoice_id: id,
    amount: { currency_code: 'EUR', value: '19.99' },
    ...change,
  };
}

export const urls = {
  return_url: 'https://till.example/checkout/return/token?kept=1',
  cancel_url: 'https://till.example/checkout/return/token?cancel=1',
};

export function cardSource(change: Fields = {}): Fields {
  return {
    card: {
      number: testPan,
      expiry: '2030-03',
      security_code: testCvc,
      name: 'Ada Lovelace',
      experience_context: urls,
      ...change,
    },
  };
}

export function withSca(method: string, change: Fields = {}): Fields {
  return cardSource({ attributes: { verification: { method } }, ...change });
}

export const walletSource = {
  paypal: { experience_context: { ...urls, brand_name: 'Acme & Söhne' } },
};

export interface OrderBody {
  readonly intent: string;
  readonly purchase_units: readonly [ReturnType<typeof unit>];
  readonly payment_source?: unknown;
}

export function order(source: unknown, change: Fields = {}, intent = 'CAPTURE'): OrderBody {
  return {
    intent,
    purchase_units: [unit(change)],
    ...(source === undefined ? {} : { payment_source: source }),
  };
}

export function referenceOf(body: OrderBody): string {
  return body.purchase_units[0].custom_id;
}

function answerFrom(response: WireResponse): Answer {
  const text = response.body.toString('utf8');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? null : JSON.parse(text),
  };
}

interface Recorded {
  readonly clock: { now: Date };
  readonly waits: { readonly ms: number; readonly release: () => void }[];
  readonly visited: string[];
  readonly deliveries: Delivery[];
}

/** The simulator's dependencies, which record how they are used. */
function recordingDeps(
  database: SandboxDatabase,
  recorded: Recorded,
  batch: Batch | undefined,
): SandboxDependencies {
  const { clock, waits, visited, deliveries } = recorded;
  return {
    database,
    now: () => clock.now,
    randomBytes: (length) => randomBytes(length),
    delay: (ms, signal) =>
      new Promise((resolve, reject) => {
        waits.push({ ms, release: resolve });
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
    publicUrl: () => 'https://till.example',
    visit: (url) => visited.push(url),
    batch,
    notifications: {
      url: (_, account) => `https://till.example/processors/b/notifications/${account}`,
      secrets: (account) => ({ hmacKey: '', user: '', password: '', webhookId: `hook${account}` }),
      async send({ url, headers, body }) {
        const text = body.toString('utf8');
        deliveries.push({ url, headers, text, event: JSON.parse(text) });
        return { status: 200, headers: {}, body: Buffer.alloc(0) };
      },
    },
  };
}

function senderOf(deps: SandboxDependencies): NotificationSender {
  return createNotificationSender(deps, {
    processor_a: () => {
      throw new Error('no test of processor_b plans such a notification');
    },
    processor_b: createNotificationSignerB(deps),
  });
}

/**
 * Creates a processor whose clock starts at the end of 2026 and whose delays end when the test releases them.
 */
export function createTestClient(database: SandboxDatabase, batch?: Batch): TestClient {
  const recorded: Recorded = {
    clock: { now: new Date('2026-12-01T12:00:00Z') },
    waits: [],
    visited: [],
    deliveries: [],
  };
  const { clock } = recorded;
  const deps = recordingDeps(database, recorded, batch);
  const sender = senderOf(deps);
  const processor = createProcessorB(deps);
  const tokens = new Map<string, string>();

  const send = async (change: Partial<WireRequest>, signal?: AbortSignal): Promise<Answer> => {
    const request = { method: 'GET', url: api, headers: {}, body: Buffer.alloc(0), ...change };
    return answerFrom(await processor.handle(request, signal));
  };
  const tokenOf = async (account: string): Promise<string> => {
    // The key includes the time, because tokens expire by the clock that tests move.
    const key = `${account} ${clock.now.getTime()}`;
    const known = tokens.get(key);
    if (known !== undefined) return known;
    const authorization = `Basic ${Buffer.from(`${account}:secret`).toString('base64')}`;
    const { json } = await send({
      method: 'POST',
      url: `${api}/v1/oauth2/token`,
      headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('grant_type=client_credentials'),
    });
    tokens.set(key, json.access_token);
    return json.access_token;
  };
  const call = async (
    method: string,
    account: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Headers } = {},
  ): Promise<Answer> => {
    const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
    const typed = text === '' ? {} : { 'content-type': 'application/json' };
    const authorization = `Bearer ${await tokenOf(account)}`;
    const all = { authorization, ...typed, ...headers };
    return send({ method, url: `${api}${path}`, headers: all, body: Buffer.from(text) });
  };
  return {
    processor,
    deps,
    ...recorded,
    send,
    post(account, path, body = {}, requestId, more = {}) {
      const headers = {
        prefer: 'return=representation',
        ...(requestId === undefined ? {} : { 'PayPal-Request-Id': requestId }),
        ...more,
      };
      return call('POST', account, path, { body, headers });
    },
    put: (account, path, body) => call('PUT', account, path, { body }),
    patch: (account, path, body) => call('PATCH', account, path, { body }),
    get: (account, path) => call('GET', account, path),
    remove: (account, path) => call('DELETE', account, path),
    async sendDue(account, afterMs = 0) {
      clock.now = new Date(clock.now.getTime() + afterMs);
      await sender.sendDue(account);
    },
  };
}

/**
 * Resolves once the simulator waits, so that the test can continue while a request is in flight.
 * @param isOver if the simulator may never wait: whether all requests have finished
 */
export async function untilWaiting(
  { waits }: TestClient,
  count: number,
  isOver: () => boolean = () => false,
): Promise<void> {
  while (waits.length < count && !isOver()) await new Promise((resolve) => setTimeout(resolve, 1));
}

export const ordersPath = '/v2/checkout/orders';

/** The expected shape of a response that refuses a request with this issue. */
export function issue(name: string, status = 422): object {
  return { status, json: { details: [{ issue: name }] } };
}

/** The capture in an order's response. */
export function captured(answer: Answer): Json {
  return answer.json.purchase_units[0].payments.captures[0];
}

export function payerAction(answer: Answer): string | undefined {
  return answer.json.links.find((link: { rel: string }) => link.rel === 'payer-action')?.href;
}

/** The calls of a shop. Each has a unique request id unless the test passes one. */
export function shopOf(client: TestClient) {
  let keys = 0;
  return {
    create(account: string, body: OrderBody, key = `create-${keys++}`): Promise<Answer> {
      return client.post(account, ordersPath, body, key);
    },
    capture(account: string, id: string, key = `capture-${keys++}`): Promise<Answer> {
      return client.post(account, `${ordersPath}/${id}/capture`, {}, key);
    },
    async charges(account: string) {
      return (await readLedger(client.deps.database, account)).charges;
    },
  };
}
