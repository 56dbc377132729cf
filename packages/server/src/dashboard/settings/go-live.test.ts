import { randomBytes } from 'node:crypto';
import { goLiveRequirements } from '@till/contract/dashboard';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeAccount } from '../../accounts/store.ts';
import { createDashboardKit, type DashboardKit } from '../test-kit.ts';
import { codeOf } from '../test-things.ts';
import type { SettingsDependencies } from './dependencies.ts';
import { settingsDashboardRoutes } from './routes.ts';

let kit: DashboardKit;
/** What the operator has configured, and whether the processor accepts the credentials. */
const world = { live: false, simulated: false, address: 'http://pay.example', mail: false, accepted: false };
const asked: unknown[] = [];
/** Runs while the processor is called. */
let meanwhile: () => unknown = () => {};

beforeAll(async () => {
  kit = await createDashboardKit();
  const { db, clock } = kit;
  const connect = () => (world.live ? { connection: { baseUrl: 'https://upstream.example' } } : undefined);
  settingsDashboardRoutes(kit.api, {
    db,
    clock,
    randomBytes,
    connect: connect as unknown as SettingsDependencies['connect'],
    get liveSimulation() {
      return world.simulated;
    },
    checkConnection: async (processor) => {
      asked.push(processor);
      await meanwhile();
      return [
        { check: 'client id', ok: true, detail: 'accepted' },
        { check: 'webhook', ok: world.accepted, detail: 'leads elsewhere' },
      ];
    },
    publicAddress: () => world.address,
    get sendsMail() {
      return world.mail;
    },
  });
});
afterAll(() => kit.drop());

const everybody = { scope: 'everybody' } as const;

async function openShop() {
  const account = await kit.openAccount();
  const owner = await kit.signIn(account, 'owner');
  await kit.signIn(account, 'developer');
  const at = (rest: string) => `/accounts/${account}${rest}`;
  const { name } = (await owner.call('GET', at('/settings'))).body;
  const go = () => owner.call('POST', at('/environment'), { body: { environment: 'live', name, keys: [] } });
  const missing = async () => {
    const { body } = await owner.call('GET', at('/go_live'));
    const open = body.requirements.filter(({ done }: { done: boolean }) => !done);
    expect(body.ready).toBe(open.every(({ required }: { required: boolean }) => !required));
    return open.map(({ id }: { id: string }) => id);
  };
  const enroll = () =>
    kit.db.query({
      text: `insert into user_totp (user_id, secret, master_key_id, created_at, enabled_at)
             values ($1, '', '', now(), now())`,
      values: [owner.user.id],
      ...everybody,
    });
  /** Records that a webhook of the shop was delivered. */
  const succeed = () =>
    kit.db.query({
      text: `insert into figures (tenant, measure, at, label, count, amount)
             select tenant, 'attempts_succeeded', now(), 'we_1', 1, 0 from tenants
             where account_id = $1 and not livemode`,
      values: [account],
      ...everybody,
    });
  return { account, owner, at, go, missing, enroll, succeed };
}

it('an account goes live only when everything is done, the credentials checked with the processor included', async () => {
  const { account, owner, at, go, missing, enroll, succeed } = await openShop();
  await changeAccount(kit.db, account, { connection_status: 'disconnected' });
  const left = [...goLiveRequirements];
  const steps: Readonly<Record<(typeof left)[number], () => unknown>> = {
    two_factor: enroll,
    webhook: succeed,
    connection: () => changeAccount(kit.db, account, { connection_status: 'connected' }),
    activation: () => changeAccount(kit.db, account, { activation: 'active' }),
    credentials: () => Object.assign(world, { live: true }),
    processor_check: () => Object.assign(world, { accepted: true }),
    https: () => Object.assign(world, { address: 'https://pay.example' }),
    mail: () => Object.assign(world, { mail: true }),
  };
  while (left.length > 0) {
    expect(await missing()).toEqual(left);
    const refused = await go();
    expect([refused.status, codeOf(refused)]).toEqual([422, 'processing_not_enabled']);
    if (left[0] === 'processor_check') {
      const { requirements } = (await owner.call('GET', at('/go_live'))).body;
      expect(requirements).toContainEqual({
        id: 'processor_check',
        done: false,
        required: true,
        detail: 'webhook: leads elsewhere',
      });
    }
    const next = left.shift();
    if (next !== undefined) await steps[next]();
  }
  expect(await missing()).toEqual([]);
  asked.length = 0;
  // The processor is called again, since a page may have been open for a long time.
  Object.assign(world, { accepted: false });
  expect(codeOf(await go())).toBe('processing_not_enabled');
  expect(asked).toHaveLength(1);
  Object.assign(world, { accepted: true });
  expect((await go()).body.environment).toBe('live');
});

it('what changes while the processor is asked counts: the switch stays shut', async () => {
  Object.assign(world, {
    live: true,
    simulated: false,
    accepted: true,
    address: 'https://pay.example',
    mail: true,
  });
  const { account, go, enroll, succeed, missing } = await openShop();
  await changeAccount(kit.db, account, { activation: 'active' });
  await enroll();
  await succeed();
  expect(await missing()).toEqual([]);
  meanwhile = () => changeAccount(kit.db, account, { activation: 'not_activated' });
  expect(codeOf(await go())).toBe('processing_not_enabled');
  await changeAccount(kit.db, account, { activation: 'active' });
  meanwhile = () => changeAccount(kit.db, account, { connection_status: 'disconnected' });
  expect(codeOf(await go())).toBe('processing_not_enabled');
  await changeAccount(kit.db, account, { connection_status: 'connected' });
  meanwhile = () => {};
  expect((await go()).body.environment).toBe('live');
});

it('with simulators in place of the processors activation is enough', async () => {
  Object.assign(world, { simulated: true, live: true, address: 'http://127.0.0.1', mail: false });
  const { account, go, missing } = await openShop();
  expect(codeOf(await go())).toBe('processing_not_enabled');
  await changeAccount(kit.db, account, { activation: 'active' });
  expect(await missing()).toEqual(['two_factor', 'webhook', 'https', 'mail']);
  expect((await go()).status).toBe(200);
  Object.assign(world, { simulated: false });
});

it('an account that was live goes back to its holds and refunds, whatever is missing', async () => {
  const { account, go } = await openShop();
  Object.assign(world, { live: false });
  await changeAccount(kit.db, account, { activation: 'suspended' });
  expect((await go()).status).toBe(200);
});

it('developers see what is missing, support and viewers do not', async () => {
  const { account, at } = await openShop();
  const statusAs = async (role: 'developer' | 'support' | 'viewer') =>
    (await (await kit.signIn(account, role)).call('GET', at('/go_live'))).status;
  expect([await statusAs('developer'), await statusAs('support'), await statusAs('viewer')]).toEqual([
    200, 403, 403,
  ]);
});
