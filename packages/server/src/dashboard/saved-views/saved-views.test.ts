import { savedViewLimits } from '@till/contract/dashboard';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPaymentsKit, type PaymentsKit } from '../payments/test-kit.ts';

let kit: PaymentsKit;
let account: string;
type SignedIn = Awaited<ReturnType<PaymentsKit['signIn']>>;
let ada: SignedIn;

beforeAll(async () => {
  kit = await createPaymentsKit();
});
afterAll(() => kit.drop());
beforeEach(async () => {
  account = await kit.openAccount();
  ada = await kit.signIn(account, 'viewer');
});

const path = (rest = '') => `/accounts/${account}/saved_views${rest}`;
const save = ({ call }: SignedIn, name: string, query = 'status=failed', list = 'payments') =>
  call('POST', path(), { body: { list, name, query } });
const namesOf = async ({ call }: SignedIn, rest = '') =>
  (await call('GET', path(rest))).body.data.map(({ name }: { name: string }) => name);

describe('a saved view', () => {
  it('is kept for the person, by name, and can be replaced and removed', async () => {
    expect((await save(ada, ' Failed ')).body).toMatchObject({
      list: 'payments',
      name: 'Failed',
      query: 'status=failed',
    });
    await save(ada, 'a/b & ü?');
    await save(ada, 'Failed', 'status=failed&currency=EUR');
    expect(await namesOf(ada)).toEqual(['a/b & ü?', 'Failed']);
    const removed = await ada.call('DELETE', path(`/payments/${encodeURIComponent('a/b & ü?')}`));
    expect(removed.body).toEqual({ name: 'a/b & ü?', deleted: true });
    expect((await ada.call('GET', path())).body.data).toMatchObject([
      { query: 'status=failed&currency=EUR' },
    ]);
    expect((await ada.call('DELETE', path('/payments/none'))).status).toBe(404);
  });

  it('keeps four digits of a card number that somebody looked for', async () => {
    const { body } = await save(
      ada,
      '4111 1111 1111 1111',
      'q=4111+1111-1111+1111&status=failed&reference=4111111111111111',
    );
    expect(body).toMatchObject({ name: '1111', query: 'q=1111&status=failed&reference=1111' });
    const stored = await kit.db.query({ text: 'select * from saved_views', values: [], scope: 'everybody' });
    expect(JSON.stringify([stored, await kit.audit(account)])).not.toMatch(/4111/);
  });

  it('belongs to one list, one person and one account', async () => {
    await save(ada, 'Mine');
    await save(ada, 'Mine', 'status=pending', 'refunds');
    expect(await namesOf(ada, '?list=refunds')).toEqual(['Mine']);
    const bob = await kit.signIn(account, 'owner');
    expect(await namesOf(bob)).toEqual([]);
    expect((await bob.call('DELETE', path('/payments/Mine'))).status).toBe(404);
    expect(await namesOf(ada)).toEqual(['Mine', 'Mine']);
  });

  it.each([
    [{ name: '   ' }, 'name'],
    [{ name: 'x'.repeat(61) }, 'name'],
    [{ query: 'x'.repeat(2001) }, 'query'],
    [{ list: 'keys' }, 'list'],
  ])('is refused with %j', async (change, param) => {
    const body = { list: 'payments', name: 'View', query: '', ...change };
    const reply = await ada.call('POST', path(), { body });
    expect([reply.status, reply.body.error.param]).toEqual([422, param]);
  });

  it('is one of at most 50', async () => {
    for (let n = 0; n < savedViewLimits.views; n += 1) await save(ada, `View ${n}`);
    expect((await save(ada, 'One more')).status).toBe(422);
    expect((await save(ada, 'View 7', 'status=voided')).status).toBe(201);
  });

  it('stands in the log when it changes', async () => {
    await save(ada, 'Failed');
    kit.clock.move(1);
    await ada.call('DELETE', path('/payments/Failed'));
    expect((await kit.audit(account)).map(({ action, before, after }) => [action, before ?? after])).toEqual([
      ['saved_view.saved', { list: 'payments', name: 'Failed' }],
      ['saved_view.removed', { list: 'payments', name: 'Failed' }],
    ]);
  });
});
