import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { saveBranding } from '../../accounts/branding.ts';
import { newId } from '../../lib/ids.ts';
import type { Tenant } from '../../store/tenant.ts';
import { findTenant } from '../../vault/test-database.ts';
import { countFigures } from '../figures/count.ts';
import { TestData } from '../figures/test-data.ts';
import { createDashboardKit, type DashboardKit } from '../test-kit.ts';
import { homeDashboardRoutes } from './routes.ts';

let kit: DashboardKit;
let account: string;
let tenant: Tenant;
let data: TestData;
beforeAll(async () => {
  kit = await createDashboardKit();
  homeDashboardRoutes(kit.api, kit);
});
afterAll(() => kit.drop());
beforeEach(async () => {
  account = await kit.openAccount();
  tenant = await findTenant(kit.db, account);
  data = new TestData(kit.db, tenant);
});

const hours = (count: number) => new Date(kit.clock.now().getTime() + count * 3_600_000);
const iso = (time: Date) => `${time.toISOString().slice(0, 19)}Z`;

describe('the first steps', () => {
  const done = (body: { checklist: { steps: { id: string; done: boolean }[] } }) =>
    body.checklist.steps.filter((step) => step.done).map(({ id }) => id);

  it('follow from what happened', async () => {
    const { call, user } = await kit.signIn(account, 'owner');
    const home = async () => (await call('GET', `/accounts/${account}/home`)).body;
    const steps = [
      'test_payment',
      'test_decline',
      'webhook',
      'test_refund',
      'branding',
      'two_factor',
      'go_live',
    ];
    expect((await home()).checklist).toEqual({
      hidden: false,
      steps: steps.map((id) => ({ id, done: false })),
    });
    const paid = await data.pay({ at: hours(-2), status: 'succeeded' });
    expect(done(await home())).toEqual(['test_payment']);
    await data.pay({ at: hours(-2), status: 'failed', failureCode: '3ds_abandoned' });
    expect(done(await home())).not.toContain('test_decline');
    await data.pay({ at: hours(-2), status: 'failed', failureCode: 'refused' });
    expect(done(await home())).toContain('test_decline');
    const endpoint = await data.endpoint(hours(-2));
    await data.attempt(endpoint, hours(0), 1, 500);
    expect(done(await home())).not.toContain('webhook');
    await data.attempt(endpoint, hours(0), 2, 204);
    expect(done(await home())).toContain('webhook');
    kit.clock.move(120_000);
    await countFigures(kit);
    await kit.db.query({
      text: 'delete from delivery_attempts where account_id = $1',
      values: [account],
      scope: 'everybody',
    });
    expect(done(await home())).toContain('webhook');
    await data.refund(paid, { at: hours(-1), amount: 10 });
    await kit.db.query({
      text: `insert into user_totp (user_id, secret, master_key_id, created_at, enabled_at)
             values ($1, '', 'key', $2, $2)`,
      values: [user.id, hours(0)],
      scope: 'everybody',
    });
    await saveBranding(kit.db, account, { colour: '#0b57d0' }, hours(0));
    expect(done(await home())).toEqual(steps.slice(0, -1));
    await kit.goLive(account);
    expect(done(await home())).toEqual(steps);
  });

  it('ask nothing of a live account that only the sandbox can do', async () => {
    await kit.goLive(account);
    const { call } = await kit.signIn(account, 'owner');
    const { checklist } = (await call('GET', `/accounts/${account}/home`)).body;
    expect(checklist.steps.map(({ id }: { id: string }) => id)).toEqual([
      'webhook',
      'branding',
      'two_factor',
      'go_live',
    ]);
  });

  it('can be hidden and shown again by each person for themselves', async () => {
    const [one, other] = [await kit.signIn(account, 'viewer'), await kit.signIn(account, 'viewer')];
    const change = (hidden: boolean) => {
      kit.clock.move(1);
      return one.call('POST', `/accounts/${account}/home/checklist`, { body: { hidden } });
    };
    const checklist = async ({ call }: typeof one) =>
      (await call('GET', `/accounts/${account}/home`)).body.checklist;
    expect((await change(true)).body).toEqual({ done: true });
    expect((await change(true)).status).toBe(200);
    expect(await checklist(one)).toEqual({ hidden: true, steps: [] });
    expect((await checklist(other)).hidden).toBe(false);
    await change(false);
    expect((await checklist(one)).hidden).toBe(false);
    expect((await kit.audit(account)).map(({ action, after }) => [action, after])).toEqual([
      ['checklist.changed', { hidden: true }],
      ['checklist.changed', { hidden: true }],
      ['checklist.changed', { hidden: false }],
    ]);
  });
});

