import { randomBytes } from 'node:crypto';
import { type Role, roles } from '@till/contract/dashboard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPaymentsKit, type PaymentsKit } from '../payments/test-kit.ts';
import { codeOf } from '../test-things.ts';
import { settingsDashboardRoutes } from './routes.ts';

let kit: PaymentsKit;
beforeAll(async () => {
  kit = await createPaymentsKit();
  const { db, clock } = kit;
  settingsDashboardRoutes(kit.api, {
    db,
    clock,
    randomBytes,
    connect: () => undefined,
    liveSimulation: false,
    checkConnection: async () => [],
    publicAddress: () => 'https://pay.example',
    sendsMail: true,
  });
});
afterAll(() => kit.drop());

const limited = (currency: string, amount: number) => ({
  role: 'support',
  limits: [{ currency, amount }],
  other_currencies: 'refused',
});

const open = async () => {
  const account = await kit.openAccount();
  const owner = await kit.signIn(account, 'owner');
  const path = `/accounts/${account}/settings/refund_limits`;
  const change = (body: object) => owner.call('PATCH', path, { body });
  const as = async (role: Role) => (await kit.signIn(account, role)).call;
  return { account, owner, path, change, as };
};

describe('the limits of a role', () => {
  it('change, and the log keeps what was there before', async () => {
    const { account, owner, path, change } = await open();
    expect((await change(limited('EUR', 5000))).body).toEqual(limited('EUR', 5000));
    kit.clock.move(1);
    const limits = [{ currency: 'EUR', amount: null }];
    expect((await change({ role: 'support', limits, other_currencies: 'unlimited' })).status).toBe(200);
    expect((await owner.call('GET', path)).body.data).toEqual([
      { role: 'support', limits: [], other_currencies: 'unlimited' },
      { role: 'developer', limits: [], other_currencies: 'unlimited' },
    ]);
    const log = await kit.audit(account);
    expect(log.filter(({ action }) => action === 'refund_limits.changed')).toMatchObject([
      {
        object_id: account,
        before: { role: 'support', limits: {}, other_currencies: 'unlimited' },
        after: { role: 'support', limits: { EUR: 5000 }, other_currencies: 'refused' },
      },
      { before: { limits: { EUR: 5000 } }, after: { limits: {} } },
    ]);
  });

  it('are refused with the field at fault, and need the password again after a while', async () => {
    const { change } = await open();
    for (const [body, param] of [
      [{ ...limited('EUR', 5000), role: 'owner' }, 'role'],
      [limited('EUR', 0), 'limits[0].amount'],
      [limited('EUR', 1.5), 'limits[0].amount'],
      [limited('eur', 1), 'limits[0].currency'],
      [limited('XXX', 1), 'limits[0].currency'],
      [{ ...limited('EUR', 1), other_currencies: 'some' }, 'other_currencies'],
    ] as const) {
      expect((await change(body)).body.error, JSON.stringify(body)).toMatchObject({
        code: 'invalid_params',
        param,
      });
    }
    kit.clock.move(10 * 60_000);
    expect(codeOf(await change(limited('EUR', 1)))).toBe('confirmation_required');
  });

  it('are seen by every role, changed by owners and admins, and by nobody from elsewhere', async () => {
    const { account, path } = await open();
    for (const role of roles) {
      const { call } = await kit.signIn(account, role);
      expect((await call('GET', path)).status, role).toBe(200);
      const reply = await call('PATCH', path, { body: limited('EUR', 1) });
      expect(reply.status, role).toBe(role === 'owner' || role === 'admin' ? 200 : 403);
    }
    const { call } = await kit.signIn(await kit.openAccount(), 'owner');
    expect((await call('GET', path)).status).toBe(404);
    expect((await call('PATCH', path, { body: limited('EUR', 1) })).status).toBe(404);
  });
});

describe('a refund from the dashboard', () => {
  const refund = async (
    call: Awaited<ReturnType<PaymentsKit['signIn']>>['call'],
    at: string,
    amount: number,
  ) => {
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') };
    return call('POST', `${at}/refunds`, { body: { amount }, headers });
  };

  it('is refused above the limit of the role, before anything is begun, and says how much is allowed', async () => {
    const { account, change, as } = await open();
    await change(limited('EUR', 2000));
    const payment = await kit.addPayment(account);
    const at = `/accounts/${account}/payments/${payment}`;
    const [support, owner] = [await as('support'), await as('owner')];
    const refused = await refund(support, at, 2001);
    expect([refused.status, refused.body.error]).toMatchObject([
      422,
      {
        code: 'amount_invalid',
        param: 'amount',
        message: 'amount must be at most 20.00 EUR: your role here, support, may refund no more at once.',
      },
    ]);
    // These rows have no processor behind them, so a refund that reaches the processor call was allowed.
    expect(codeOf(await refund(support, at, 2000))).toBe('provider_not_configured');
    expect(codeOf(await refund(owner, at, 4990))).toBe('provider_not_configured');
    expect((await support('GET', at)).body.money).toMatchObject({ remaining: 4990, refund_limit: 2000 });
    expect((await owner('GET', at)).body.money).toMatchObject({ refund_limit: null });
  });

  it('is refused altogether in a currency that the role may not refund in', async () => {
    const { account, change, as } = await open();
    await change(limited('EUR', 2000));
    const payment = await kit.addPayment(account, { currency: 'USD' });
    const at = `/accounts/${account}/payments/${payment}`;
    const support = await as('support');
    expect((await refund(support, at, 1)).body.error).toMatchObject({
      param: 'amount',
      message: 'amount is refused: your role here, support, may not refund in USD.',
    });
    expect((await support('GET', at)).body).toMatchObject({
      money: { refund_limit: 0 },
      actions: { refund: { allowed: false, reason: expect.stringContaining('may not refund in USD') } },
    });
    const developer = await as('developer');
    expect(codeOf(await refund(developer, at, 1))).toBe('provider_not_configured');
  });
});
