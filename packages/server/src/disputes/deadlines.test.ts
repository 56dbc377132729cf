import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import type { DisputeFacts } from '../processors/port/disputes.ts';
import { expireDisputes } from './deadlines/expire-disputes.ts';
import { remindDisputes } from './deadlines/remind-disputes.ts';
import { retrieveDispute } from './deadlines/retrieve-dispute.ts';
import { applyDisputeFacts } from './notifications/apply-facts.ts';
import { createDisputeKit, type DisputeKit, factsOf } from './test-kit.ts';

const hourMs = 3_600_000;
let kit: DisputeKit;

beforeAll(async () => {
  kit = await createDisputeKit();
});

afterAll(() => kit.drop());

/** Opens an account with one owner and one dispute, with an answer due in `hours`. */
async function openWith(hours: number, changes: Partial<DisputeFacts> = {}) {
  const shop = kit.context(await kit.openAccount());
  await kit.addStaff(shop.accountId, `${shop.accountId}@shop.example`);
  const respondBy = new Date(kit.clock.now().getTime() + hours * hourMs);
  const facts = factsOf(await kit.pay(shop), { respondBy, ...changes });
  await applyDisputeFacts(kit.deps, shop, facts);
  const present = async () => {
    const row = await kit.deps.store.findByUpstreamId(shop, facts.upstreamId);
    if (row === undefined) throw new Error('the dispute is gone');
    return row;
  };
  return { shop, facts, present };
}

const subjectsOf = async ({ accountId }: AccountContext) =>
  (await kit.mails(accountId)).map(({ subject }) => subject.replace('[Test] ', ''));

const opened = expect.stringMatching(/^A payment of 49.90 EUR is disputed/);
const reminderOf = (hours: number) => `Less than ${hours} hours to answer a dispute of 49.90 EUR`;

describe('a dispute without an answer', () => {
  it('is accepted by the sweep at its deadline and not before', async () => {
    const { present } = await openWith(1);
    kit.clock.move(hourMs - 1);
    await expireDisputes(kit.deps);
    expect((await present()).status).toBe('action_required');
    kit.clock.move(1);
    await expireDisputes(kit.deps);
    await expireDisputes(kit.deps);
    const row = await present();
    expect(row.status).toBe('accepted');
    expect((await kit.events(row.id)).map(({ type }) => type)).toEqual(['dispute.created', 'dispute.closed']);
  });

  /** A dispute that was closed at its deadline, and functions to apply the processor's later updates. */
  async function concluded() {
    const { shop, facts, present } = await openWith(1);
    kit.clock.move(hourMs);
    await expireDisputes(kit.deps);
    expect(await present()).toMatchObject({ status: 'accepted', concluded_by: 'deadline' });
    const receive = async (changes: Partial<DisputeFacts>) => {
      const later = kit.context(shop.accountId);
      await applyDisputeFacts(kit.deps, later, { ...facts, ...changes });
      return present();
    };
    const events = async () => (await kit.events((await present()).id)).map(({ type }) => type);
    return { shop, receive, events, respondBy: facts.respondBy };
  }

  it.each([
    ['challenged', 'dispute.updated', /goes on: challenged/],
    ['won', 'dispute.closed', /: won$/],
    ['lost', 'dispute.closed', /: lost$/],
    ['recovered', 'dispute.closed', /: recovered$/],
  ] as const)('is overridden where the processor reports %s', async (status, event, subject) => {
    const { shop, receive, events } = await concluded();
    expect(await receive({ status })).toMatchObject({ status, concluded_by: null });
    expect(await receive({ status })).toMatchObject({ status });
    expect(await events()).toEqual(['dispute.created', 'dispute.closed', event]);
    const subjects = await subjectsOf(shop);
    expect(subjects).toHaveLength(3);
    expect(subjects).toContainEqual(expect.stringMatching(subject));
    expect(kit.incidents).toEqual([]);
  });

  it('reopens with the new deadline where the processor reports that the defence was rejected', async () => {
    const { shop, receive } = await concluded();
    const respondBy = new Date(kit.clock.now().getTime() + 240 * hourMs);
    expect(await receive({ state: 'pre_arbitration', respondBy })).toMatchObject({
      state: 'pre_arbitration',
      status: 'action_required',
      concluded_by: null,
      respond_by: respondBy,
      reminders: 0,
    });
    expect((await subjectsOf(shop)).filter((subject) => /: answer by/.test(subject))).toHaveLength(2);
  });

  it('reopens where the processor extends the deadline, and not where it repeats the expired one', async () => {
    const { receive, respondBy } = await concluded();
    expect(await receive({ respondBy })).toMatchObject({ status: 'accepted', concluded_by: 'deadline' });
    const more = new Date(kit.clock.now().getTime() + hourMs);
    expect(await receive({ respondBy: more })).toMatchObject({ status: 'action_required', respond_by: more });
    kit.clock.move(hourMs);
    await expireDisputes(kit.deps);
    expect((await receive({ respondBy: more })).status).toBe('accepted');
  });

  it('is final once the processor reports accepted too, without a second event or mail', async () => {
    const { shop, receive, events } = await concluded();
    expect(await receive({ status: 'accepted' })).toMatchObject({ status: 'accepted', concluded_by: null });
    expect((await receive({ status: 'won' })).status).toBe('accepted');
    expect(await events()).toEqual(['dispute.created', 'dispute.closed']);
    expect(await subjectsOf(shop)).toHaveLength(2);
    expect(kit.incidents.splice(0)).toEqual(['updates of a dispute contradict what is known']);
  });

  it('is accepted on read after its deadline, before the sweep', async () => {
    const { shop, present } = await openWith(1);
    kit.clock.move(hourMs);
    const { id } = await present();
    const read = await retrieveDispute(kit.deps, kit.context(shop.accountId), id);
    expect(read.status).toBe('accepted');
  });

  it('has its deadline on the account’s clock', async () => {
    const { shop, present } = await openWith(48);
    await kit.db.query({
      text: 'update accounts set clock_offset_ms = $2 where account_id = $1',
      values: [shop.accountId, 48 * hourMs],
      scope: { accountId: shop.accountId },
    });
    expect((await findAccount(kit.db, shop.accountId))?.clock_offset_ms).toBe(48 * hourMs);
    await expireDisputes(kit.deps);
    expect((await present()).status).toBe('accepted');
  });

  it('is not accepted while an operation is open or without a deadline', async () => {
    const asked = await openWith(1);
    const dispute = await asked.present();
    await kit.deps.operations.begin({
      subject: dispute,
      kind: 'accept',
      upstreamKey: `${dispute.id}:a0`,
      at: kit.clock.now(),
      lease: kit.deps.lease(),
      claim: null,
    });
    const endless = await openWith(1, { respondBy: null });
    kit.clock.move(10 * hourMs);
    await expireDisputes(kit.deps);
    expect((await asked.present()).status).toBe('action_required');
    expect((await endless.present()).status).toBe('action_required');
  });
});

