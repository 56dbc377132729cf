import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { playSteps, refusal, type Step } from '../test-kit.ts';
import type { TillError } from './errors.ts';
import type { AnswerNote } from './settings.ts';

const paid: Step = { status: 201, body: { id: 'pay_1' } };
const unavailable = refusal(503, 'provider_error', 'provider_unavailable');
const limited = (seconds: string) =>
  refusal(429, 'rate_limit_error', 'rate_limited', { 'retry-after': seconds });
const sale = { amount: 4990, currency: 'EUR' };
const caught = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a request', () => {
  it('sends the key, the version of this package and JSON', async () => {
    const { till, sent } = playSteps([paid]);
    await till.payments.create(sale);
    expect(sent).toEqual([
      {
        method: 'POST',
        url: 'https://pay.example/api/v1/payments',
        headers: {
          accept: 'application/json',
          authorization: 'Bearer sk_test_4eC39HqLyjWDarjtT1zdp7dc',
          'user-agent': expect.stringMatching(/^till-node\/\d+\.\d+\.\d+$/),
          'content-type': 'application/json',
          'idempotency-key': 'key-1',
        },
        body: JSON.stringify(sale),
      },
    ]);
  });

  it('has no body and no key where the API takes none', async () => {
    const { till, sent } = playSteps([paid]);
    await till.payments.retrieve('pay_1');
    expect(sent[0]?.body).toBeUndefined();
    expect(Object.keys(sent[0]?.headers ?? {})).toEqual(['accept', 'authorization', 'user-agent']);
  });

  it('keeps a path in front of the API, and escapes ids and queries', async () => {
    const { till, sent } = playSteps([{ status: 200, body: { data: [] } }], {
      baseUrl: 'https://shop.example/till/',
    });
    await till.payments.retrieve('../customers?x=1');
    await till.customers.list({ email: 'a+b@shop.example', per_page: undefined });
    expect(sent.map(({ url }) => url)).toEqual([
      'https://shop.example/till/api/v1/payments/..%2Fcustomers%3Fx%3D1',
      'https://shop.example/till/api/v1/customers?email=a%2Bb%40shop.example&page=1',
    ]);
  });

  it.each(['', '.', '..', undefined, null])('with the id %j is refused before it is sent', async (id) => {
    const { till, sent } = playSteps([paid]);
    const error = await caught(Promise.resolve().then(() => till.payments.retrieve(id as string)));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('/api/v1/payments/:id needs id');
    expect(sent).toEqual([]);
  });

  it.each(['', ' ', 'a\r\nb', 'ü', 'x'.repeat(256), null, { id: 'order-1' }, 1])(
    'with the key %j is refused before it is sent',
    async (key) => {
      const { till, sent } = playSteps([paid]);
      const call = till.payments.create(sale, { idempotencyKey: key as string });
      expect(await caught(call)).toBeInstanceOf(TypeError);
      expect(sent).toEqual([]);
    },
  );

  it.each(['idempotency_key', 'idempotencykey', 'timeout', 'amount'])(
    'with the option %s, which does not exist, is refused before it is sent',
    async (name) => {
      const { till, sent } = playSteps([paid]);
      const options = { [name]: 'order-1' } as { idempotencyKey?: string };
      for (const call of [till.payments.create(sale, options), till.payments.capture('pay_1', options)]) {
        expect(String(await caught(call))).toContain(`There is no option ${name}`);
      }
      expect(sent).toEqual([]);
    },
  );
});

