import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { expectEnvelope, expectError } from '../../support/expect-error.ts';
import { holdNotifications } from '../../support/late-notifications.ts';
import { freshEmail, Merchant, type Reply, till } from '../../support/merchant.ts';

/**
 * Faults of the connection to the processor: the directive that injects the fault, and the error code of the first
 * response. Some of them let the charge succeed.
 */
const faults: readonly (readonly [directive: string, code: string])[] = [
  ['SIM-500', 'provider_error'],
  ['SIM-500-DONE', 'provider_error'],
  ['SIM-503', 'provider_unavailable'],
  ['SIM-TIMEOUT-LOST', 'provider_unavailable'],
  ['SIM-TIMEOUT-DONE', 'provider_unavailable'],
  ['SIM-DROP', 'provider_unavailable'],
  ['SIM-DROP-DONE', 'provider_unavailable'],
];

const payments = '/api/v1/payments';
const cleanUp = new CleanUp();
let shop: Merchant;
/**
 * The processor sends no notifications for this account, so only the server's own requests find out the outcome of its
 * payments.
 */
let unnotified: Merchant;

beforeAll(async () => {
  [shop, unnotified] = await Promise.all([Merchant.open(), Merchant.open()]);
  await holdNotifications(cleanUp, unnotified);
});
afterAll(cleanUp.run);

const chargesOf = async (id: string) =>
  (await shop.ledger()).charges.filter((charge) => charge.reference === id);

