import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountContext } from '../../accounts/context.ts';
import { CustomerStore } from '../../customers/store.ts';
import { inboxPage } from '../../disputes/inbox.ts';
import { applyDisputeFacts } from '../../disputes/notifications/apply-facts.ts';
import { answerDispute } from '../../disputes/operations/answer-dispute.ts';
import { createDisputeKit, type DisputeKit, factsOf, noAnswer } from '../../disputes/test-kit.ts';
import { FileStore } from '../../files/store.ts';
import { UploadQueue } from '../../files/upload-queue.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import { PaymentStore } from '../../payments/store.ts';
import type { DisputeFacts } from '../../processors/port/disputes.ts';
import type { InboxDependencies } from './dependencies.ts';
import { retrieveDisputeDetail } from './detail.ts';
import { exportDisputes } from './export-disputes.ts';

let kit: DisputeKit;
let deps: InboxDependencies;
let shop: AccountContext;
beforeAll(async () => {
  kit = await createDisputeKit();
  const { db } = kit;
  deps = {
    disputes: kit.deps,
    files: { store: new FileStore(db), clock: kit.clock, randomBytes, uploads: new UploadQueue() },
    // A settled payment needs no other dependencies.
    payments: {
      db,
      store: new PaymentStore(db),
      customers: { store: new CustomerStore(db) },
    } as unknown as PaymentDependencies,
  };
});
afterAll(() => kit.drop());
beforeEach(async () => {
  shop = kit.context(await kit.openAccount());
});

/** Opens a dispute that the upstream reports. @returns its id */
async function open(changes: Partial<DisputeFacts> = {}): Promise<string> {
  const facts = factsOf(await kit.pay(shop), changes);
  await applyDisputeFacts(kit.deps, shop, facts);
  return (await kit.deps.store.findByUpstreamId(shop, facts.upstreamId))?.id ?? '';
}

const detail = (id: string, context = shop) => retrieveDisputeDetail(deps, context, id);

describe('why a dispute cannot be answered', () => {
  it('is nothing while an answer is due', async () => {
    expect(await detail(await open())).toMatchObject({
      refusal: null,
      in_doubt: null,
      network_reason_code: '10.4',
    });
  });

  it.each([
    ['new', 'has not asked for an answer yet'],
    ['challenged', 'was submitted'],
    ['won', 'is closed'],
  ] as const)('is said for the status %s', async (status, words) => {
    const id = await open({ status, respondBy: null });
    expect((await detail(id)).refusal).toContain(words);
  });

  it('is that an answer has no answer yet', async () => {
    const id = await open();
    kit.processor.answers = [() => noAnswer('unknown')];
    const move = { kind: 'accept' } as const;
    await expect(answerDispute(kit.deps, shop, id, move, { claim: null, resumes: null })).rejects.toThrow();
    expect(await detail(id)).toMatchObject({
      in_doubt: 'accept',
      refusal: expect.stringContaining('has not confirmed it yet'),
      dispute: { status: 'action_required' },
    });
  });

  it('is that there is no connection', async () => {
    const apart = { ...shop, connection: { ...shop.connection, connected: false } };
    expect((await detail(await open(), apart)).refusal).toContain('no active connection');
  });
});

describe('the history', () => {
  it('names who answered in the dashboard, and nobody where the API did', async () => {
    const [one, other] = [await open(), await open()];
    const move = { kind: 'accept' } as const;
    for (const id of [one, other]) {
      await answerDispute(kit.deps, shop, id, move, { claim: null, resumes: null });
    }
    await kit.db.query({
      text: `insert into audit_log (account_id, id, tenant, actor_type, email, action, object_id, after, created_at)
             values ($1, 'aud_1', $2, 'user', 'ada@shop.example', 'dispute.accepted', $3, $4, $5)`,
      values: [shop.accountId, shop.tenant, one, { state: 'chargeback', status: 'accepted' }, shop.now],
      scope: shop,
    });
    const shown = async (id: string) =>
      (await detail(id)).timeline.map(({ type, status, by }) => [type, status, by]);
    expect(await shown(one)).toEqual([
      ['dispute.created', 'action_required', null],
      ['dispute.closed', 'accepted', 'ada@shop.example'],
    ]);
    expect((await shown(other)).at(-1)).toEqual(['dispute.closed', 'accepted', null]);
  });
});

describe('the inbox', () => {
  const ids = async (tab: 'action_required' | 'challenged' | 'closed', offset = 0) =>
    (await inboxPage(kit.db, shop, { tab }, { offset, perPage: 2 }, { me: '', colleagues: [] })).rows.map(
      ({ id }) => id,
    );

  it('puts the nearest deadline first, and what has none last', async () => {
    const at = (text: string) => new Date(`2026-12-${text}T12:00:00Z`);
    const [late, none, soon] = [
      await open({ respondBy: at('09') }),
      await open({ respondBy: null }),
      await open({ respondBy: at('02') }),
    ];
    expect(await ids('action_required')).toEqual([soon, late]);
    expect(await ids('action_required', 2)).toEqual([none]);
  });

  it('puts the newest first elsewhere', async () => {
    const [one, other] = [await open({ status: 'won' }), await open({ status: 'lost' })];
    const challenged = await open({ status: 'challenged' });
    expect(await ids('closed')).toEqual([other, one]);
    expect(await ids('challenged')).toEqual([challenged]);
  });
});

describe('the file of the inbox', () => {
  it('has what a view shows, with times in the account’s zone', async () => {
    const dispute = await open({ respondBy: new Date('2026-12-01T20:00:00Z') });
    await kit.db.query({
      text: `update payments set reference = 'order-9' where tenant = $1 and id = $2`,
      values: [shop.tenant, (await detail(dispute)).payment.id],
      scope: shop,
    });
    const won = await open({ status: 'won' });
    const lines = async (query: Parameters<typeof exportDisputes>[2]) => {
      const pieces: string[] = [];
      const people = { me: '', colleagues: [] };
      const { content } = exportDisputes(kit.db, { ...shop, timeZone: 'Asia/Tokyo' }, query, people);
      for await (const piece of content as AsyncIterable<string>) pieces.push(piece);
      return pieces.join('').trimEnd().split('\r\n');
    };
    expect(await lines({})).toHaveLength(3);
    const [titles, due] = await lines({ tab: 'action_required' });
    expect(titles).toMatch(/^\u{FEFF}id,raised,status,state,reason,.*,time_zone,filters$/u);
    expect(due).toContain(',"2026-12-02 05:00:00",');
    expect(due).toContain(',order-9,');
    expect(due).toMatch(/,"Asia\/Tokyo","tab=action_required"$/);
    expect((await lines({ tab: 'closed' })).slice(1).map((line) => line.split(',')[0])).toEqual([won]);
  });
});
