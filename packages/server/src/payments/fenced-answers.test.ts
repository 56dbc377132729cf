import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { noteWrites, setDeparture } from '../cells/move/source.ts';
import { movedTables } from '../cells/move/tables.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
let release = () => {};

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterEach(() => release());
afterAll(() => kit.drop());

/** A shop whose account a move fences while the processor is asked. @param then state of the account after the third wait */
async function fencedWhileAsked(answer: () => unknown, then: 'copying' | 'gone', shop?: Shop) {
  shop ??= await Shop.open(kit);
  const { accountId } = shop.context();
  const rows = await kit.db.query<{ tenant: number }>({
    text: 'select tenant from tenants where account_id = $1 order by livemode',
    values: [accountId],
    scope: 'everybody',
  });
  const tenants = rows.map(({ tenant }) => tenant) as [number, number];
  const mover = await kit.db.session();
  release = () => mover.release();
  await noteWrites(mover, kit.clock, { accountId, tenants }, await movedTables(mover));
  const set = (state: 'copying' | 'fenced' | 'gone') =>
    setDeparture(mover, accountId, state, kit.clock.now());
  kit.processor.answers = {
    charge: async () => {
      await set(then === 'gone' ? 'gone' : 'fenced');
      return answer() as never;
    },
  };
  let waits = 0;
  kit.clock.whileWaiting = async () => {
    waits += 1;
    if (waits === 3) await set(then);
  };
  return { shop, waits: () => waits };
}

describe('an answer that comes while its account is fenced', () => {
  it('is written, and sent, once the account is given back', async () => {
    const { shop, waits } = await fencedWhileAsked(() => chargedAs('PSP1'), 'copying');
    const paid = await shop.pay('key-1');
    expect([paid.status, JSON.parse(paid.text).status]).toEqual([201, 'succeeded']);
    expect(waits()).toBe(3);
  });

  it('renews the saved card that was entered again', async () => {
    const saved = { token: 'tok_1', upstreamCustomer: null };
    const charged = { kind: 'succeeded', facts: { ...idsOnly({ psp: 'PSP0' }), saved } } as const;
    const shop = await Shop.open(kit);
    const saving = { ...cardPayment, save_payment_method: true } as const;
    kit.processor.answers = { charge: async () => charged };
    const first = await shop.pay('key-1', {}, { ...saving, customer: { email: 'jane@example.com' } });
    const { customer, payment_method_id: methodId } = JSON.parse(first.text);
    kit.clock.move(1_000);
    const { waits } = await fencedWhileAsked(() => charged, 'copying', shop);
    const again = await shop.pay('key-2', {}, { ...saving, customer });
    expect(again.status).toBe(201);
    expect(JSON.parse(again.text).payment_method_id).toBe(methodId);
    expect(waits()).toBe(3);
  });

  it('leaves its operation to the next request at once, where it was none', async () => {
    const { shop } = await fencedWhileAsked(() => noAnswer, 'copying');
    expect(await shop.pay('key-1')).toEqual({ status: 503, text: 'provider_unavailable' });
    kit.processor.answers = { charge: async () => chargedAs('PSP2') };
    expect((await shop.pay('key-1')).status).toBe(201);
  });

  it('is not waited with where the account is in another cell by then', async () => {
    const { shop, waits } = await fencedWhileAsked(() => chargedAs('PSP3'), 'gone');
    await expect(shop.pay('key-1')).rejects.toMatchObject({ code: 'TM001' });
    expect(waits()).toBe(0);
  });
});