describe('a retry', () => {
  it.each([
    ['a broken connection', 'broken'],
    ['no answer in time', 'hanging'],
    ['a 500', refusal(500, 'api_error', 'internal_error')],
    ['a 502', refusal(502, 'provider_error', 'provider_error')],
    ['a 503', unavailable],
    ['a 429', limited('0')],
    ['the page of a proxy', { status: 502, text: '<html>Bad gateway</html>' }],
  ] as const)('follows %s, with the same key and body', async (_what, step) => {
    const { till, sent, clock } = playSteps([step, step, paid]);
    expect(await till.payments.create(sale)).toEqual({ id: 'pay_1' });
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map((request) => JSON.stringify(request))).size).toBe(1);
    expect(sent[0]?.headers['idempotency-key']).toBe('key-1');
    expect(clock.open).toBe(0);
  });

  it.each([
    [400, 'invalid_request_error', 'missing_field'],
    [401, 'authentication_error', 'invalid_api_key'],
    [404, 'invalid_request_error', 'not_found'],
    [408, 'invalid_request_error', 'request_timeout'],
    [409, 'idempotency_error', 'key_reused'],
    [422, 'validation_error', 'invalid_params'],
  ])('does not follow %i %s %s', async (status, type, code) => {
    const { till, sent } = playSteps([refusal(status, type, code), paid]);
    expect(await caught(till.payments.create(sale))).toMatchObject({ status, code, retryable: false });
    expect(sent).toHaveLength(1);
  });

  it('does not follow an outcome that is stored under the key', async () => {
    const { till, sent } = playSteps([refusal(502, 'provider_error', 'missing_approval_url'), paid]);
    expect(await caught(till.payments.create(sale))).toMatchObject({ retryable: false });
    expect(sent).toHaveLength(1);
  });

  it('comes twice, then the error is thrown with the idempotency key', async () => {
    const { till, sent } = playSteps([unavailable]);
    const error = await caught(till.payments.create(sale));
    expect(error).toMatchObject({ code: 'provider_unavailable', retryable: true, idempotencyKey: 'key-1' });
    expect(sent).toHaveLength(3);
    await caught(till.payments.create(sale, { idempotencyKey: (error as TillError).idempotencyKey }));
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set(['key-1']));
  });

  it('comes as often as the client or the call says', async () => {
    const { till, sent } = playSteps(['broken'], { maxRetries: 4 });
    await caught(till.payments.retrieve('pay_1'));
    expect(sent).toHaveLength(5);
    await caught(till.payments.retrieve('pay_1', { maxRetries: 0 }));
    expect(sent).toHaveLength(6);
  });

  it('backs off exponentially, with jitter between half and the whole', async () => {
    const pauses = async (random: number) => {
      const { till, clock } = playSteps(['broken'], { maxRetries: 6, random: () => random });
      await caught(till.payments.retrieve('pay_1'));
      return clock.pauses;
    };
    expect(await pauses(0)).toEqual([250, 500, 1000, 2000, 4000, 4000]);
    expect(await pauses(0.5)).toEqual([375, 750, 1500, 3000, 6000, 6000]);
  });

  it('waits as long as Retry-After says, in seconds or as a date', async () => {
    const date = new Date(Date.UTC(2026, 10, 20, 0, 0, 5)).toUTCString();
    for (const [header, ms] of [
      ['2', 2000],
      ['30', 30_000],
      [date, 5000],
      ['soon', 0],
    ] as const) {
      const { till, clock } = playSteps([limited(header), paid]);
      await till.payments.create(sale);
      expect(clock.pauses).toEqual([ms + 375]);
    }
  });

  it('is left to the caller where Retry-After asks for long', async () => {
    const { till, sent } = playSteps([limited('31')]);
    expect(await caught(till.payments.create(sale))).toMatchObject({
      retryAfterSeconds: 31,
      retryable: true,
    });
    expect(sent).toHaveLength(1);
  });

  it('does not follow where the operation is not idempotent, unless it was refused', async () => {
    for (const step of ['broken', unavailable] as const) {
      const { till, sent } = playSteps([step]);
      await caught(till.testHelpers.advanceClock(60));
      await caught(till.testHelpers.openDispute('pay_1'));
      expect(sent).toHaveLength(2);
    }
    const { till, sent } = playSteps([limited('1'), { status: 200, body: { object: 'test_clock' } }]);
    await till.testHelpers.advanceClock(60);
    expect(sent).toHaveLength(2);
  });
});

describe('a client', () => {
  it('reports every response', async () => {
    const notes: AnswerNote[] = [];
    const replayed: Step = {
      ...paid,
      headers: {
        'service-request-id': 'req_2',
        'idempotent-replayed': 'true',
        'service-ignored-fields': 'amuont, metadata',
      },
    };
    const { till } = playSteps([unavailable, replayed], { onAnswer: (note) => notes.push(note) });
    await till.payments.create(sale);
    const common = { method: 'POST', path: '/api/v1/payments' };
    expect(notes).toEqual([
      { ...common, status: 503, requestId: 'req_1', attempt: 1, isReplayed: false, ignoredFields: [] },
      {
        ...common,
        status: 201,
        requestId: 'req_2',
        attempt: 2,
        isReplayed: true,
        ignoredFields: ['amuont', 'metadata'],
      },
    ]);
  });

  it('refuses a filter that is null, which would list everything', async () => {
    const { till, sent } = playSteps([paid]);
    const error = await caught(till.payments.list({ customer: null } as unknown as { customer: string }));
    expect(String(error)).toBe('TypeError: customer is null: give it a value, or leave it out.');
    expect(sent).toEqual([]);
  });

  it('never shows its key', async () => {
    const { till } = playSteps(['broken']);
    const error = await caught(till.payments.create(sale));
    for (const shown of [till, till.payments, error]) {
      expect(inspect(shown, { depth: 10, showHidden: true })).not.toContain('sk_test_');
      expect(JSON.stringify(shown)).not.toContain('sk_test_');
    }
  });

  it.each([
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: 'whsec_abc' }],
    ['apiKey', { apiKey: 'sk_test_a\n' }],
    ['baseUrl', { baseUrl: '' }],
    ['baseUrl', { baseUrl: 'pay.example' }],
    ['baseUrl', { baseUrl: 'ftp://pay.example' }],
    ['baseUrl', { baseUrl: 'https://user@pay.example' }],
    ['baseUrl', { baseUrl: 'https://pay.example/?a=1' }],
    ['without|must not hold', { baseUrl: 'https://pay.example/api/v1' }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['maxRetries', { maxRetries: -1 }],
  ])('names the option %s that cannot work', (name, options) => {
    expect(() => playSteps([paid], options)).toThrow(new RegExp(name));
    expect(() => playSteps([paid], options)).toThrow(TypeError);
  });

  it('names an option that a client does not have', () => {
    const misspelt: object = { timeout: 5000 };
    expect(() => playSteps([paid], misspelt)).toThrow('There is no option timeout: a client takes apiKey,');
  });
});
