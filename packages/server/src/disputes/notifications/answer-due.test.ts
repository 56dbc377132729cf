import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountContext } from '../../accounts/context.ts';
import type { DisputeFacts } from '../../processors/port/disputes.ts';
import { answerDispute } from '../operations/answer-dispute.ts';
import { createDisputeKit, type DisputeKit, factsOf } from '../test-kit.ts';
import { applyDisputeFacts } from './apply-facts.ts';

let kit: DisputeKit;
let shop: AccountContext;

beforeAll(async () => {
  kit = await createDisputeKit();
  shop = kit.context(await kit.openAccount());
});

afterAll(() => kit.drop());

const apply = (facts: DisputeFacts) => applyDisputeFacts(kit.deps, { ...shop, now: kit.clock.now() }, facts);

async function dispute(upstreamId: string) {
  const row = await kit.deps.store.findByUpstreamId(shop, upstreamId);
  if (row === undefined) throw new Error(`${upstreamId} is not there`);
  return row;
}

describe('a dispute that is open without a deadline', () => {
  it('waits for an answer as soon as an update names one, with one event and one mail', async () => {
    await kit.addStaff(shop.accountId, 'owner@shop.example');
    const open = factsOf(await kit.pay(shop), { status: 'new', respondBy: null });
    const due = { ...open, respondBy: new Date('2026-12-24T00:00:00Z') };
    await apply(open);
    kit.clock.move(1000);
    for (const facts of [due, open, due]) await apply(facts);
    const row = await dispute(open.upstreamId);
    expect(row).toMatchObject({ status: 'action_required', respond_by: due.respondBy, reminders: 0 });
    expect(row.action_since?.getTime()).toBeGreaterThan(row.created_at.getTime());
    expect((await kit.events(row.id)).map(({ type }) => type)).toEqual([
      'dispute.created',
      'dispute.updated',
    ]);
    expect((await kit.mails(shop.accountId)).map(({ subject }) => subject)).toEqual([
      '[Test] A payment of 49.90 EUR is disputed',
      '[Test] A payment of 49.90 EUR is disputed: answer by 24 Dec 2026, 00:00 UTC',
    ]);
    const move = { kind: 'accept' } as const;
    const answer = await answerDispute(kit.deps, shop, row.id, move, { claim: null, resumes: null });
    expect(answer).toMatchObject({ status: 200 });
  });

  it('does not take the deadline of the inquiry before it, in either order', async () => {
    for (const inquiryFirst of [true, false]) {
      const chargeback = factsOf(await kit.pay(shop), { status: 'new', respondBy: null });
      const inquiry = { ...chargeback, state: 'information_request', respondBy: new Date() } as const;
      const asked = { ...inquiry, status: 'action_required' } as const;
      for (const facts of inquiryFirst ? [asked, chargeback] : [chargeback, asked]) await apply(facts);
      expect(await dispute(chargeback.upstreamId)).toMatchObject({
        state: 'chargeback',
        status: 'new',
        respond_by: null,
      });
    }
  });
});
