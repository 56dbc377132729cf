import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { cardPayment, freshEmail, Merchant } from '../../support/merchant.ts';
import { type RunningServer, startServer, temporaryFolder } from '../../support/server.ts';
import { caught, collect, type Sdk, SdkProject } from './sdk-project.ts';

const cleanUp = new CleanUp();
let server: RunningServer;
/** The package, installed from its tarball. */
let sdk: Sdk;

beforeAll(async () => {
  sdk = await (await SdkProject.create(cleanUp)).load();
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_DISPUTES_API: 'on',
    TILL_PROCESSOR_TIMEOUT_MS: '2000',
    TILL_RATE_LIMIT_RPS: '1',
    TILL_RATE_LIMIT_BURST: '100',
  });
  cleanUp.add(() => server.stop());
});
afterAll(cleanUp.run);

/** Opens an account with its own client. `options` are those of the client. */
async function openShop(processor: 'processor_a' | 'processor_b' = 'processor_a', options: object = {}) {
  const merchant = await Merchant.openAt(server, processor);
  const till = new sdk.Till({ apiKey: merchant.key, baseUrl: server.baseUrl, ...options });
  return { merchant, till };
}

describe('payments', () => {
  it('are created, read and listed', async () => {
    const { till } = await openShop();
    const payment = await till.payments.create(cardPayment({ reference: 'order-1' }));
    expect(payment).toMatchObject({ object: 'payment', status: 'succeeded', amount: 4990 });
    expect(await till.payments.retrieve(payment.id)).toEqual(payment);
    expect(await till.payments.list({ reference: 'order-1' })).toEqual({
      object: 'list',
      data: [payment],
      has_more: false,
      total_count: 1,
    });
    expect((await till.payments.list({ status: 'failed' })).data).toEqual([]);
  });

  it('that are declined are returned, not thrown', async () => {
    const { till } = await openShop();
    const payment = await till.payments.create(cardPayment({ card: { holder_name: 'CCREJECT-REFUSED' } }));
    expect(sdk.isDeclined(payment)).toBe(true);
    expect(payment.failure.code).toBe('do_not_honor');
  });

  it('are held, captured and voided', async () => {
    const { till } = await openShop('processor_b');
    const hold = () => till.payments.create(cardPayment({ capture_method: 'manual' }));
    const [first, second] = [await hold(), await hold()];
    expect(first.status).toBe('authorized');
    expect((await till.payments.capture(first.id)).status).toBe('succeeded');
    expect((await till.payments.void(second.id)).status).toBe('voided');
    expect(await caught(till.payments.capture(second.id))).toBeInstanceOf(sdk.ValidationError);
  });

  it('are confirmed once the buyer has approved', async () => {
    const { till } = await openShop('processor_b');
    const payment = await till.payments.create(cardPayment({ payment_method: { type: 'processor_b' } }));
    expect(payment.next_action.checkout_url).toContain('/checkout/pay/');
    const early = await caught(till.payments.confirm(payment.id));
    expect(early).toMatchObject({ type: 'validation_error', code: 'invalid_params', retryable: false });
    await till.testHelpers.approvePayment(payment.id);
    expect((await till.payments.confirm(payment.id)).status).toBe('succeeded');
  });

  it('are iterated page by page, each once, while new ones come in', async () => {
    const { till } = await openShop();
    const made: string[] = [];
    const pay = async () => made.unshift((await till.payments.create(cardPayment())).id);
    for (let count = 0; count < 5; count += 1) await pay();
    const old = [...made];
    const met: string[] = [];
    for await (const { id } of till.payments.list({ per_page: 2 })) {
      met.push(id);
      if (met.length === 2) await pay();
    }
    expect(met).toEqual(old);
    expect(await collect(till.payments.list({ per_page: 2, page: 2 }))).toEqual(made.slice(2));
  });
});

describe('refunds', () => {
  it('are created, settled, read and listed', async () => {
    const { till } = await openShop();
    const { id } = await till.payments.create(cardPayment({ description: 'SIM-REFUND-PENDING' }));
    const refund = await till.refunds.create(id, { amount: 990, note: 'SIM-REFUND-PENDING' });
    expect(refund).toMatchObject({ object: 'refund', payment: id, amount: 990, status: 'pending' });
    const settled = await till.testHelpers.settleRefund(refund.id, 'succeeded');
    expect(settled.status).toBe('succeeded');
    expect(await till.refunds.retrieve(refund.id)).toEqual(settled);
    const rest = await till.refunds.create(id);
    expect(rest.amount).toBe(4000);
    expect(await collect(till.refunds.list(id, { per_page: 1 }))).toEqual([rest.id, refund.id]);
    expect(await caught(till.refunds.create(id))).toMatchObject({ code: 'amount_invalid', status: 422 });
  });
});

