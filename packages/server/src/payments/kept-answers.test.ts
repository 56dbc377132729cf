import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordDigest } from '../idempotency/claims.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());
beforeEach(async () => {
  shop = await Shop.open(kit);
  kit.processor.answers = { charge: async () => chargedAs('PSP1') };
});

const scope = 'POST /pay';
const keyOf = (key: string) => ({ tenant: shop.context().tenant, scope, key });

async function claimOn(key: string) {
  const found = await kit.idempotency.find(shop.context(), { scope, key, body: cardPayment });
  if (found.kind !== 'new') throw new Error(`${key} is in use`);
  return found.claim;
}

const answerOf = ({ status, text }: { status: number; text: string }) => ({ status, text });

async function recordOf(key: string) {
  const [record] = await kit.db.query<{ state: string; status: number | null; body: string | null }>({
    text: `select state, status, body from idempotency_keys
           where tenant = $1 and digest = $2`,
    values: [shop.context().tenant, recordDigest({ scope: 'POST /pay', key })],
    scope: shop.context(),
  });
  return record;
}

describe('the answer to a request that caused an event', () => {
  it('201 is replayed from the event; the record is as it was inserted', async () => {
    const first = await shop.pay('k');
    expect(await recordOf('k')).toEqual({ state: 'running', status: null, body: null });
    expect(await shop.pay('k')).toEqual(answerOf(first));
    expect(first.status).toBe(201);
  });

  it('200 of a declined payment is replayed as such', async () => {
    kit.processor.answers.charge = async () => ({ kind: 'declined', code: 'refused', facts: idsOnly({}) });
    const first = await shop.pay('k');
    expect(first.status).toBe(200);
    expect(await shop.pay('k')).toEqual(answerOf(first));
  });

  it('its record is not taken over, although its lease is over', async () => {
    await shop.pay('k');
    const claim = { ...(await claimOn('other')), key: 'k' };
    const later = new Date(kit.clock.now().getTime() + 3_600_000);
    expect(await kit.idempotencyStore.takeOver(keyOf('k'), claim, later)).toBeUndefined();
  });

  it('reaches a record that a repeat took over meanwhile', async () => {
    kit.processor.answers.charge = async () => {
      const claim = { ...(await claimOn('other')), key: 'k' };
      const later = new Date(kit.clock.now().getTime() + 3_600_000);
      expect(await kit.idempotencyStore.takeOver(keyOf('k'), claim, later)).toBeDefined();
      return chargedAs('PSP1');
    };
    const { status, text } = await shop.pay('k');
    expect(await recordOf('k')).toEqual({ state: 'done', status, body: text });
  });

  it('is replaced by no later answer', async () => {
    const first = await shop.pay('k');
    const { id } = await shop.paymentOf('k');
    const claim = { ...(await claimOn('other')), key: 'k' };
    const present = { resourceId: id, status: 201, body: '{}', createdAt: kit.clock.now() };
    await kit.idempotencyStore.keepAnswer(keyOf('k'), claim, present);
    expect(await shop.pay('k')).toEqual(answerOf(first));
  });
});
