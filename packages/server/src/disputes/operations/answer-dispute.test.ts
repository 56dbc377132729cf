import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../lib/ids.ts';
import { tenantIn } from '../../vault/test-database.ts';
import { Answering, accept, codeOf, defend, evidence, shown } from '../test-answers.ts';
import { claimOn, createDisputeKit, type DisputeKit, noAnswer, triesOf } from '../test-kit.ts';
import type { Move } from './answer.ts';
import { answerDispute } from './answer-dispute.ts';
import { recoverDisputes } from './recover-disputes.ts';

let kit: DisputeKit;
let shop: Answering;

beforeAll(async () => {
  kit = await createDisputeKit();
  shop = new Answering(kit, kit.context(await kit.openAccount()));
});

afterAll(() => kit.drop());

beforeEach(() => shop.reset());

describe('accepting', () => {
  it('one request to the processor closes the dispute with its event', async () => {
    const { id, upstreamId } = await shop.open();
    expect(await shown(shop.answer(id, accept))).toMatchObject({ id, status: 'accepted' });
    expect(kit.processor.asked).toEqual([
      { kind: 'accept', request: { disputeId: id, upstreamId, upstreamKey: `${id}:a0` } },
    ]);
    expect(await shop.eventsOf(id)).toEqual(['dispute.created', 'dispute.closed']);
    expect(await shop.present(id)).toMatchObject({ operation: null, operations_done: 1 });
    expect(await codeOf(shop.answer(id, accept))).toBe('invalid_params');
  });

  it.each(['new', 'challenged', 'won', 'lost', 'accepted', 'recovered'] as const)(
    '422 invalid_params while the status is %s',
    async (status) => {
      const { id } = await shop.open({ status, respondBy: null });
      expect(await codeOf(shop.answer(id, accept))).toBe('invalid_params');
      expect(kit.processor.asked).toEqual([]);
    },
  );

  it('404 for an unknown id, another account’s and the other mode’s', async () => {
    const { id } = await shop.open();
    const other = kit.context(await kit.openAccount());
    const idempotent = { claim: null, resumes: null };
    for (const where of [other, { ...shop.where, ...tenantIn(shop.where.accountId, true) }]) {
      expect(await codeOf(answerDispute(kit.deps, where, id, accept, idempotent))).toBe('not_found');
    }
    expect(await codeOf(shop.answer('dsp_000000000000000000000000', accept))).toBe('not_found');
    expect(await codeOf(shop.answer("dsp_'--", accept))).toBe('not_found');
  });

  it('provider_not_configured without a connection', async () => {
    const { id } = await shop.open();
    const gone = { ...shop.where, connection: { ...shop.where.connection, connected: false } };
    const answered = answerDispute(kit.deps, gone, id, accept, { claim: null, resumes: null });
    expect(await codeOf(answered)).toBe('provider_not_configured');
  });

  it('after the deadline the dispute is already accepted', async () => {
    const { id } = await shop.open({ respondBy: new Date(kit.clock.now().getTime() + 1000) });
    kit.clock.move(1000);
    expect(await codeOf(shop.answer(id, defend))).toBe('invalid_params');
    expect(await shop.present(id)).toMatchObject({ status: 'accepted' });
    expect(kit.processor.asked).toEqual([]);
  });
});

describe('defending', () => {
  it('submits evidence and files; the dispute is challenged', async () => {
    const { id } = await shop.open();
    const fileId = newId('file', shop.where.now, randomBytes);
    const content = Buffer.from('%PDF-1.7 receipt');
    const file = {
      tenant: shop.where.tenant,
      id: fileId,
      name: 'receipt.pdf',
      content_type: 'application/pdf',
      size: content.length,
      sha256: '00',
      created_at: shop.where.now,
    } as const;
    await (kit.deps.files as unknown as { insert: (...row: unknown[]) => Promise<void> }).insert(
      shop.where,
      file,
      content,
      () => {},
    );
    const withFile: Move = {
      kind: 'defend',
      submission: {
        reasonCode: 'GoodsWereAsDescribed',
        statement: null,
        evidence: [{ type: 'receipt', text: null, file: fileId }],
      },
    };
    expect(await shown(shop.answer(id, withFile))).toMatchObject({ status: 'challenged' });
    expect(kit.processor.asked[0]?.request).toMatchObject({
      upstreamKey: `${id}:d0`,
      state: 'chargeback',
      reasonCode: 'GoodsWereAsDescribed',
      evidence: [
        {
          type: 'receipt',
          text: null,
          file: { name: 'receipt.pdf', contentType: 'application/pdf', content },
        },
      ],
    });
    expect(await shop.eventsOf(id)).toEqual(['dispute.created', 'dispute.updated']);
    const [kept] = await kit.db.query<{ submitted_at: Date | null }>({
      text: 'select submitted_at from dispute_evidence where dispute_id = $1',
      values: [id],
      scope: 'everybody',
    });
    expect(kept?.submitted_at).toEqual(kit.clock.now());
  });

  it('checks that files are the merchant’s own before the status', async () => {
    const { id } = await shop.open({ status: 'won' });
    const foreign: Move = {
      kind: 'defend',
      submission: {
        ...evidence,
        evidence: [{ type: 'other', text: null, file: 'file_000000000000000000000000' }],
      },
    };
    await expect(shop.answer(id, foreign)).rejects.toMatchObject({ param: 'evidence[0].file' });
  });

  it('a refusal names the field that the processor blames, else the status', async () => {
    const { id } = await shop.open();
    for (const param of ['evidence', 'reason_code', undefined] as const) {
      const blamed = param === undefined ? {} : { param };
      kit.processor.answers = [() => ({ kind: 'refused', message: 'No.', ...blamed })];
      await expect(shop.answer(id, defend)).rejects.toMatchObject({ param: param ?? 'status' });
    }
  });

  it('a refusal changes nothing, and a new key asks anew', async () => {
    const { id } = await shop.open();
    kit.processor.answers = [() => ({ kind: 'refused', message: 'No such reason.' })];
    expect(await codeOf(shop.answer(id, defend))).toBe('invalid_params');
    expect(await shop.present(id)).toMatchObject({ status: 'action_required', operation: null });
    expect(await shown(shop.answer(id, defend))).toMatchObject({ status: 'challenged' });
    expect(kit.processor.asked.map(({ request }) => request.upstreamKey)).toEqual([`${id}:d0`, `${id}:d1`]);
  });
});

