import { randomBytes } from 'node:crypto';
import type { DisputeDraft, DisputeDraftChange, dashboardApi } from '@till/contract/dashboard';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountContext } from '../../accounts/context.ts';
import { remindDisputes } from '../../disputes/deadlines/remind-disputes.ts';
import { draftsOf, saveDraft } from '../../disputes/drafts.ts';
import { inboxPage } from '../../disputes/inbox.ts';
import { answerDispute } from '../../disputes/operations/answer-dispute.ts';
import { Answering, accept, defend } from '../../disputes/test-answers.ts';
import { createDisputeKit, type DisputeKit } from '../../disputes/test-kit.ts';
import { createFile, removeUnusedFiles } from '../../files/files.ts';
import { FileStore } from '../../files/store.ts';
import { UploadQueue } from '../../files/upload-queue.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import { until } from '../../webhooks/test-kit.ts';
import type { AuditDetails, StaffCall } from '../call.ts';
import type { InboxDependencies } from './dependencies.ts';
import { assignFromDashboard, colleaguesOf, saveFromDashboard, teamworkOf } from './draft.ts';

let kit: DisputeKit;
let deps: InboxDependencies;
let shop: AccountContext;
let answering: Answering;
/** What was written to the audit log, and how many calls were covered by an earlier entry. */
let log: AuditDetails[];
let covered: number;

beforeAll(async () => {
  kit = await createDisputeKit();
  const { db, clock } = kit;
  deps = {
    disputes: kit.deps,
    files: { store: new FileStore(db), clock, randomBytes, uploads: new UploadQueue() },
    payments: {} as PaymentDependencies,
  };
});
afterAll(() => kit.drop());
beforeEach(async () => {
  shop = kit.context(await kit.openAccount());
  answering = new Answering(kit, shop);
  log = [];
  covered = 0;
});

const nothing: DisputeDraftChange = { version: 0, statement: '', reason_code: '', evidence: [] };

/** A call by a person of the shop. */
const callOf = <Name extends 'saveDisputeDraft' | 'assignDispute'>(
  by: string,
  id: string,
  body: object,
  context = shop,
) =>
  ({
    context,
    staff: { email: by, userId: `usr_${by}` },
    params: { id },
    body,
    audit: async (details: AuditDetails) => void log.push(details),
    covered: () => {
      covered += 1;
    },
  }) as unknown as StaffCall<(typeof dashboardApi)[Name]>;

async function save(by: string, id: string, change: Partial<DisputeDraftChange>, context = shop) {
  const call = callOf<'saveDisputeDraft'>(by, id, { ...nothing, ...change }, context);
  return ((await saveFromDashboard(deps, call)) as unknown as { body: DisputeDraft }).body;
}

