import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../lib/ids.ts';
import type { AuditedRequest } from '../users/audit/audited-requests.ts';
import { insertUser } from '../users/people/users.ts';
import type { Move } from './operations/answer.ts';
import { answerDispute } from './operations/answer-dispute.ts';
import { recoverDisputes } from './operations/recover-disputes.ts';
import { Answering, accept, defend } from './test-answers.ts';
import { createDisputeKit, type DisputeKit, noAnswer } from './test-kit.ts';

let kit: DisputeKit;
let shop: Answering;
let user: { id: string; email: string };

beforeAll(async () => {
  kit = await createDisputeKit();
  user = { id: newId('usr', kit.clock.now(), randomBytes), email: 'ada@shop.example' };
  await insertUser(kit.db, { ...user, passwordHash: '', at: kit.clock.now() });
});
afterAll(() => kit.drop());
beforeEach(async () => {
  shop = new Answering(kit, kit.context(await kit.openAccount()));
  shop.reset();
});

const auditedAs = (action: string): AuditedRequest => ({
  id: newId('aud', kit.clock.now(), randomBytes),
  userId: user.id,
  email: user.email,
  action,
  ip: '203.0.113.7',
  at: kit.clock.now(),
});

const answer = (id: string, move: Move, resumes: string | null = null) =>
  answerDispute(kit.deps, { ...shop.where, now: kit.clock.now() }, id, move, {
    claim: null,
    resumes,
    audited: auditedAs(move.kind === 'accept' ? 'dispute.accepted' : 'dispute.defended'),
  });

const entries = () =>
  kit.db.query<{ action: string; after: object; awaits: string | null }>({
    text: 'select action, object_id, email, after, awaits from audit_log where account_id = $1 order by id',
    values: [shop.where.accountId],
    scope: { accountId: shop.where.accountId },
  });

describe('audit entry of an answer from the dashboard', () => {
  it('written before the processor is asked, completed with the outcome', async () => {
    const { id } = await shop.open();
    let meanwhile: unknown;
    kit.processor.answers = [
      async () => {
        meanwhile = await entries();
        return { kind: 'done' };
      },
    ];
    await answer(id, defend);
    const entry = { action: 'dispute.defended', object_id: id, email: user.email };
    const submitted = { evidence: [{ type: 'receipt', file: null }], statement: true };
    expect(meanwhile).toMatchObject([{ ...entry, after: { ...submitted, outcome: 'unknown' }, awaits: id }]);
    const [after] = await entries();
    expect(after).toMatchObject({ ...entry, after: { ...submitted, status: 'challenged' }, awaits: null });
    expect(after?.after).not.toHaveProperty('outcome');
  });

  it('one entry though recovery gets the processor’s answer', async () => {
    const { id } = await shop.open();
    kit.processor.answers = [() => noAnswer('unknown')];
    await expect(answer(id, accept)).rejects.toThrow();
    kit.clock.move(10_000);
    await recoverDisputes(kit.deps);
    expect(await entries()).toMatchObject([{ after: { status: 'accepted' }, awaits: null }]);
    await answer(id, accept, id);
    expect(await entries()).toHaveLength(1);
  });

  it('stays pending while a notification moves the dispute', async () => {
    const { id, ...facts } = await shop.open();
    kit.processor.answers = [() => noAnswer('unknown')];
    await expect(answer(id, defend)).rejects.toThrow();
    await shop.apply({ ...facts, reason: 'fraudulent' });
    expect(await entries()).toMatchObject([{ after: { outcome: 'unknown' }, awaits: id }]);
  });

  it('records no change where the processor refuses', async () => {
    const { id } = await shop.open();
    kit.processor.answers = [async () => ({ kind: 'refused', message: 'Too late.' })];
    await expect(answer(id, accept)).rejects.toThrow('Too late.');
    expect(await entries()).toMatchObject([{ after: { outcome: 'nothing_changed' }, awaits: null }]);
  });

  it('names each person who repeats the request while its outcome is unknown', async () => {
    const { id } = await shop.open();
    kit.processor.answers = [() => noAnswer('unknown')];
    await expect(answer(id, accept)).rejects.toThrow();
    kit.clock.move(1);
    await answer(id, accept);
    const each = await entries();
    expect(each).toHaveLength(2);
    expect(each).toMatchObject([{ after: { status: 'accepted' } }, { after: { status: 'accepted' } }]);
  });
});
