import type { Role } from '@till/contract/dashboard';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPeopleKit, type PeopleKit } from '../test-kit.ts';
import { inviteMember } from './invitations.ts';

let kit: PeopleKit;
let account: string;
let owner: { id: string; email: string };
beforeAll(async () => {
  kit = await createPeopleKit();
});
beforeEach(async () => {
  account = await kit.openAccount();
  owner = await kit.addUser({ [account]: 'owner' });
});
afterAll(() => kit.drop());

const day = 24 * 3_600_000;

const invite = (email: string, role: Role = 'support', by = owner) => {
  const actor = { accountId: account, userId: by.id, email: by.email, audit: async () => {} };
  return inviteMember(kit.people, actor, { email, role, accountName: 'Shop', timeZone: 'UTC' });
};

it('an invitation is mailed to one address five times within 24 hours, by all members together', async () => {
  const other = await kit.addUser({ [account]: 'admin' });
  const victim = (by: typeof owner) => invite('Victim@elsewhere.example', 'viewer', by);
  for (const by of [owner, other, owner, other, owner]) await victim(by);
  await expect(victim(other)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 24 * 3600 });
  await invite('colleague@shop.example');
  kit.clock.move(day);
  await victim(owner);
});

it('an invitation counts towards the mails of an account only where it is mailed', async () => {
  /** Writes 199 invitations that ended and are otherwise like this one. */
  const repeat = ({ invitation: { id } }: Awaited<ReturnType<typeof invite>>) =>
    kit.db.query({
      text: `insert into invitations select (jsonb_populate_record(i, jsonb_build_object('id', id || '_' || n,
               'token_sha256', '\\x' || md5(id || n), 'ended_at', created_at))).*
             from invitations i cross join generate_series(1, 199) n where i.account_id = $1 and i.id = $2`,
      values: [account, id],
      scope: { accountId: account },
    });
  await repeat(await invite('jürgen@shop.example'));
  kit.clock.move(1000);
  await repeat(await invite('juergen@shop.example'));
  const beyond = { code: 'rate_limited', retryAfterSeconds: 24 * 3600 };
  await expect(invite('another@shop.example')).rejects.toMatchObject(beyond);
  expect((await invite('jürgen@shop.example')).mailed).toBe(false);
  kit.clock.move(day);
  expect((await invite('another@shop.example')).mailed).toBe(true);
});