const uploaded = () => createFile(deps.files, shop, { name: 'a.pdf', content: Buffer.from('%PDF-1.4 a') });
const waitingForLocks = async (): Promise<number> => {
  const [row] = await kit.db.query<{ count: number }>({
    text: `select count(*) as count from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
    scope: 'anybody',
  });
  return row?.count ?? 0;
};
const draftOf = async (id: string, context = shop) => (await teamworkOf(deps, context, id)).draft;

describe('the draft of an answer', () => {
  it('waits for what closes its dispute at the same moment, and is not left behind', async () => {
    const { id } = await answering.open();
    const { db } = kit;
    let saving: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await tx.query({
        text: `update disputes set status = 'lost' where tenant = $1 and id = $2`,
        values: [shop.tenant, id],
        scope: shop,
      });
      saving = Promise.allSettled([save('a@shop.example', id, { statement: 'late' })]);
      await until('the draft waits', async () => (await waitingForLocks()) > 0);
    });
    expect(await saving).toMatchObject([{ status: 'rejected', reason: { code: 'conflict' } }]);
    expect(await draftsOf(db, shop, [id])).toEqual([]);
  });

  it('that is saved at the very moment at which its dispute closes goes with it', async () => {
    const { id } = await answering.open();
    const read = await answering.present(id);
    if (read === undefined) throw new Error('no dispute');
    const { db } = kit;
    let closing: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      const content = { statement: 'in time', reason_code: '', evidence: [] };
      await saveDraft(tx, shop, id, { version: 0, content, by: 'a@shop.example' });
      closing = kit.deps.store.settle({
        dispute: { ...read, status: 'lost' },
        event: null,
        mails: [],
        at: kit.clock.now(),
        operation: null,
        answer: null,
      });
      await until('the end of the dispute waits', async () => (await waitingForLocks()) > 0);
    });
    expect(await closing).toBe(true);
    expect(await draftsOf(db, shop, [id])).toEqual([]);
  });

  it('is shown to colleagues with its files, who edited it and when', async () => {
    const { id } = await answering.open();
    expect(await draftOf(id)).toBeNull();
    const file = await uploaded();
    const written = {
      statement: 'It arrived.',
      evidence: [{ type: 'receipt' as const, text: '', files: [file.id] }],
    };
    expect(await save('ada@shop.example', id, written)).toMatchObject({
      version: 1,
      edited_by: 'ada@shop.example',
    });
    expect(await draftOf(id)).toMatchObject({
      version: 1,
      statement: 'It arrived.',
      evidence: [{ type: 'receipt', text: '', files: [{ id: file.id, name: 'a.pdf' }] }],
      edited_at: shop.now.toISOString().replace('.000', ''),
    });
  });

  it('is not overwritten by somebody who has not seen its latest version', async () => {
    const { id } = await answering.open();
    await save('ada@shop.example', id, { statement: 'one' });
    await save('ada@shop.example', id, { version: 1, statement: 'two' });
    for (const version of [0, 1]) {
      await expect(save('sam@shop.example', id, { version, statement: 'three' })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('ada@shop.example has changed this draft'),
      });
    }
    expect(await draftOf(id)).toMatchObject({ version: 2, statement: 'two' });
  });

  it('of two who begin at once only one is kept', async () => {
    const { id } = await answering.open();
    const results = await Promise.allSettled(['ada', 'sam'].map((by) => save(by, id, { statement: by })));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await draftOf(id)).toMatchObject({ version: 1 });
  });

  it('is logged when a person begins to edit it, not for every save', async () => {
    const { id } = await answering.open();
    for (const version of [0, 1, 2]) await save('ada@shop.example', id, { version, statement: `${version}` });
    expect([log.length, covered]).toEqual([1, 2]);
    await save('sam@shop.example', id, { version: 3 });
    expect([log.length, covered]).toEqual([2, 2]);
    const later = { ...shop, now: new Date(shop.now.getTime() + 15 * 60_000) };
    await save('sam@shop.example', id, { version: 4 }, later);
    expect([log.length, covered]).toEqual([3, 2]);
  });

  it('keeps its files, which others have not', async () => {
    const { id } = await answering.open();
    const [kept, unused] = [await uploaded(), await uploaded()];
    const evidenceOf = (file: string) => [{ type: 'other' as const, text: '', files: [file] }];
    await save('ada@shop.example', id, { evidence: evidenceOf(kept.id) });
    const inEightDays = { now: () => new Date(kit.clock.now().getTime() + 8 * 86_400_000) };
    await removeUnusedFiles({ store: deps.files.store, clock: inEightDays });
    const left = await deps.files.store.find(shop, [kept.id, unused.id]);
    expect(left.map((file) => file.id)).toEqual([kept.id]);

    const other = kit.context(await kit.openAccount());
    const theirs = await new Answering(kit, other).open();
    const using = save('eve@other.example', theirs.id, { evidence: evidenceOf(kept.id) }, other);
    await expect(using).rejects.toMatchObject({ code: 'invalid_params', param: 'evidence' });
    await expect(save('eve@other.example', id, { version: 1 }, other)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await draftsOf(kit.db, other, [id])).toEqual([]);
    expect(await draftOf(id)).toMatchObject({ version: 1 });
  });

  it.each([
    ['accepted', accept],
    ['answered', defend],
  ] as const)('is gone once the dispute is %s, and no other', async (_, move) => {
    const [one, other] = [await answering.open(), await answering.open()];
    for (const { id } of [one, other]) await save('ada@shop.example', id, { statement: 'x' });
    await answerDispute(kit.deps, shop, one.id, move, { claim: null, resumes: null });
    expect(await draftsOf(kit.db, shop, [one.id, other.id])).toMatchObject([{ dispute_id: other.id }]);
    await expect(save('ada@shop.example', one.id, { statement: 'late' })).rejects.toMatchObject({
      code: 'conflict',
      message: 'This dispute waits for no answer any more.',
    });
  });

  it('is gone once the processor closed the dispute', async () => {
    const { id, ...facts } = await answering.open();
    await save('ada@shop.example', id, { statement: 'x' });
    await answering.apply({ ...facts, status: 'lost' });
    expect(await draftsOf(kit.db, shop, [id])).toEqual([]);
  });
});

describe('a dispute that is handed over', () => {
  const ids = async (assignee: 'me' | 'nobody', me: string) => {
    const colleagues = (await colleaguesOf(kit.db, shop)).map(({ id }) => id);
    const query = { tab: 'action_required', assignee } as const;
    const { rows } = await inboxPage(kit.db, shop, query, { offset: 0, perPage: 10 }, { me, colleagues });
    return rows.map(({ id }) => id);
  };

  it('is in the inbox of a colleague, who gets a mail and the reminders', async () => {
    const accountId = shop.accountId;
    const name = (who: string) => `${who}-${accountId}@shop.example`;
    for (const [who, role] of [
      ['ada', 'owner'],
      ['sam', 'support'],
      ['vic', 'viewer'],
    ] as const) {
      await kit.addStaff(accountId, name(who), role);
    }
    const colleagues = await colleaguesOf(kit.db, shop);
    expect(colleagues.map(({ email }) => email)).toEqual([name('ada'), name('sam')]);
    const sam = colleagues[1]?.id ?? '';
    const [one, other] = [await answering.open(), await answering.open()];
    const mailed = async (to: string, words: string) =>
      (await kit.mails(accountId)).filter((mail) => mail.to_address === to && mail.subject.includes(words));
    const assign = (user: string | null, by = 'ada') =>
      assignFromDashboard(deps, callOf<'assignDispute'>(name(by), one.id, { user }));
    await assign(sam);
    expect(await teamworkOf(deps, shop, one.id)).toMatchObject({
      draft: null,
      assignee: { email: name('sam') },
    });
    expect([await ids('me', sam), await ids('nobody', sam)]).toEqual([[one.id], [other.id]]);
    expect(log).toEqual([{ before: { assignee: null }, after: { assignee: name('sam') } }]);
    await assign(sam);
    expect(await mailed(name('sam'), `${name('ada')} handed you a dispute`)).toHaveLength(1);
    await expect(assign('usr_nobody')).rejects.toMatchObject({ code: 'invalid_params', param: 'user' });

    await save(name('sam'), one.id, { statement: 'x' });
    expect((await teamworkOf(deps, shop, one.id)).assignee).toMatchObject({ id: sam });
    kit.clock.move(new Date('2026-11-29T00:00:00Z').getTime() - kit.clock.now().getTime());
    await remindDisputes(kit.deps, shop);
    expect(await mailed(name('ada'), 'Less than 72 hours')).toHaveLength(2);
    expect(await mailed(name('sam'), 'Less than 72 hours')).toHaveLength(1);

    await assign(null);
    expect(await ids('nobody', sam)).toHaveLength(2);
    await answerDispute(kit.deps, shop, one.id, accept, { claim: null, resumes: null });
    await expect(assign(sam)).rejects.toMatchObject({ code: 'conflict' });
  });
});
