import { dashboardApi, rolesFor } from '@till/contract/dashboard';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mayReadReplica } from './replica-reads.ts';
import { createDashboardKit, type DashboardKit } from './test-kit.ts';

const list = { ...dashboardApi.listPayments, path: '/accounts/:account/list', answers: {} } as const;
const change = {
  id: 'change',
  method: 'POST',
  movesMoney: false,
  path: '/accounts/:account/change',
  roles: rolesFor.viewing,
  answers: {},
} as const;
const detail = { ...list, id: 'retrievePayment', path: '/accounts/:account/detail' } as const;

let lagMs: number | undefined;
let kit: DashboardKit;
let account: string;

beforeAll(async () => {
  kit = await createDashboardKit(undefined, { maxLagMs: 10_000, lagMs: () => lagMs });
  const mount = (from: string) => {
    for (const operation of [list, detail]) {
      kit.api.mount(operation, async () => ({ status: 200, text: JSON.stringify({ from }) }));
    }
  };
  mount('primary');
  kit.api.mountReplica(() => mount('standby'));
  kit.api.mount(change, async () => {
    throw new Error('after the commit');
  });
  account = await kit.openAccount();
});
afterAll(() => kit.drop());

const signIn = async () => {
  const { call } = await kit.signIn(account, 'owner');
  return (path: 'list' | 'detail', cookie?: string) =>
    call('GET', `/accounts/${account}/${path}`, cookie === undefined ? {} : { headers: { cookie } });
};

it('a list is read from a standby that is near enough, and says how old it is', async () => {
  const get = await signIn();
  lagMs = 2_300;
  const read = await get('list');
  expect([read.body, read.headers['till-data-age']]).toEqual([{ from: 'standby' }, '3']);
  lagMs = undefined;
  const other = await get('list');
  expect([other.body, other.headers['till-data-age']]).toEqual([{ from: 'primary' }, undefined]);
});

it('one thing is read from the primary', async () => {
  const get = await signIn();
  lagMs = 0;
  const reply = await get('detail');
  expect([reply.body, reply.headers['till-data-age']]).toEqual([{ from: 'primary' }, undefined]);
});

it('who has just changed something reads from the primary for as long as a standby may lag', async () => {
  lagMs = 0;
  const { call, headers } = await kit.signIn(account, 'owner');
  // Nobody knows whether the change was made, so people must also see the effects of a request that failed.
  const reply = await call('POST', `/accounts/${account}/change`);
  expect(reply.status).toBe(500);
  kit.unexpected.splice(0);
  const cookie = String(reply.headers['set-cookie']);
  expect(cookie).toBe('till_changed=1; Max-Age=11; Path=/dashboard/api; HttpOnly; SameSite=Lax');
  const sent = `${headers.cookie}; ${cookie.split(';')[0]}`;
  const after = await call('GET', `/accounts/${account}/list`, { headers: { cookie: sent } });
  expect([after.body, after.headers['till-data-age']]).toEqual([{ from: 'primary' }, undefined]);
  expect((await call('GET', `/accounts/${account}/list`)).body).toEqual({ from: 'standby' });
});

it('every list, export and figure may lag, but for what people set up and what waits for them', () => {
  const setUp = ['listTeam', 'listApiKeys', 'listWebhookEndpoints', 'listSavedViews', 'listTriggers'];
  const waiting = ['listApprovals'];
  const lists = Object.values(dashboardApi)
    .filter(({ method }) => method === 'GET')
    .filter(({ id }) => /^(list|export|search)|Figures$|Charts$|Ledger$/.test(id));
  expect(
    lists
      .filter((operation) => !mayReadReplica(operation))
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([...setUp, ...waiting].toSorted());
  const others = Object.values(dashboardApi).filter(
    (operation) => !lists.some(({ id }) => id === operation.id),
  );
  expect(others.filter(mayReadReplica)).toEqual([]);
});
