import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { freshEmail, Merchant, type Reply } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

/** The reconciler checks some seconds after the failure, and again about a minute later. */
const timeoutMs = 100_000;
const testMs = 150_000;
/** The interval between two polls, so that a minute of polling stays far below the rate limit. */
const betweenLooksMs = 250;

const charged = ['SIM-TIMEOUT-DONE', 'SIM-DROP-DONE', 'SIM-500-DONE'];
const notCharged = ['SIM-TIMEOUT-LOST', 'SIM-DROP', 'SIM-500', 'SIM-503'];

/**
 * A payment attempt with a first response of 502 or 503. All attempts are made before the tests, so that they wait only
 * once.
 */
interface Attempt {
  readonly merchant: Merchant;
  readonly look: () => Promise<Reply>;
  readonly repeat: () => Promise<Reply>;
}

const attempts = new Map<string, Attempt>();

/** Makes a create request, which recovery finds only by its reference. */
async function create(merchant: Merchant, name: string, changes: Record<string, unknown>): Promise<void> {
  const reference = randomUUID();
  const options = { idempotencyKey: randomUUID() };
  const pay = () => merchant.pay({ ...changes, reference }, options);
  expect([502, 503]).toContain((await pay()).status);
  const look = async () => {
    const listed = await merchant.get(`/api/v1/payments?reference=${reference}`);
    const id = listed.body?.data?.[0]?.id;
    return id === undefined ? listed : merchant.get(`/api/v1/payments/${id}`);
  };
  attempts.set(name, { merchant, look, repeat: pay });
}

async function confirm(merchant: Merchant, description: string): Promise<void> {
  const { body } = await merchant.pay({ payment_method: { type: 'processor_b' }, description });
  await merchant.post(`/api/v1/test_helpers/payments/${body.id}/approve`, {});
  const repeat = () => merchant.post(`/api/v1/payments/${body.id}/confirm`);
  expect([502, 503]).toContain((await repeat()).status);
  attempts.set(`confirm ${description}`, {
    merchant,
    look: () => merchant.get(`/api/v1/payments/${body.id}`),
    repeat,
  });
}

/** A merchant-initiated charge of a card that was saved before; the request never reaches the processor. */
async function rebill(merchant: Merchant, name: string): Promise<void> {
  const saved = (await merchant.pay({ customer: { email: freshEmail() }, save_payment_method: true })).body;
  await create(merchant, name, {
    payment_method: undefined,
    customer: saved.customer,
    stored_payment_method: saved.payment_method_id,
    merchant_initiated: true,
    description: 'SIM-TIMEOUT-LOST',
  });
}

beforeAll(async () => {
  const a = await Merchant.open('processor_a');
  const b = await Merchant.open('processor_b');
  const creates = [...charged, ...notCharged].flatMap((directive) => {
    const changes = { card: { holder_name: directive } };
    return [create(a, `processor_a ${directive}`, changes), create(b, `processor_b ${directive}`, changes)];
  });
  const rebills = [rebill(a, 'processor_a rebill'), rebill(b, 'processor_b rebill')];
  const held = { card: { holder_name: 'SIM-TIMEOUT-DONE' }, capture_method: 'manual' };
  await Promise.all([
    ...creates,
    ...rebills,
    create(b, 'hold', held),
    ...charged.map((directive) => confirm(b, directive)),
  ]);
});

function attemptOf(name: string): Attempt {
  const attempt = attempts.get(name);
  if (attempt === undefined) throw new Error(`${name} was not made`);
  return attempt;
}

/**
 * Waits, without repeating the request, until the payment has an outcome.
 * @returns the payment with its charges and the types of its events
 */
async function found(name: string) {
  const attempt = attemptOf(name);
  const { merchant, look } = attempt;
  const reply = await until(
    `${name} has an outcome`,
    async () => {
      const seen = await look();
      const decided = ['succeeded', 'authorized', 'failed'].includes(seen.body?.status);
      if (!decided) await delay(betweenLooksMs);
      return decided && seen;
    },
    timeoutMs,
  );
  const payment = reply.body;
  const { charges } = await merchant.ledger();
  const events = (await merchant.get('/api/v1/events?per_page=100')).body.data.filter(
    (event: { type: string; data: { object: { id: string } } }) =>
      event.data.object.id === payment.id && event.type !== 'payment.requires_action',
  );
  return {
    attempt,
    text: reply.text,
    payment,
    charges: charges.filter(({ reference }) => reference === payment.id),
    events: events.map((event: { type: string }) => event.type),
  };
}

