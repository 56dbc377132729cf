import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Claim } from '../idempotency/claims.ts';
import { until } from '../processor-notifications/test-kit.ts';
import { recoverDisputes } from './operations/recover-disputes.ts';
import { Answering, accept, codeOf, defend, shown } from './test-answers.ts';
import { claimOn, createDisputeKit, type DisputeKit, noAnswer } from './test-kit.ts';

/** How many requests may wait for one dispute. */
const maxWaiters = 10;

let kit: DisputeKit;
let shop: Answering;

beforeAll(async () => {
  kit = await createDisputeKit();
  shop = new Answering(kit, kit.context(await kit.openAccount()));
});

afterAll(() => kit.drop());

beforeEach(() => shop.reset());

describe('concurrent answers to a dispute', () => {
  it('one request to the processor', async () => {
    const { id } = await shop.open();
    const go = shop.holdAnswer();
    const first = shop.answer(id, accept);
    await until('the processor is asked', async () => kit.processor.asked.length === 1);
    kit.clock.whileWaiting = async () => {
      go();
      await first;
    };
    const second = codeOf(shop.answer(id, defend));
    expect(await shown(first)).toMatchObject({ status: 'accepted' });
    expect(await second).toBe('invalid_params');
    expect(kit.processor.asked).toHaveLength(1);
  });

  it('same key: the first inserts the operation, the second is sent back to read it', async () => {
    const { id } = await shop.open();
    const results = await Promise.all([
      shop.answer(id, accept, claimOn('same')),
      shop.answer(id, accept, claimOn('same')),
    ]);
    expect(results.filter((result) => 'keyTaken' in result)).toHaveLength(1);
    expect(kit.processor.asked).toHaveLength(1);
  });

  it('request and notification with the same outcome: one event', async () => {
    const { id, ...facts } = await shop.open();
    kit.processor.answers = [
      async () => {
        await shop.apply({ ...facts, status: 'challenged' });
        return { kind: 'done' };
      },
    ];
    expect(await shown(shop.answer(id, defend))).toMatchObject({ status: 'challenged' });
    expect(await shop.present(id)).toMatchObject({ operation: null, operations_done: 1 });
    expect(await shop.eventsOf(id)).toEqual(['dispute.created', 'dispute.updated']);
  });
});

describe('the idempotency key of an answer', () => {
  const kept = async (claim: Claim) =>
    kit.idempotency.read({
      tenant: shop.where.tenant,
      scope: claim.scope,
      key: claim.key,
    });

  it('its response is stored in the commit of the change', async () => {
    const { id } = await shop.open();
    const claim = claimOn();
    const answered = await shop.answer(id, accept, claim);
    expect(await kept(claim)).toMatchObject({ state: 'done', status: 200, resource_id: id });
    expect((await kept(claim))?.body).toBe('text' in answered ? answered.text : '');
  });

  it('no response is stored without a definite answer, and a repeat resumes the operation', async () => {
    const { id } = await shop.open();
    const claim = claimOn();
    kit.processor.answers = [() => noAnswer('unknown')];
    await codeOf(shop.answer(id, accept, claim));
    expect(await kept(claim)).toMatchObject({ state: 'running', body: null });
    await shown(shop.answer(id, accept, claim, id));
    expect(await kept(claim)).toMatchObject({ state: 'done', status: 200 });
    expect(kit.processor.asked.map(({ request }) => request.upstreamKey)).toEqual([`${id}:a0`, `${id}:a0`]);
  });

  it('answers with the dispute where recovery found the outcome', async () => {
    const { id } = await shop.open();
    const claim = claimOn();
    kit.processor.answers = [() => noAnswer('unknown')];
    await codeOf(shop.answer(id, accept, claim));
    kit.clock.move(5_000);
    await recoverDisputes(kit.deps);
    expect(await shown(shop.answer(id, accept, claim, id))).toMatchObject({ status: 'accepted' });
    expect(await kept(claim)).toMatchObject({ state: 'done' });
  });

  it('free again after a refusal', async () => {
    const { id } = await shop.open({ status: 'won' });
    const claim = claimOn();
    expect(await codeOf(shop.answer(id, accept, claim))).toBe('invalid_params');
    expect(await kept(claim)).toBeUndefined();
  });
});

describe('many concurrent answers to one dispute', () => {
  it('503 provider_unavailable for the eleventh that would wait; those that wait only read', async () => {
    const { id } = await shop.open();
    const go = shop.holdAnswer();
    const first = shop.answer(id, accept);
    await until('the processor is asked', async () => kit.processor.asked.length === 1);
    const begin = vi.spyOn(kit.deps.operations, 'begin');
    const takeOver = vi.spyOn(kit.deps.operations, 'takeOver');
    let looks = 0;
    kit.clock.whileWaiting = async () => {
      looks += 1;
      if (looks > 2 * maxWaiters) await first;
    };
    const waiting = Array.from({ length: maxWaiters }, () => codeOf(shop.answer(id, accept)));
    await until('all have looked twice', async () => looks === 3 * maxWaiters);
    expect([begin.mock.calls.length, takeOver.mock.calls.length]).toEqual([maxWaiters, maxWaiters]);
    expect(await codeOf(shop.answer(id, accept))).toBe('provider_unavailable');
    expect(begin).toHaveBeenCalledTimes(maxWaiters);
    go();
    await first;
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: maxWaiters }, () => 'invalid_params'));
    expect(kit.processor.asked).toHaveLength(1);
    vi.restoreAllMocks();
  });
});
