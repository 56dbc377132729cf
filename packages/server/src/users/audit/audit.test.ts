import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPeopleKit, type PeopleKit } from '../test-kit.ts';
import { listAudit, writeAudit, writePersonalAudit } from './audit.ts';

let kit: PeopleKit;
beforeAll(async () => {
  kit = await createPeopleKit();
});
afterAll(() => kit.drop());

const page = (number: number, perPage = 2) => ({ page: number, perPage });

async function write(accountId: string, action: string): Promise<void> {
  await writeAudit(kit.people, {
    ...(await kit.tenant(accountId)),
    actor: { type: 'operator' },
    action,
    objectId: null,
    before: null,
    after: null,
    ip: null,
  });
}

describe('the audit log', () => {
  it('is paged newest first, between two times of which the second is not included', async () => {
    const account = await kit.openAccount();
    await write(await kit.openAccount(), 'of.another');
    const times: Date[] = [];
    for (const action of ['a.one', 'a.two', 'b.three']) {
      times.push(kit.clock.now());
      await write(account, action);
      kit.clock.move(1000);
    }
    const actions = async (filter: Parameters<typeof listAudit>[2], number = 1) => {
      const { rows, ...count } = await listAudit(kit.db, account, filter, page(number));
      return [rows.map(({ action }) => action), count];
    };
    expect(await actions({})).toEqual([['b.three', 'a.two'], { total: 3, capped: false }]);
    expect(await actions({}, 2)).toEqual([['a.one'], { total: 3, capped: false }]);
    expect(await actions({ action: 'a' })).toEqual([['a.two', 'a.one'], { total: 2, capped: false }]);
    expect(await actions({ from: times[1], to: times[2] })).toEqual([['a.two'], { total: 1, capped: false }]);
    expect(await actions({ from: new Date('2100-01-01') })).toEqual([[], { total: 0, capped: false }]);
  });

  it('is counted and paged through up to a bound, so that a page costs the same however long it is', async () => {
    const account = await kit.openAccount();
    await kit.db.query({
      text: `insert into audit_log (account_id, id, tenant, actor_type, action, created_at)
             select $1, 'aud_' || lpad(n::text, 24, '0'), $3, 'operator', 'much.done', $2
             from generate_series(1, 10001) n`,
      values: [account, kit.clock.now(), (await kit.tenant(account)).tenant],
      scope: 'everybody',
    });
    const { rows, ...count } = await listAudit(kit.db, account, {}, page(200, 50));
    expect(count).toEqual({ total: 10_000, capped: true });
    expect(rows.map(({ id }) => Number(id.slice(4)))).toEqual(Array.from({ length: 50 }, (_, n) => 51 - n));
    expect((await listAudit(kit.db, account, {}, page(201, 50))).rows).toEqual([]);
  });

  it('has what people do about themselves in each of their accounts, under one id', async () => {
    const accounts = [await kit.openAccount(), await kit.openAccount()] as const;
    const user = await kit.addUser({ [accounts[0]]: 'viewer', [accounts[1]]: 'owner' });
    await writePersonalAudit(kit.people, user, { action: 'password.changed', ip: '192.0.2.1' });
    const [one, other] = await Promise.all(
      accounts.map(async (account) => (await listAudit(kit.db, account, {}, page(1))).rows),
    );
    expect(one).toEqual(other);
    expect(one).toMatchObject([{ actor_type: 'user', email: user.email, object_id: user.id, before: null }]);
  });
});