describe('customers and what they saved', () => {
  it('are created, read, changed and listed', async () => {
    const { till } = await openShop();
    const email = freshEmail();
    const customer = await till.customers.create({ email, name: 'Jane' });
    const changed = await till.customers.update(customer.id, { name: null, locale: 'en-GB' });
    expect(changed).toEqual({ ...customer, name: null, locale: 'en-GB' });
    expect(await till.customers.retrieve(customer.id)).toEqual(changed);
    expect((await till.customers.list({ email: email.toUpperCase() })).data).toEqual([changed]);
    expect(await caught(till.customers.create({ email }))).toMatchObject({ code: 'customer_email_taken' });
  });

  it('have saved methods that are listed, read, charged and removed', async () => {
    const { till } = await openShop();
    const customer = await till.customers.create({ email: freshEmail() });
    const save = async (number: string) => {
      const payment = cardPayment({ customer: customer.id, card: { number } });
      return (await till.payments.create(payment)).payment_method_id;
    };
    const first = await save('4111111111111111');
    const second = await save('5555555555554444');
    const listed = await till.customers.listPaymentMethods(customer.id);
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([second, first]);
    expect(await till.paymentMethods.list(customer.id)).toEqual(listed);
    expect(await till.paymentMethods.retrieve(second)).toEqual(listed.data[0]);
    const charge = { amount: 100, currency: 'EUR', customer: customer.id, stored_payment_method: second };
    expect((await till.payments.create({ ...charge, merchant_initiated: true })).status).toBe('succeeded');
    expect(await till.paymentMethods.remove(second)).toEqual({
      id: second,
      object: 'payment_method',
      deleted: true,
    });
    expect(await caught(till.customers.removePaymentMethod(customer.id, second))).toMatchObject({
      code: 'not_found',
    });
  });

  it('have client tokens on processor_b only', async () => {
    const { till } = await openShop('processor_b');
    expect(await till.clientTokens.create()).toMatchObject({ object: 'client_token', customer: null });
    const other = await openShop();
    expect(await caught(other.till.clientTokens.create())).toMatchObject({
      type: 'invalid_request_error',
      code: 'no_provider_connection',
    });
  });
});

describe('events, disputes and files', () => {
  it('events are listed and read', async () => {
    const { till } = await openShop();
    const payment = await till.payments.create(cardPayment());
    const { data } = await till.events.list({ type: 'payment.succeeded' });
    expect(data).toMatchObject([{ type: 'payment.succeeded', data: { object: payment } }]);
    expect(await till.events.retrieve(data[0].id)).toEqual(data[0]);
  });

  it('disputes are opened, listed, read, defended with a file, and accepted', async () => {
    const { till } = await openShop();
    const dispute = async () => {
      const { id } = await till.payments.create(cardPayment());
      return till.testHelpers.openDispute(id, { reason: 'product_not_received' });
    };
    const [first, second] = [await dispute(), await dispute()];
    expect(await till.disputes.retrieve(first.id)).toEqual(first);
    expect(await collect(till.disputes.list({ status: 'action_required', per_page: 1 }))).toEqual([
      second.id,
      first.id,
    ]);
    const content = Buffer.from('%PDF-1.7\nreceipt');
    const file = await till.files.create({ name: 'receipt.pdf', content });
    expect(file).toMatchObject({ object: 'file', name: 'receipt.pdf', size: content.length });
    expect(await till.files.retrieve(file.id)).toEqual(file);
    const evidence = [
      { type: 'receipt', file: file.id },
      { type: 'proof_of_delivery', text: 'Signed for by the buyer' },
    ];
    expect((await till.disputes.defend(first.id, { evidence })).status).toBe('challenged');
    expect((await till.disputes.accept(second.id)).status).toBe('accepted');
  });

  it('the clock is advanced', async () => {
    const { till } = await openShop();
    const before = Date.parse((await till.testHelpers.advanceClock(1)).now);
    const after = Date.parse((await till.testHelpers.advanceClock(3600)).now);
    expect(after - before).toBeGreaterThanOrEqual(3_600_000);
  });
});

