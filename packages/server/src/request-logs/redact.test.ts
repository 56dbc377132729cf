import { merchantApi } from '@till/contract';
import { describe, expect, it } from 'vitest';
import { redactAnswer, redactRequest } from './redact-body.ts';
import { redactText } from './redact-text.ts';

const { body: paymentSchema } = merchantApi.createPayment;
const request = (body: object) => redactRequest(body, paymentSchema, 4000);
const number = '4111111111111111';

describe('redacted text', () => {
  it.each([
    ['plain', `paid with ${number}!`, 'paid with [card ••••1111]!'],
    ['spaces and hyphens', '4111 1111-1111 1111', '[card ••••1111]'],
    ['dots and slashes', '4111.1111/1111.1111', '[card ••••1111]'],
    ['no-break spaces', '4111\u00a01111\u00a01111\u00a01111', '[card ••••1111]'],
    ['full-width digits', '４１１１１１１１１１１１１１１１', '[card ••••1111]'],
    ['Arabic digits', '٤١١١١١١١١١١١١١١١', '[digits not kept]'],
    ['twelve digits', '676770000005', '[card ••••0005]'],
    ['nineteen digits', '6304000000000000000', '[card ••••0000]'],
    ['digits before it', `12 ${number}`, '[card ••••1111]'],
    ['digits that touch it', `99${number}`, '[card ••••1111]'],
    ['a named code', 'cvc: 7373, thanks', 'cvc: [redacted], thanks'],
    ['a code in a sentence', 'The security code is 737.', 'The security code is [redacted].'],
    ['an API key', `sk_test_${'a1B2'.repeat(8)}`, 'sk_test_[redacted]'],
    ['NUL and half a character', 'a\0b\ud800', 'a\ufffdb\ufffd'],
  ])('%s: redacted', (_what, text, kept) => {
    expect(redactText(text)).toBe(kept);
  });

  it.each([
    ['an amount', '4990'],
    ['a time', '2026-11-20T12:00:00Z'],
    ['an id', 'pay_0mi8k3v9x2b7c4d1e6f5g0h3'],
    ['a number that fails the Luhn check', '4111111111111112'],
    ['a date and a price', '20.11.2026, 49.90 EUR'],
    ['another script', '注文 42 です'],
  ])('%s: unchanged', (_what, text) => {
    expect(redactText(text)).toBe(text);
  });
});

describe('a redacted request', () => {
  it('keeps the fields of its operation, without the card', () => {
    const body = {
      amount: 4990,
      currency: 'EUR',
      reference: `order ${number}`,
      payment_method: { type: 'card', number, exp_month: 3, exp_year: 2032, cvc: '737', holder_name: 'Jane' },
      customer: { email: 'jane@shop.example', metadata: { cvv: '737', [number]: 'x', plan: 'gold' } },
    };
    expect(request(body)).toEqual({
      amount: 4990,
      currency: 'EUR',
      reference: 'order [card ••••1111]',
      payment_method: {
        type: 'card',
        number: '[card ••••1111]',
        exp_month: 3,
        exp_year: 2032,
        cvc: '[redacted]',
        holder_name: 'Jane',
      },
      customer: {
        email: 'jane@shop.example',
        metadata: { cvv: '[redacted]', '[card ••••1111]': 'x', plan: 'gold' },
      },
    });
  });

  it('keeps only the names of unknown fields', () => {
    expect(request({ ammount: 12, payment_method: { card: { security: '737' } } })).toEqual({
      ammount: '[unknown field, not kept]',
      payment_method: { card: '[unknown field, not kept]' },
    });
  });

  it('drops a value whose type is not its field’s', () => {
    expect(
      request({
        payment_method: '737',
        amount: { a: 737 },
        reference: ['737'],
        line_items: { x: '737' },
        stc: '737',
      }),
    ).toEqual({
      payment_method: '[not an object, not kept]',
      amount: '[object, not kept]',
      reference: '[list, not kept]',
      line_items: '[object, not kept]',
      stc: '[not an object, not kept]',
    });
  });

  it('drops mistyped card numbers, and security codes of any type', () => {
    const mistyped = { number: '4111111111111112', cvc: 7373 };
    expect(request({ payment_method: mistyped })).toEqual({
      payment_method: { number: '[redacted]', cvc: '[redacted]' },
    });
    const numeric = { number: Number(number), cvc: ['7373'] };
    expect(request({ payment_method: numeric })).toEqual({
      payment_method: { number: '[redacted]', cvc: '[list, not kept]' },
    });
    expect(request({ amount: Number(number) })).toEqual({ amount: '[card ••••1111]' });
  });

  it('is truncated where it is long, and stays an object', () => {
    const items = Array.from({ length: 100 }, (_none, n) => ({
      name: `Item ${n}`,
      unit_amount: n,
      quantity: 1,
    }));
    const kept = redactRequest({ line_items: items, description: 'x'.repeat(900) }, paymentSchema, 1000);
    expect(JSON.stringify(kept).length).toBeLessThan(2000);
    expect((kept as { line_items: unknown[] }).line_items.at(-1)).toBe('[cut]');
    expect(request({ description: 'x'.repeat(900) })).toEqual({ description: `${'x'.repeat(500)}… [cut]` });
  });

  it('treats a field called __proto__ like any other', () => {
    const kept = request(JSON.parse('{"__proto__": {"cvc": "737"}, "amount": 1}') as object);
    expect(JSON.stringify(kept)).toBe('{"__proto__":"[unknown field, not kept]","amount":1}');
  });
});

describe('a redacted response', () => {
  const answer = (body: unknown) => redactAnswer(body, 4000);

  it('keeps results and times, without links that carry a token', () => {
    const kept = {
      avs: { code: 'A', cvc: 'match' },
      authorization_expires: '2026-12-19T12:00:00Z',
      created: 1_795_176_000,
      failure: null,
      livemode: false,
    };
    const next = {
      checkout_url: 'https://pay.example/checkout/abc',
      redirect_url: 'https://bank.example/3ds?x=1',
    };
    expect(answer({ ...kept, next_action: next })).toEqual({
      ...kept,
      next_action: {
        checkout_url: 'https://pay.example/[redacted]',
        redirect_url: 'https://bank.example/[redacted]',
      },
    });
  });

  it('drops client tokens, and card numbers in the merchant’s own fields', () => {
    expect(answer({ client_token: 'abc', metadata: { note: number, cvc: { a: '737' } } })).toEqual({
      client_token: '[redacted]',
      metadata: { note: '[card ••••1111]', cvc: '[redacted]' },
    });
  });
});
