import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { expectError } from '../../support/expect-error.ts';
import { holdNotifications } from '../../support/late-notifications.ts';
import { Merchant, type Reply } from '../../support/merchant.ts';

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
/**
 * The processor sends no notifications for this account, so only the server's own requests find out the outcome of its
 * payments.
 */
let shop: Merchant;
let notified: Merchant;

beforeAll(async () => {
  [shop, notified] = await Promise.all([Merchant.open('processor_b'), Merchant.open('processor_b')]);
  await holdNotifications(cleanUp, shop);
});
afterAll(cleanUp.run);

const chargesOf = async (id: string, seller = shop) =>
  (await seller.ledger()).charges.filter((charge) => charge.reference === id);

const oneCharge = (reference: string) => [{ reference, amount: 4990, currency: 'EUR', status: 'captured' }];

function expectUnknownOutcome(reply: Reply, code: string): void {
  expectError(reply, code);
  expect(reply.status).toBe(code === 'provider_error' ? 502 : 503);
  if (reply.status === 503) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

async function expectOneEvent(id: string): Promise<void> {
  const { body } = await shop.get('/api/v1/events?type=payment.succeeded&per_page=100');
  const ids = body.data.map((event: { data: { object: { id: string } } }) => event.data.object.id);
  expect(ids.filter((one: string) => one === id)).toHaveLength(1);
}

describe('a card charge on processor_b', () => {
  it.concurrent.each(faults)(
    'is shown only when its outcome is known, and charged once by the same key: %s',
    async (directive, code) => {
      const options = { idempotencyKey: randomUUID() };
      const changes = { card: { holder_name: directive }, reference: randomUUID() };
      expectUnknownOutcome(await shop.pay(changes, options), code);
      expect((await shop.get(`${payments}?reference=${changes.reference}`)).body.data).toEqual([]);
      const second = await shop.pay(changes, options);
      expect(second.status).toBe(201);
      expect(second.body).toMatchObject({ status: 'succeeded', reference: changes.reference });
      expect(await chargesOf(second.body.id)).toEqual(oneCharge(second.body.id));
      const third = await shop.pay(changes, options);
      expect(third.text).toBe(second.text);
      expect(third.headers.get('idempotent-replayed')).toBe('true');
      expect((await shop.get(`${payments}/${second.body.id}`)).text).toBe(second.text);
      await expectOneEvent(second.body.id);
    },
  );

  it.concurrent.each(faults)(
    'is held once where manual capture was asked for: %s',
    async (directive, code) => {
      const options = { idempotencyKey: randomUUID() };
      const changes = { card: { holder_name: directive }, capture_method: 'manual' };
      expectUnknownOutcome(await notified.pay(changes, options), code);
      const second = await notified.pay(changes, options);
      expect(second.status).toBe(201);
      expect(second.body).toMatchObject({ status: 'authorized', authorization_expires: expect.any(String) });
      expect((await chargesOf(second.body.id, notified)).map(({ status }) => status)).toEqual(['authorized']);
      expect((await notified.post(`${payments}/${second.body.id}/capture`)).body.status).toBe('succeeded');
      expect(await chargesOf(second.body.id, notified)).toEqual(oneCharge(second.body.id));
    },
  );
});

describe('a confirm on processor_b', () => {
  async function approved(description: string): Promise<string> {
    const { status, body } = await shop.pay({ payment_method: { type: 'processor_b' }, description });
    expect(status).toBe(201);
    const approval = await shop.post(`/api/v1/test_helpers/payments/${body.id}/approve`, {});
    expect(approval.status).toBe(200);
    return body.id;
  }

  const repeats = [
    ['with the same key', () => randomUUID() as string | null],
    ['without a key', () => null],
  ] as const;
  const cases = faults.flatMap(([directive, code]) =>
    repeats.map(([name, key]) => ({ directive, code, name, key })),
  );

  it.concurrent.each(cases)(
    'leaves the payment waiting and charges once when repeated $name: $directive',
    async ({ directive, code, key }) => {
      const id = await approved(directive);
      const options = { idempotencyKey: key() };
      const confirm = () => shop.post(`${payments}/${id}/confirm`, undefined, options);
      expectUnknownOutcome(await confirm(), code);
      expect((await shop.get(`${payments}/${id}`)).body.status).toBe('requires_action');
      const second = await confirm();
      expect(second.status).toBe(200);
      expect(second.body).toMatchObject({ id, status: 'succeeded' });
      expect(second.headers.get('idempotent-replayed')).toBeNull();
      const third = await confirm();
      expect(third.status).toBe(200);
      expect(third.text).toBe(second.text);
      expect(third.headers.get('idempotent-replayed')).toBe(options.idempotencyKey === null ? null : 'true');
      expect(await chargesOf(id)).toEqual(oneCharge(id));
      await expectOneEvent(id);
    },
  );

  it('is resumed by another key, with one charge', async () => {
    const id = await approved('SIM-DROP-DONE');
    expectUnknownOutcome(await shop.post(`${payments}/${id}/confirm`), 'provider_unavailable');
    const options = { idempotencyKey: randomUUID() };
    const confirm = () => shop.post(`${payments}/${id}/confirm`, undefined, options);
    const carriedOn = await confirm();
    expect(carriedOn.body.status).toBe('succeeded');
    const repeated = await confirm();
    expect(repeated.text).toBe(carriedOn.text);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(await chargesOf(id)).toEqual(oneCharge(id));
  });

  it('charges once when repeated at the same time', async () => {
    const id = await approved('SIM-500-DONE');
    const confirm = () => shop.post(`${payments}/${id}/confirm`);
    expectUnknownOutcome(await confirm(), 'provider_error');
    const replies = await Promise.all(Array.from({ length: 5 }, confirm));
    for (const reply of replies) expect(reply.status).toBe(200);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await chargesOf(id)).toEqual(oneCharge(id));
  });

  it('that was refused keeps nothing: the same key charges once the buyer has approved', async () => {
    const { body } = await shop.pay({ payment_method: { type: 'processor_b' } });
    const options = { idempotencyKey: randomUUID() };
    const confirm = () => shop.post(`${payments}/${body.id}/confirm`, undefined, options);
    expectError(await confirm(), 'invalid_params');
    expectError(await confirm(), 'invalid_params');
    await shop.post(`/api/v1/test_helpers/payments/${body.id}/approve`, {});
    const settled = await confirm();
    expect(settled.status).toBe(200);
    expect(settled.body.status).toBe('succeeded');
    expect(await chargesOf(body.id)).toEqual(oneCharge(body.id));
  });
});