describe('reminders', () => {
  it('are sent once each, 72 and 24 hours before the deadline', async () => {
    const { shop, present } = await openWith(100);
    kit.clock.move(28 * hourMs - 1);
    await remindDisputes(kit.deps);
    expect(await subjectsOf(shop)).toEqual([opened]);
    kit.clock.move(1);
    await Promise.all([remindDisputes(kit.deps), remindDisputes(kit.deps)]);
    kit.clock.move(hourMs);
    await remindDisputes(kit.deps);
    expect(await subjectsOf(shop)).toEqual([opened, reminderOf(72)]);
    kit.clock.move(47 * hourMs);
    await remindDisputes(kit.deps);
    await remindDisputes(kit.deps);
    expect(await subjectsOf(shop)).toEqual([opened, reminderOf(72), reminderOf(24)]);
    const row = await present();
    expect(await kit.events(row.id)).toHaveLength(1);
  });

  it('only the latest of the missed ones is sent', async () => {
    const { shop } = await openWith(100);
    kit.clock.move(90 * hourMs);
    await remindDisputes(kit.deps);
    await remindDisputes(kit.deps);
    expect(await subjectsOf(shop)).toEqual([opened, reminderOf(24)]);
  });

  it('those whose time has passed when the dispute opens are not sent', async () => {
    const { shop } = await openWith(30);
    await remindDisputes(kit.deps);
    expect(await subjectsOf(shop)).toEqual([opened]);
    kit.clock.move(6 * hourMs);
    await remindDisputes(kit.deps);
    expect(await subjectsOf(shop)).toEqual([opened, reminderOf(24)]);
  });

  it('start again where the dispute is raised again, and stop once it is answered', async () => {
    const { shop, facts } = await openWith(73);
    kit.clock.move(2 * hourMs);
    await remindDisputes(kit.deps);
    const now = () => kit.context(shop.accountId);
    await applyDisputeFacts(kit.deps, now(), { ...facts, status: 'challenged' });
    kit.clock.move(60 * hourMs);
    await remindDisputes(kit.deps);
    expect(await subjectsOf(shop)).toEqual([opened, reminderOf(72)]);
    const respondBy = new Date(kit.clock.now().getTime() + 73 * hourMs);
    await applyDisputeFacts(kit.deps, now(), { ...facts, state: 'pre_arbitration', respondBy });
    kit.clock.move(2 * hourMs);
    await remindDisputes(kit.deps);
    expect(await subjectsOf(shop)).toEqual([opened, reminderOf(72), opened, reminderOf(72)]);
  });

  it('are not sent after the deadline', async () => {
    const { shop } = await openWith(100);
    kit.clock.move(100 * hourMs);
    await remindDisputes(kit.deps);
    expect(await subjectsOf(shop)).toEqual([opened]);
  });
});
