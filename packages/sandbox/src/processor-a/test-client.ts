import { randomBytes } from 'node:crypto';
import type { Batch, SandboxDatabase, SandboxDependencies } from '../lib/dependencies.ts';
import type { WireRequest, WireResponse } from '../lib/wire.ts';
import { createNotificationSender } from '../outbox/outbox.ts';
import type { SimulatedWire } from '../simulator/simulator.ts';
import type { NotificationBody, NotificationItem } from './notifications/notification-items.ts';
import { signNotificationA } from './notifications/sign-notification.ts';
import { createProcessorA } from './simulator.ts';

export interface AnswerBody {
  readonly status?: number;
  readonly errorCode?: string;
  readonly message?: string;
  readonly resultCode?: string;
  readonly pspReference?: string;
  readonly merchantReference?: string;
  readonly additionalData?: Readonly<Record<string, string>>;
  readonly action?: { readonly url: string };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: AnswerBody;
}

/** One notification as the merchant's side receives it. */
export interface Delivered {
  readonly request: WireRequest;
  readonly body: NotificationBody;
  readonly item: NotificationItem;
}

export interface TestClient {
  readonly processor: SimulatedWire;
  /** The accounts' time. Tests may change it. */
  readonly clock: { now: Date };
  /** The delays that the simulator waits for. Each ends when its `release` is called. */
  readonly waits: { readonly ms: number; readonly release: () => void }[];
  /** The addresses that the virtual buyers' browsers visited. */
  readonly visited: readonly string[];
  readonly deps: SandboxDependencies;
  /** Notifications that the merchant's side has received, oldest first. */
  readonly delivered: Delivered[];
  /** The merchant side's response status to a delivery, 200 unless a test changes it. */
  readonly receiver: { answer: (delivery: Delivered) => number };
  /** Moves the accounts' time forward, and sends the notifications of one account that are due then. */
  pass(account: string, seconds: number): Promise<readonly Delivered[]>;
  post(path: string, body: unknown, key?: string, signal?: AbortSignal): Promise<Answer>;
  pay(body: unknown, key?: string, signal?: AbortSignal): Promise<Answer>;
  /** Sends a request without a body. */
  ask(method: 'GET' | 'DELETE', path: string): Promise<Answer>;
}

export const testPan = '4111111111111111';
export const testCvc = '737';

let payments = 0;

export type PaymentBody = Record<string, unknown> & {
  reference: string;
  paymentMethod: Record<string, unknown>;
};

/** A valid `POST /payments` body with a unique reference. */
export function payment(
  account: string,
  card: Readonly<Record<string, unknown>> = {},
  rest: Readonly<Record<string, unknown>> = {},
): PaymentBody {
  payments += 1;
  return {
    merchantAccount: account,
    reference: `pay_${payments}`,
    amount: { value: 1999, currency: 'EUR' },
    paymentMethod: {
      type: 'scheme',
      number: testPan,
      expiryMonth: '03',
      expiryYear: '2030',
      cvc: testCvc,
      holderName: 'Ada Lovelace',
      ...card,
    },
    returnUrl: 'https://till.example/checkout/return/token',
    ...rest,
  };
}

export function request(body: unknown, headers: Readonly<Record<string, string>> = {}): WireRequest {
  return {
    method: 'POST',
    url: 'https://checkout-test.example/v71/payments',
    headers: { 'content-type': 'application/json', 'X-API-Key': 'key', ...headers },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

export function answerFrom(response: WireResponse): Answer {
  const text = response.body.toString('utf8');
  const json = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, json };
}

export const testSecrets = {
  hmacKey: '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056',
  user: 'till',
  password: 'a password: of two parts',
  webhookId: 'unused',
};

function readDelivery(sent: WireRequest): Delivered {
  const body: NotificationBody = JSON.parse(sent.body.toString('utf8'));
  return { request: sent, body, item: body.notificationItems[0].NotificationRequestItem };
}

/**
 * Creates a processor whose clock starts at the end of 2026 and whose delays end when the test releases them.
 */
export function createTestClient(database: SandboxDatabase, batch?: Batch): TestClient {
  const clock = { now: new Date('2026-12-01T12:00:00Z') };
  const waits: TestClient['waits'] = [];
  const visited: string[] = [];
  const delivered: Delivered[] = [];
  const receiver: TestClient['receiver'] = { answer: () => 200 };
  const deps: SandboxDependencies = {
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
      url: (processor, account) => `https://till.example/${processor}/${account}`,
      secrets: () => testSecrets,
      async send(sent) {
        const delivery = readDelivery(sent);
        const status = receiver.answer(delivery);
        delivered.push(delivery);
        return { status, headers: {}, body: Buffer.alloc(0) };
      },
    },
  };
  const processor = createProcessorA(deps);
  const sender = createNotificationSender(deps, { processor_a: signNotificationA(deps) });
  return {
    processor,
    clock,
    waits,
    visited,
    deps,
    delivered,
    receiver,
    async pass(account, seconds) {
      clock.now = new Date(clock.now.getTime() + seconds * 1000);
      const before = delivered.length;
      await sender.sendDue(account);
      return delivered.slice(before);
    },
    async post(path, body, key, signal) {
      const headers = key === undefined ? {} : { 'Idempotency-Key': key };
      const url = `https://checkout-test.example/v71${path}`;
      return answerFrom(await processor.handle({ ...request(body, headers), url }, signal));
    },
    async pay(body, key, signal) {
      const headers = key === undefined ? {} : { 'Idempotency-Key': key };
      return answerFrom(await processor.handle(request(body, headers), signal));
    },
    async ask(method, path) {
      const url = `https://checkout-test.example/v71${path}`;
      const headers = { 'X-API-Key': 'key' };
      return answerFrom(await processor.handle({ method, url, headers, body: Buffer.alloc(0) }));
    },
  };
}