describe('errors', () => {
  it('have the class of their type and every field of the answer', async () => {
    const { till } = await openShop();
    const error = await caught(till.payments.create(cardPayment({ amount: 0 })));
    expect(error).toBeInstanceOf(sdk.ValidationError);
    expect(error).toMatchObject({
      name: 'ValidationError',
      type: 'validation_error',
      code: 'invalid_params',
      status: 422,
      param: 'amount',
      message: expect.stringContaining('amount'),
      requestId: expect.stringMatching(/^\S+$/),
      docUrl: expect.stringMatching(/invalid_params/),
      retryable: false,
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const unknown = await caught(till.payments.retrieve('pay_000000000000000000000000'));
    expect(unknown).toBeInstanceOf(sdk.InvalidRequestError);
    expect(unknown).toMatchObject({ code: 'not_found', status: 404 });
  });

  it('distinguish a wrong key, a reused key, and a processor’s error', async () => {
    const { till } = await openShop('processor_a', { maxRetries: 0 });
    const stranger = new sdk.Till({ apiKey: `sk_test_${'0'.repeat(32)}`, baseUrl: server.baseUrl });
    const refused = await caught(stranger.payments.list());
    expect(refused).toBeInstanceOf(sdk.AuthenticationError);
    expect(refused.code).toBe('invalid_api_key');
    await till.payments.create(cardPayment(), { idempotencyKey: 'order-1' });
    const reused = await caught(
      till.payments.create(cardPayment({ amount: 1 }), { idempotencyKey: 'order-1' }),
    );
    expect(reused).toBeInstanceOf(sdk.IdempotencyError);
    expect(reused).toMatchObject({ code: 'key_reused', status: 409, retryable: false });
    const fault = await caught(till.payments.create(cardPayment({ card: { holder_name: 'SIM-500' } })));
    expect(fault).toBeInstanceOf(sdk.ProviderError);
    expect(fault).toMatchObject({ retryable: true });
  });

  it('report too many requests; a client with retries waits and continues', async () => {
    const { till } = await openShop();
    const { id } = await till.payments.create(cardPayment());
    const burst = Array.from({ length: 400 }, () => till.payments.retrieve(id, { maxRetries: 0 }));
    const errors = (await Promise.allSettled(burst)).flatMap((one) =>
      one.status === 'rejected' ? [one.reason] : [],
    );
    // A busy machine refuses some of so many requests before it looks at their keys.
    const limited = errors.filter(({ status }) => status !== 503);
    expect(limited.length).toBeGreaterThan(0);
    for (const error of limited) {
      expect(error).toBeInstanceOf(sdk.RateLimitError);
      expect(error).toMatchObject({ code: 'rate_limited', retryable: true });
      expect(error.retryAfterSeconds).toBeGreaterThan(0);
    }
    expect((await till.payments.list()).total_count).toBe(1);
  });
});

describe('an answer that never arrives', () => {
  it('causes no second charge: the same key gets the same answer', async () => {
    const notes: { status: number; isReplayed: boolean }[] = [];
    let isFirst = true;
    const lossy = async (url: string, request: RequestInit) => {
      const answer = await fetch(url, request);
      if (!isFirst) return answer;
      isFirst = false;
      await answer.text();
      throw new TypeError('the connection broke before the answer arrived');
    };
    const onAnswer = (note: (typeof notes)[number]) => notes.push(note);
    const { merchant, till } = await openShop('processor_a', { fetch: lossy, onAnswer });
    const payment = await till.payments.create(cardPayment());
    expect(payment.status).toBe('succeeded');
    expect(notes).toMatchObject([{ status: 201, isReplayed: true }]);
    expect((await merchant.ledger()).charges).toMatchObject([{ reference: payment.id, amount: 4990 }]);
  });

  it('from the processor is resumed by the retry', async () => {
    const statuses: number[] = [];
    const { merchant, till } = await openShop('processor_a', {
      onAnswer: ({ status }: { status: number }) => statuses.push(status),
    });
    const payment = await till.payments.create(cardPayment({ card: { holder_name: 'SIM-TIMEOUT-DONE' } }));
    expect(payment.status).toBe('succeeded');
    expect(statuses).toEqual([503, 201]);
    expect((await merchant.ledger()).charges).toMatchObject([{ reference: payment.id }]);
  });

  it('at all is a ConnectionError with the key for a retry', async () => {
    const till = new sdk.Till({
      apiKey: `sk_test_${'0'.repeat(32)}`,
      baseUrl: 'http://127.0.0.1:1',
      maxRetries: 0,
    });
    const error = await caught(till.payments.create(cardPayment()));
    expect(error).toBeInstanceOf(sdk.ConnectionError);
    expect(error).toMatchObject({ code: 'connection_failed', idempotencyKey: expect.any(String) });
  });
});
