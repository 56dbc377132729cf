import { merchantApi } from '@till/contract';
import { describe, expect, it } from 'vitest';
import type { TenantId } from '../store/tenant.ts';
import { type AnsweredRequest, hold, maxBodyBytes } from './answered.ts';
import { toEntry } from './entry.ts';
import type { LogEntry } from './row.ts';

const payment = 'pay_mwr50nz1pr8vneg1t8zjwt70';
const customer = 'cus_mwr50nz1pr8vneg1t8zjwt71';
const refund = 're_mwr50nz1pr8vneg1t8zjwt72';

const answered: AnsweredRequest = {
  id: 'req_mwr50nyxj96gyh3zye5l9w4z',
  operation: merchantApi.createPayment,
  tenant: 1 as TenantId,
  accountId: 'acct_1',
  livemode: false,
  keyId: 'key_1',
  url: '/api/v1/payments',
  status: 201,
  code: null,
  durationMs: 12.6,
  ip: '203.0.113.7',
  idempotencyKey: null,
  replayed: false,
  body: null,
  answer: null,
  warnings: [],
};

const entry = (changes: Partial<AnsweredRequest>): LogEntry =>
  toEntry(hold({ ...answered, ...changes }), (text) => `hash of ${text}`);
const body = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('a log entry', () => {
  it.each([
    ['path', `/api/v1/customers/${'a'.repeat(281)}${encodeURIComponent('😀')}`],
    ['query', `/api/v1/customers?email=${'a'.repeat(993)}${encodeURIComponent('😀')}`],
  ] as const)('keeps no half of a character at the end of a %s that is cut', (name, url) => {
    const kept = entry({ operation: merchantApi.listCustomers, url })[name] ?? '';
    expect(kept.endsWith('a\ufffd')).toBe(true);
    expect(kept.isWellFormed()).toBe(true);
  });

  it('has start, duration and the object that the request was about', () => {
    const answer = JSON.stringify({ id: payment, object: 'payment', customer });
    const kept = entry({ body: body({ amount: 1, customer }), answer });
    expect(kept).toMatchObject({
      at: new Date('2026-11-22T01:07:40.761Z'),
      method: 'POST',
      route: '/api/v1/payments',
      path: '/api/v1/payments',
      query: null,
      duration_ms: 13,
      payment_id: payment,
      customer_id: customer,
      refund_id: null,
      request_body: `{"amount":1,"customer":"${customer}"}`,
      request_note: null,
      answer_body: answer,
      answer_note: null,
    });
  });

  it('names the payment of a refund, and of a path', () => {
    const refunded = entry({
      operation: merchantApi.createRefund,
      url: `/api/v1/payments/${payment}/refunds`,
      answer: JSON.stringify({ id: refund, object: 'refund', payment }),
    });
    expect(refunded).toMatchObject({ payment_id: payment, refund_id: refund });
    const missed = entry({ operation: merchantApi.retrievePayment, url: `/api/v1/payments/${payment}` });
    expect(missed.payment_id).toBe(payment);
  });

  it('distinguishes repeats of an idempotency key from other paths, and shows only the key’s end', () => {
    const [one, same, other] = [
      entry({ idempotencyKey: 'order-1234' }),
      entry({ idempotencyKey: 'order-1234', url: '/api/v1/payments?x=1' }),
      entry({ idempotencyKey: 'order-1234', url: '/api/v1/customers' }),
    ];
    expect(one.idempotency_hash).toBe(same.idempotency_hash);
    expect(one.idempotency_hash).not.toBe(other.idempotency_hash);
    expect(one.idempotency_hint).toBe('1234');
    expect(entry({}).idempotency_hash).toBeNull();
  });

  it('masks card numbers in path and query, escaped or not, and unknown parameters', () => {
    const { path, query } = entry({
      operation: merchantApi.listPayments,
      url: '/api/v1/payments/4111%201111%201111%201111?reference=%34111111111111111&cvc=7373&4111111111111111=a',
    });
    expect(path).toBe('/api/v1/payments/[card ••••1111]');
    expect(query).toBe('reference=[card ••••1111]&cvc=[not kept]&[card ••••1111]=[not kept]');
    expect(entry({ url: '/api/v1/payments/%E0%A4/1111' }).path).toBe('/api/v1/payments/…');
    expect(entry({ url: '/api/v1/payments/%1b[31m' }).path).toBe('/api/v1/payments/\ufffd[31m');
  });

  it.each<[string, Partial<AnsweredRequest>, string | null]>([
    ['no body', {}, null],
    ['broken JSON', { body: Buffer.from('{"cvc":"737"') }, 'not_json'],
    ['a list', { body: body([{ cvc: '737' }]) }, 'not_json'],
    ['a long body', { body: Buffer.alloc(maxBodyBytes + 1, 0x20) }, 'too_large'],
    ['a body that nobody reads', { operation: merchantApi.voidPayment, body: body({ cvc: 1 }) }, 'unused'],
    ['a file', { operation: merchantApi.createFile, body: null }, 'file'],
  ])('has no body with %s, and the reason', (_what, changes, note) => {
    expect(entry(changes)).toMatchObject({ request_body: null, request_note: note });
  });

  it('has only the size of a long response', () => {
    const kept = entry({ answer: JSON.stringify({ data: 'ü'.repeat(maxBodyBytes) }) });
    expect(kept).toMatchObject({
      answer_body: null,
      answer_note: 'too_large',
      answer_bytes: maxBodyBytes * 2 + 11,
    });
  });
});