describe('an answer to a dispute without a definite result', () => {
  it('leaves the dispute unchanged, and the repeat uses the same upstream key', async () => {
    const { id } = await shop.open();
    kit.processor.answers = [() => noAnswer('unknown')];
    expect(await codeOf(shop.answer(id, defend))).toBe('provider_unavailable');
    expect(await shop.present(id)).toMatchObject({ status: 'action_required', operation: 'defend' });
    expect(await shown(shop.answer(id, defend))).toMatchObject({ status: 'challenged' });
    expect(kit.processor.asked.map(({ request }) => request.upstreamKey)).toEqual([`${id}:d0`, `${id}:d0`]);
    expect(await shop.eventsOf(id)).toEqual(['dispute.created', 'dispute.updated']);
  });

  it('a repeat after the issuer’s decision returns the dispute as it is', async () => {
    const { id, ...facts } = await shop.open();
    kit.processor.answers = [() => noAnswer('unknown')];
    expect(await codeOf(shop.answer(id, defend, claimOn('decided')))).toBe('provider_unavailable');
    kit.clock.move(10_000);
    await recoverDisputes(kit.deps);
    await shop.apply({ ...facts, status: 'won' });
    const repeat = shop.answer(id, defend, claimOn('decided'), id);
    expect(await shown(repeat)).toMatchObject({ status: 'won' });
    expect(kit.processor.asked).toHaveLength(2);
  });

  it('ends the operation at once where the request certainly was not processed', async () => {
    const { id } = await shop.open();
    kit.processor.answers = [() => noAnswer('not_executed')];
    expect(await codeOf(shop.answer(id, defend))).toBe('provider_unavailable');
    expect(await shop.present(id)).toMatchObject({ operation: null, operations_done: 0 });
    expect(await shown(shop.answer(id, accept))).toMatchObject({ status: 'accepted' });
  });

  it('other evidence waits until the outcome of the earlier evidence is known', async () => {
    const { id } = await shop.open();
    kit.processor.answers = [() => noAnswer('unknown')];
    await codeOf(shop.answer(id, defend));
    const other: Move = {
      kind: 'defend',
      submission: { reasonCode: null, statement: 'Something else', evidence: [] },
    };
    expect(await codeOf(shop.answer(id, other))).toBe('invalid_params');
    expect(kit.processor.asked.map(({ request }) => request)).toEqual([
      expect.objectContaining({ statement: 'It was delivered.' }),
      expect.objectContaining({ statement: 'It was delivered.' }),
    ]);
    expect(await shop.present(id)).toMatchObject({ status: 'challenged' });
  });

  it('is resumed by recovery when it is due', async () => {
    const { id } = await shop.open();
    kit.processor.answers = [() => noAnswer('unknown'), () => noAnswer('unknown')];
    await codeOf(shop.answer(id, defend));
    kit.clock.move(4_000);
    await recoverDisputes(kit.deps);
    expect(kit.processor.asked).toHaveLength(1);
    kit.clock.move(1_000);
    await recoverDisputes(kit.deps);
    expect(await shop.present(id)).toMatchObject({
      status: 'action_required',
      operation: 'defend',
    });
    expect(await triesOf(kit, id)).toBe(2);
    kit.clock.move(40_000);
    await recoverDisputes(kit.deps);
    expect(await shop.present(id)).toMatchObject({ status: 'challenged', operation: null });
    expect(new Set(kit.processor.asked.map(({ request }) => request.upstreamKey))).toEqual(
      new Set([`${id}:d0`]),
    );
    expect(await shop.eventsOf(id)).toEqual(['dispute.created', 'dispute.updated']);
  });

  it('is resumed by recovery after a crash, once the lease has expired', async () => {
    const { id } = await shop.open();
    const dispute = await shop.present(id);
    if (dispute === undefined) throw new Error('gone');
    await kit.deps.operations.begin({
      subject: dispute,
      kind: 'accept',
      upstreamKey: `${id}:a0`,
      at: shop.where.now,
      lease: { owner: 2, until: new Date(kit.clock.now().getTime() + 60_000) },
      claim: null,
    });
    // No process with this number is alive, so its lease is not valid.
    await recoverDisputes(kit.deps);
    expect(await shop.present(id)).toMatchObject({ status: 'accepted', operation: null });
  });

  it('recovery ends with the outcome that a notification reported meanwhile', async () => {
    const { id, ...facts } = await shop.open();
    kit.processor.answers = [() => noAnswer('unknown')];
    await codeOf(shop.answer(id, accept));
    await shop.apply({ ...facts, status: 'accepted' });
    kit.clock.move(5_000);
    await recoverDisputes(kit.deps);
    expect(kit.processor.asked).toHaveLength(1);
    expect(await shop.present(id)).toMatchObject({ status: 'accepted', operation: null, operations_done: 1 });
    expect(await shop.eventsOf(id)).toEqual(['dispute.created', 'dispute.closed']);
  });
});