function expectUnknownOutcome(reply: Reply, code: string): void {
  expectError(reply, code);
  expect(reply.status).toBe(code === 'provider_error' ? 502 : 503);
  if (reply.status === 503) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

/** Repeats a request as the retry guidance says: with the same key, after `Retry-After`. */
async function untilAnswered(send: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await send();
    if (reply.status < 500) return reply;
    expectEnvelope(reply);
    const seconds = Number(reply.headers.get('retry-after') ?? 0);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

describe('a processor that breaks off', () => {
  it.concurrent.each(faults)(
    'is asked again by the same key, and charges once: %s',
    async (directive, code) => {
      const options = { idempotencyKey: randomUUID() };
      const changes = { card: { holder_name: directive }, reference: randomUUID() };
      expectUnknownOutcome(await shop.pay(changes, options), code);
      const second = await shop.pay(changes, options);
      expect(second.status).toBe(201);
      expect(second.body).toMatchObject({ status: 'succeeded', reference: changes.reference });
      expect(await chargesOf(second.body.id)).toEqual([
        { reference: second.body.id, amount: 4990, currency: 'EUR', status: 'captured' },
      ]);
      const third = await shop.pay(changes, options);
      expect(third.text).toBe(second.text);
      expect(third.headers.get('idempotent-replayed')).toBe('true');
      expect((await shop.get(`${payments}/${second.body.id}`)).text).toBe(second.text);
    },
  );

  it.concurrent.each(faults)(
    'shows neither a failed nor a charged payment meanwhile: %s',
    async (directive, code) => {
      const reference = randomUUID();
      const options = { idempotencyKey: randomUUID() };
      const changes = { description: directive, reference };
      expectUnknownOutcome(await unnotified.pay(changes, options), code);
      const listed = await unnotified.get(`${payments}?reference=${reference}`);
      expect(listed.body).toEqual({ object: 'list', data: [], has_more: false, total_count: 0 });
      expect((await unnotified.pay(changes, options)).status).toBe(201);
      expect((await unnotified.get(`${payments}?reference=${reference}`)).body.total_count).toBe(1);
    },
  );

  it('answers each of many concurrently resumed attempts with its own payment', async () => {
    const attempts = Array.from({ length: 12 }, (_value, index) => ({
      options: { idempotencyKey: randomUUID() },
      changes: { description: 'SIM-500', amount: 1000 + index, reference: randomUUID() },
    }));
    const sendAll = () => Promise.all(attempts.map(({ changes, options }) => shop.pay(changes, options)));
    for (const reply of await sendAll()) expectUnknownOutcome(reply, 'provider_error');
    const carriedOn = await sendAll();
    const replayed = await sendAll();
    for (const [index, { changes }] of attempts.entries()) {
      expect(carriedOn[index]?.body).toMatchObject({
        status: 'succeeded',
        amount: changes.amount,
        reference: changes.reference,
      });
      expect(carriedOn[index]?.headers.get('idempotent-replayed')).toBeNull();
      expect(replayed[index]?.text).toBe(carriedOn[index]?.text);
    }
  });

  it('is asked for one charge by concurrent retries', async () => {
    const options = { idempotencyKey: randomUUID() };
    const changes = { card: { holder_name: 'SIM-TIMEOUT-DONE' } };
    const replies = await Promise.all(Array.from({ length: 5 }, () => shop.pay(changes, options)));
    for (const reply of replies) expect([201, 503]).toContain(reply.status);
    const last = await untilAnswered(() => shop.pay(changes, options));
    expect(last.status).toBe(201);
    for (const reply of replies) if (reply.status === 201) expect(reply.text).toBe(last.text);
    expect(await chargesOf(last.body.id)).toHaveLength(1);
  });

  it('refuses another body for a key that is still open', async () => {
    const options = { idempotencyKey: randomUUID() };
    const card = { holder_name: 'SIM-500' };
    expectUnknownOutcome(await shop.pay({ card }, options), 'provider_error');
    expectError(await shop.pay({ card, amount: 1 }, options), 'key_reused');
    expect((await shop.pay({ card }, options)).status).toBe(201);
  });

  it('keeps the customer that the first attempt created with the payment', async () => {
    const options = { idempotencyKey: randomUUID() };
    const email = freshEmail();
    const changes = { card: { holder_name: 'SIM-500' }, customer: { email } };
    expectUnknownOutcome(await shop.pay(changes, options), 'provider_error');
    const second = await shop.pay(changes, options);
    expect(second.status).toBe(201);
    const { data } = (await shop.get(`/api/v1/customers?email=${encodeURIComponent(email)}`)).body;
    expect(data.map((customer: { id: string }) => customer.id)).toEqual([second.body.customer]);
  });

  it('writes one event, once the outcome is known', async () => {
    const merchant = await Merchant.open();
    const options = { idempotencyKey: randomUUID() };
    const changes = { card: { holder_name: 'SIM-DROP-DONE' } };
    expectUnknownOutcome(await merchant.pay(changes, options), 'provider_unavailable');
    const payment = await merchant.pay(changes, options);
    const { data } = (await merchant.get('/api/v1/events')).body;
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ type: 'payment.succeeded', sequence: 1, data: { object: payment.body } });
  });

  it('resumes the attempt after the clock was moved by an hour', async () => {
    const merchant = await Merchant.open();
    const options = { idempotencyKey: randomUUID() };
    const changes = { card: { holder_name: 'SIM-TIMEOUT-DONE' } };
    expectUnknownOutcome(await merchant.pay(changes, options), 'provider_unavailable');
    await till('clock', 'advance', '--account', merchant.id, '--seconds', '3600');
    // A repeat that arrives during recovery is asked to retry later.
    const second = await untilAnswered(() => merchant.pay(changes, options));
    expect(second.status).toBe(201);
    expect((await merchant.ledger()).charges.map((charge) => charge.reference)).toEqual([second.body.id]);
  });
});

describe('a slow processor', () => {
  // With the timeout of the server under test the first response is 503; with the default timeout it is 201.
  it('ends in one charge, whether or not the first answer comes in time', async () => {
    const options = { idempotencyKey: randomUUID() };
    const changes = { card: { holder_name: 'SIM-SLOW' } };
    const first = await shop.pay(changes, options);
    if (first.status !== 201) expectUnknownOutcome(first, 'provider_unavailable');
    const last = await untilAnswered(() => shop.pay(changes, options));
    expect(last.status).toBe(201);
    expect(await chargesOf(last.body.id)).toHaveLength(1);
  });
});
