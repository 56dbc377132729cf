import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DisputeFacts } from '../processors/port/disputes.ts';
import { applyDisputeFacts } from './notifications/apply-facts.ts';
import { recoverDisputes } from './operations/recover-disputes.ts';
import { Answering, accept, codeOf, defend } from './test-answers.ts';
import { createDisputeKit, type DisputeKit, factsOf, noAnswer } from './test-kit.ts';

let kit: DisputeKit;
let shop: Answering;

const first = 'live:One';
const second = 'live:Two';

beforeAll(async () => {
  kit = await createDisputeKit();
  shop = new Answering(kit, kit.context(await kit.openAccount()));
});
afterAll(() => kit.drop());

beforeEach(() => {
  shop.reset();
  kit.processor.identity = first;
});

/** Records a dispute reported by a merchant account. @returns its id and the reported facts */
async function open(sender = first): Promise<DisputeFacts & { id: string }> {
  const facts = factsOf(await kit.pay(shop.where));
  await applyDisputeFacts(kit.deps, shop.where, facts, sender);
  const row = await kit.deps.store.findByUpstreamId(shop.where, facts.upstreamId);
  return { ...facts, id: row?.id ?? '' };
}

async function passTwoHours(): Promise<void> {
  for (let passed = 0; passed < 120; passed += 5) {
    kit.clock.move(5 * 60_000);
    await recoverDisputes(kit.deps);
  }
}

describe('a dispute whose merchant account was replaced', () => {
  it.each([
    ['accept', accept],
    ['defend', defend],
  ] as const)('422 provider_not_configured for %s, and no operation is inserted', async (_kind, move) => {
    const { id } = await open();
    kit.processor.identity = second;
    expect(await codeOf(shop.answer(id, move))).toBe('provider_not_configured');
    expect(kit.processor.asked).toEqual([]);
    expect(await shop.present(id)).toMatchObject({ operation: null, status: 'action_required' });
  });

  it('an open answer waits, and is carried out once the connection is restored', async () => {
    const { id } = await open();
    kit.processor.answers = [() => noAnswer('unknown')];
    expect(await codeOf(shop.answer(id, accept))).toBe('provider_unavailable');
    kit.processor.asked.length = 0;
    kit.processor.identity = second;
    await passTwoHours();
    expect(kit.processor.asked).toEqual([]);
    expect(await shop.present(id)).toMatchObject({ operation: 'accept', status: 'action_required' });
    expect(kit.incidents.join()).toContain('waits for the credentials');
    expect(await codeOf(shop.answer(id, accept, null, id))).toBe('provider_unavailable');
    kit.processor.identity = first;
    await passTwoHours();
    expect(await shop.present(id)).toMatchObject({ operation: null, status: 'accepted' });
  });

  it('notifications of another merchant account change nothing', async () => {
    const { id, ...facts } = await open();
    const lost = { ...facts, status: 'lost' } as const;
    expect(await applyDisputeFacts(kit.deps, shop.where, lost, second)).toBe('later');
    expect(await shop.present(id)).toMatchObject({ status: 'action_required' });
    expect(await applyDisputeFacts(kit.deps, shop.where, lost, first)).toBe('applied');
    expect(await shop.present(id)).toMatchObject({ status: 'lost' });
  });
});

it('no dispute is recorded from another merchant account than its payment was made with', async () => {
  const facts = factsOf(await kit.pay(shop.where));
  await kit.db.query({
    text: 'update payments set processor_identity = $3 where tenant in (select tenant from tenants where account_id = $1) and id = $2',
    values: [shop.where.accountId, facts.paymentId, first],
    scope: { accountId: shop.where.accountId },
  });
  expect(await applyDisputeFacts(kit.deps, shop.where, facts, second)).toBe('later');
  expect(await kit.deps.store.findByUpstreamId(shop.where, facts.upstreamId)).toBeUndefined();
});
