import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testCards } from '../directives/cards.ts';
import { faults } from '../directives/faults.ts';
import { createTestDatabase, type TestDatabase } from '../test-database.ts';
import { answerChallenge } from './authorisation/challenges.ts';
import { refusalDirectives } from './authorisation/refusals.ts';
import { checkoutVersion } from './simulator.ts';
import {
  type Answer,
  answerFrom,
  createTestClient,
  payment,
  request,
  type TestClient,
} from './test-client.ts';
import { publishedDocument } from './test-document.ts';

const { missing, note, paths, problems } = publishedDocument(
  `adyen-checkout-${checkoutVersion}.openapi.json`,
);

describe.skipIf(missing)(`answers keep to the published document${note}`, () => {
  let db: TestDatabase;
  let client: TestClient;

  beforeAll(async () => {
    db = await createTestDatabase();
    client = createTestClient(db.pool);
  });
  afterAll(() => db.drop());

  function expectPublished(answer: Answer): void {
    const schema = answer.status === 200 ? 'PaymentResponse' : 'ServiceError';
    expect(problems(schema, answer.json), answer.text).toEqual([]);
    expect(answer.json.status ?? 200).toBe(answer.status);
  }

  test('the validator does refuse', () => {
    expect(problems('PaymentResponse', { resultCode: 'Paid' })).not.toEqual([]);
    expect(problems('PaymentResponse', { additionalData: { liabilityShift: true } })).not.toEqual([]);
    expect(problems('ServiceError', { status: '422' })).not.toEqual([]);
  });

  test('the payments of these tests are valid requests', () => {
    expect(problems('PaymentRequest', payment('acct'))).toEqual([]);
  });

  test.each(['never', undefined, 'always'])('for every card with authentication %s', async (attempt) => {
    const rest = attempt === undefined ? {} : { authenticationData: { attemptAuthentication: attempt } };
    for (const { number, brand } of testCards) {
      const answer = await client.pay(
        payment('cards', { number, cvc: brand === 'amex' ? '7373' : '737' }, rest),
      );
      expect(answer.status).toBe(200);
      expectPublished(answer);
    }
  });

  test('for every refusal', async () => {
    for (const value of refusalDirectives.flatMap((row) => row.values)) {
      const answer = await client.pay(payment('refusals', { holderName: value }));
      expect(answer.status).toBe(200);
      expectPublished(answer);
    }
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a wrong number', { number: '4111111111111112' }, {}],
    ['a wrong security code', { cvc: '1' }, {}],
    ['an expired card', { expiryYear: '2001' }, {}],
    ['a missing reference', {}, { reference: undefined }],
    ['a missing account', {}, { merchantAccount: undefined }],
    ['an incomplete address', {}, { billingAddress: { city: 'Amsterdam' } }],
  ])('for %s', async (_what, card, rest) => {
    const answer = await client.pay(payment('errors', card, rest), _what);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expectPublished(answer);
  });

  test('for requests that are turned away at the door', async () => {
    const good = request(payment('door'));
    const bad = [
      { ...good, url: '/v71/unknown' },
      { ...good, method: 'GET' },
      { ...good, headers: {} },
      { ...good, body: Buffer.from('{') },
      { ...good, headers: { ...good.headers, 'idempotency-key': 'k'.repeat(65) } },
    ];
    for (const each of bad) expectPublished(answerFrom(await client.processor.handle(each)));
  });

  test('for stored cards: stored, listed, charged and forgotten', async () => {
    const account = 'stored';
    const shopper = { shopperReference: 'cus_1', recurringProcessingModel: 'CardOnFile' };
    const saving = payment(account, {}, { ...shopper, storePaymentMethod: true });
    expect(problems('PaymentRequest', saving)).toEqual([]);
    const saved = await client.pay(saving);
    expectPublished(saved);
    const ofToken = Object.entries(saved.json.additionalData ?? {}).filter(([key]) =>
      key.startsWith('token'),
    );
    expect(ofToken).toHaveLength(3);
    expect(problems('ResponseAdditionalDataCommon', Object.fromEntries(ofToken))).toEqual([]);
    const token = saved.json.additionalData?.['tokenization.storedPaymentMethodId'];
    const charge = {
      ...payment(account, {}, { ...shopper, shopperInteraction: 'ContAuth' }),
      paymentMethod: { type: 'scheme', storedPaymentMethodId: token },
    };
    expect(problems('PaymentRequest', charge)).toEqual([]);
    expectPublished(await client.pay(charge));
    const query = `?shopperReference=cus_1&merchantAccount=${account}`;
    const list = await client.ask('GET', `/storedPaymentMethods${query}`);
    expect(problems('ListStoredPaymentMethodsResponse', list.json), list.text).toEqual([]);
    expect((await client.ask('DELETE', `/storedPaymentMethods/${token}${query}`)).status).toBe(204);
    expectPublished(await client.ask('DELETE', `/storedPaymentMethods/${token}${query}`));
    expectPublished(await client.pay(charge));
  });

  test('for refunds, given and refused', async () => {
    const { json } = await client.pay(payment('refunds'));
    const body = {
      merchantAccount: 'refunds',
      reference: 're_1',
      amount: { value: 1999, currency: 'EUR' },
      merchantRefundReason: 'OTHER',
      applicationInfo: { merchantApplication: { name: 'SIM-REFUND-PENDING' } },
    };
    expect(problems('PaymentRefundRequest', body)).toEqual([]);
    const given = await client.post(`/payments/${json.pspReference}/refunds`, body);
    expect(given.status).toBe(201);
    expect(problems('PaymentRefundResponse', given.json), given.text).toEqual([]);
    expectPublished(await client.post(`/payments/${json.pspReference}/refunds`, body));
  });

  test('for captures and changes of a hold, carried out and refused', async () => {
    expect(paths).toEqual(
      expect.arrayContaining([
        '/payments/{paymentPspReference}/captures',
        '/payments/{paymentPspReference}/amountUpdates',
      ]),
    );
    const held = payment('holds', {}, { additionalData: { manualCapture: 'true' } });
    expect(problems('PaymentRequest', held)).toEqual([]);
    const { json } = await client.pay(held);
    const amount = { value: 2500, currency: 'EUR' };
    const update = { merchantAccount: 'holds', amount, reference: 'more', industryUsage: 'delayedCharge' };
    expect(problems('PaymentAmountUpdateRequest', update)).toEqual([]);
    const updated = await client.post(`/payments/${json.pspReference}/amountUpdates`, update);
    expect(updated.status).toBe(201);
    expect(problems('PaymentAmountUpdateResponse', updated.json), updated.text).toEqual([]);
    const capture = { merchantAccount: 'holds', amount, reference: 'taken' };
    expect(problems('PaymentCaptureRequest', capture)).toEqual([]);
    const captured = await client.post(`/payments/${json.pspReference}/captures`, capture);
    expect(captured.status).toBe(201);
    expect(problems('PaymentCaptureResponse', captured.json), captured.text).toEqual([]);
    for (const wrong of [
      { ...capture, amount: { value: 0, currency: 'EUR' } },
      { merchantAccount: 'holds' },
    ]) {
      expectPublished(await client.post(`/payments/${json.pspReference}/captures`, wrong));
    }
    expectPublished(await client.post('/payments/ZZZZZZZZZZZZZZZZ/captures', capture));
  });

  test('for the ways to pay, with and without stored cards', async () => {
    const asked = { merchantAccount: 'offer', channel: 'Web', countryCode: 'NL', shopperReference: 'cus_1' };
    expect(problems('PaymentMethodsRequest', asked)).toEqual([]);
    const first = await client.post('/paymentMethods', asked);
    expect(problems('PaymentMethodsResponse', first.json), first.text).toEqual([]);
    const shopper = { shopperReference: 'cus_1', recurringProcessingModel: 'CardOnFile' };
    await client.pay(payment('offer', {}, { ...shopper, storePaymentMethod: true }));
    const then = await client.post('/paymentMethods', asked);
    expect(problems('PaymentMethodsResponse', then.json), then.text).toEqual([]);
    expect(then.text).toContain('storedPaymentMethods');
    expectPublished(await client.post('/paymentMethods', {}));
  });

  test('for an authorisation over nothing', async () => {
    const zero = payment('zero', {}, { amount: { value: 0, currency: 'EUR' } });
    expect(problems('PaymentRequest', zero)).toEqual([]);
    const verified = await client.pay(zero);
    expect(verified.json.resultCode).toBe('Authorised');
    expectPublished(verified);
  });

  test('for a challenge, whatever the buyer does, for cancellations and reversals', async () => {
    for (const outcome of ['approved', 'failed', 'abandoned'] as const) {
      const body = payment('challenges', { number: '4917610000000000' });
      const redirect = await client.pay(body);
      expectPublished(redirect);
      const id = redirect.json.action?.url.split('/').at(-1) ?? '';
      const resolved = await answerChallenge(client.deps, id, outcome);
      const redirectResult = new URL(resolved?.returnUrl ?? '').searchParams.get('redirectResult');
      const final = await client.post('/payments/details', { details: { redirectResult } });
      expect(final.status).toBe(200);
      expect(problems('PaymentDetailsResponse', final.json), final.text).toEqual([]);
      expectPublished(await client.post('/payments/details', { details: { redirectResult } }));
      const named = { merchantAccount: 'challenges', paymentReference: body.reference };
      const byReference = await client.post('/cancels', named);
      expect(problems('StandalonePaymentCancelResponse', byReference.json), byReference.text).toEqual([]);
      const byPsp = await client.post(`/payments/${final.json.pspReference}/cancels`, named);
      expect(problems('PaymentCancelResponse', byPsp.json), byPsp.text).toEqual([]);
      const reversal = { merchantAccount: 'challenges', reference: body.reference };
      expect(problems('PaymentReversalRequest', reversal)).toEqual([]);
      const reversed = await client.post(`/payments/${final.json.pspReference}/reversals`, reversal);
      expect(reversed.status).toBe(201);
      expect(problems('PaymentReversalResponse', reversed.json), reversed.text).toEqual([]);
    }
  });

  test('for server errors and for a key that is still in progress', async () => {
    for (const { value } of faults.filter((fault) => 'shows' in fault && typeof fault.shows === 'number')) {
      const answer = await client.pay(payment('faults', { holderName: value }), value);
      expect(answer.status).toBeGreaterThanOrEqual(500);
      expectPublished(answer);
    }
    const slow = payment('faults', { holderName: 'SIM-SLOW' });
    void client.pay(slow, 'slow');
    while (client.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const answer = await client.pay(slow, 'slow');
    expect(answer.json.errorCode).toBe('704');
    expectPublished(answer);
  });
});