describe('what needs attention', () => {
  const attention = async (role: 'viewer' | 'owner' = 'owner') => {
    const { call } = await kit.signIn(account, role);
    return (await call('GET', `/accounts/${account}/home`)).body.attention;
  };
  const nothing = { total: 0, data: [] };

  it('is nothing at first', async () => {
    expect(await attention()).toEqual({
      alerts: nothing,
      disputes: nothing,
      holds: nothing,
      guarantees: nothing,
      failed_refunds: nothing,
      endpoints: nothing,
      refunds: nothing,
      card_testing: { slowed: 0, refused: 0, payments: 0 },
      in_doubt: nothing,
    });
  });

  it('are disputes, the nearest deadline first, and holds that end soon', async () => {
    const paid = await data.pay({ at: hours(-2), status: 'succeeded', amount: 700 });
    const open = (respondBy: Date) => data.dispute(paid, { at: hours(-1), amount: 5, respondBy });
    const [later, sooner] = [await open(hours(90)), await open(hours(30))];
    await data.dispute(paid, { at: hours(-1), status: 'challenged', respondBy: hours(1) });
    const hold = (ends: number, status: 'authorized' | 'voided' = 'authorized') =>
      data.pay({ at: hours(-2), status, authorizationExpires: hours(ends), reference: `ends ${ends}` });
    const ending = await hold(71);
    for (const ends of [73, -1]) await hold(ends);
    await hold(10, 'voided');
    const { disputes, holds } = await attention();
    expect(disputes).toEqual({
      total: 2,
      data: [
        { id: sooner, amount: 5, currency: 'EUR', reason: 'fraudulent', respond_by: iso(hours(30)) },
        { id: later, amount: 5, currency: 'EUR', reason: 'fraudulent', respond_by: iso(hours(90)) },
      ],
    });
    expect(holds).toEqual({
      total: 1,
      data: [
        {
          id: ending,
          amount: 4990,
          currency: 'EUR',
          reference: 'ends 71',
          authorization_expires: iso(hours(71)),
        },
      ],
    });
  });

  it('shows five of a kind and counts the rest', async () => {
    const paid = await data.pay({ at: hours(-2), status: 'succeeded' });
    for (let count = 0; count < 7; count += 1) await data.dispute(paid, { at: hours(-1) });
    const { disputes } = await attention();
    expect([disputes.total, disputes.data.length]).toEqual([7, 5]);
  });

  it('are refunds that do not settle and operations without an answer', async () => {
    const paid = await data.pay({ at: hours(-50), status: 'succeeded' });
    const old = await data.refund(paid, { at: hours(-25), amount: 1 });
    const unanswered = await data.refund(paid, { at: hours(0), amount: 2 });
    await kit.db.query({
      text: `insert into operations (tenant, subject, kind, upstream_key, state, created_at, lease_owner,
               lease_until, next_try_at)
             values ($1, $2, 'refund', 'x', 'unknown', '-infinity', 0, '-infinity', '-infinity')`,
      values: [tenant.tenant, unanswered],
      scope: 'everybody',
    });
    await data.refund(paid, { at: hours(-23), amount: 3 });
    const begin = async (kind: string, state: string, at: Date) => {
      const payment = newId('pay', at, randomBytes);
      await kit.db.query({
        text: `insert into operations (tenant, subject, kind, upstream_key, state, created_at, lease_owner,
                 lease_until, next_try_at, seq, draft, request)
               values ($1, $2, $3, 'x', $4, $5, 0, '-infinity', '-infinity', 1, $6, '{}')`,
        values: [tenant.tenant, payment, kind, state, at, JSON.stringify({ amount: 4990, currency: 'EUR' })],
        scope: 'everybody',
      });
      return payment;
    };
    const charged = await begin('charge', 'unknown', hours(-1));
    await begin('charge', 'intent', hours(0));
    await begin('expire', 'unknown', hours(-1));
    const { refunds, in_doubt: doubt } = await attention();
    expect(refunds.data.map((row: { id: string; unanswered: boolean }) => [row.id, row.unanswered])).toEqual([
      [old, false],
      [unanswered, true],
    ]);
    expect(doubt).toEqual({
      total: 1,
      data: [
        {
          payment: charged,
          amount: 4990,
          currency: 'EUR',
          kind: 'charge',
          shown: false,
          since: iso(hours(-1)),
          next_try_at: null,
        },
      ],
    });
  });

  it('are endpoints that fail or are paused, for roles that may see endpoints', async () => {
    const [failing, paused] = [await data.endpoint(hours(-9)), await data.endpoint(hours(-8))];
    await data.endpoint(hours(-7));
    await kit.db.query({
      text: 'update webhook_endpoints set first_failure_at = $3 where account_id = $1 and id = $2',
      values: [account, failing, hours(-1)],
      scope: 'everybody',
    });
    await kit.db.query({
      text: `update webhook_endpoints set status = 'paused', paused_reason = 'failing'
             where account_id = $1 and id = $2`,
      values: [account, paused],
      scope: 'everybody',
    });
    const { endpoints } = await attention();
    expect(
      endpoints.data.map((row: Record<string, unknown>) => [row.id, row.status, row.failing_since]),
    ).toEqual([
      [failing, 'active', iso(hours(-1))],
      [paused, 'paused', null],
    ]);
    expect((await attention('viewer')).endpoints).toBeNull();
  });
});