/** Expects that a late repeat of the request gets the recovered outcome, and that nothing more is charged. */
async function expectSameForLateRepeat(
  { attempt, text, payment, charges }: Awaited<ReturnType<typeof found>>,
  status: number,
): Promise<void> {
  const late = await attempt.repeat();
  expect(late.status).toBe(status);
  expect(late.text).toBe(text);
  const now = (await attempt.merchant.ledger()).charges;
  expect(now.filter(({ reference }) => reference === payment.id)).toEqual(charges);
}

describe('an attempt without a retry', () => {
  it.each(charged)(
    'on processor_b, charged there, is found succeeded, with one charge and one event: %s',
    async (directive) => {
      const outcome = await found(`processor_b ${directive}`);
      expect(outcome.payment).toMatchObject({ status: 'succeeded', failure: null });
      expect(outcome.charges).toEqual([
        { reference: outcome.payment.id, amount: 4990, currency: 'EUR', status: 'captured' },
      ]);
      expect(outcome.events).toEqual(['payment.succeeded']);
      await expectSameForLateRepeat(outcome, 201);
    },
    testMs,
  );

  it(
    'on processor_b, held there, is found authorized with its deadline',
    async () => {
      const outcome = await found('hold');
      expect(outcome.payment).toMatchObject({
        status: 'authorized',
        authorization_expires: expect.any(String),
      });
      expect(outcome.charges.map(({ status }) => status)).toEqual(['authorized']);
      await expectSameForLateRepeat(outcome, 201);
    },
    testMs,
  );

  it.each([...notCharged, 'rebill'])(
    'on processor_b, not charged there, stays open to a retry, which charges it once: %s',
    async (directive) => {
      const attempt = attemptOf(`processor_b ${directive}`);
      // Both were made at the same time, so recovery has checked both by now.
      await found(`processor_b ${charged[0]}`);
      expect((await attempt.look()).body.data).toEqual([]);
      const retried = await until('the retry is charged', async () => {
        const { status, body } = await attempt.repeat();
        return status === 201 && body;
      });
      expect(retried).toMatchObject({ status: 'succeeded', failure: null });
      const { charges } = await attempt.merchant.ledger();
      expect(charges.filter(({ reference }) => reference === retried.id)).toHaveLength(1);
    },
    testMs,
  );

  it.each(charged)(
    'on processor_a, charged there, is found succeeded by its notification: %s',
    async (directive) => {
      const outcome = await found(`processor_a ${directive}`);
      expect(outcome.payment).toMatchObject({ status: 'succeeded', failure: null });
      expect(outcome.charges.map(({ status }) => status)).toEqual(['captured']);
      expect(outcome.events).toEqual(['payment.succeeded']);
      await expectSameForLateRepeat(outcome, 201);
    },
    testMs,
  );

  it.each(notCharged)(
    'on processor_a, not charged there, is cancelled there and found failed: %s',
    async (directive) => {
      const outcome = await found(`processor_a ${directive}`);
      expect(outcome.payment).toMatchObject({ status: 'failed', failure: { code: 'not_processed' } });
      expect(outcome.charges).toEqual([]);
      expect(outcome.events).toEqual(['payment.failed']);
      await expectSameForLateRepeat(outcome, 200);
    },
    testMs,
  );

  it(
    'of a saved card on processor_a, not charged there, is not charged by recovery',
    async () => {
      const outcome = await found('processor_a rebill');
      expect(outcome.payment).toMatchObject({ status: 'failed', failure: { code: 'not_processed' } });
      expect(outcome.charges).toEqual([]);
    },
    testMs,
  );

  it.each(charged)(
    'of a confirm, charged there, is found succeeded, with one charge and one event: %s',
    async (directive) => {
      const outcome = await found(`confirm ${directive}`);
      expect(outcome.payment.status).toBe('succeeded');
      expect(outcome.charges.map(({ status }) => status)).toEqual(['captured']);
      expect(outcome.events).toEqual(['payment.succeeded']);
      await expectSameForLateRepeat(outcome, 200);
    },
    testMs,
  );
});
