import type { Role } from '@till/contract/dashboard';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeAudit } from '../audit/audit.ts';
import { findSession, removeOldSessions, startSession } from '../sign-in/sessions.ts';
import { client, createPeopleKit, type PeopleKit } from '../test-kit.ts';
import { type ActingMember, changeRole, listMembers, removeMember } from './members.ts';
import { findWorkspace } from './workspaces.ts';

let kit: PeopleKit;
let account: string;
beforeAll(async () => {
  kit = await createPeopleKit();
});
beforeEach(async () => {
  account = await kit.openAccount();
});
afterAll(() => kit.drop());

interface Person {
  readonly id: string;
  readonly email: string;
}

/** A member whose request is audited. The entry has the name of the test's action. */
function acting(user: Person, accountId = account): ActingMember {
  const actor = { type: 'user', userId: user.id, email: user.email } as const;
  return {
    accountId,
    userId: user.id,
    email: user.email,
    audit: async (entry, tx) =>
      writeAudit(
        { ...kit.people, db: tx },
        { ...entry, ...(await kit.tenant(accountId)), actor, action: 'test', ip: null },
      ),
  };
}

const member = (role: Role) => kit.addUser({ [account]: role });
const forbidden = expect.objectContaining({ code: 'forbidden', status: 403 });
const lastOwner = expect.objectContaining({ code: 'last_owner', status: 422 });
const notFound = expect.objectContaining({ code: 'not_found', status: 404 });
const roles = async () =>
  Object.fromEntries((await listMembers(kit.db, account)).map((row) => [row.user_id, row.role]));

describe('the role of a member', () => {
  it('is changed by an owner or admin, with before and after in the log', async () => {
    const [owner, admin, viewer] = [await member('owner'), await member('admin'), await member('viewer')];
    expect(await changeRole(kit.people, acting(admin), viewer.id, 'support')).toMatchObject({
      user_id: viewer.id,
      role: 'support',
    });
    await changeRole(kit.people, acting(owner), admin.id, 'developer');
    expect(await roles()).toEqual({ [owner.id]: 'owner', [admin.id]: 'developer', [viewer.id]: 'support' });
    expect(await kit.audit(account)).toContainEqual({
      action: 'test',
      email: admin.email,
      object_id: viewer.id,
      before: { email: viewer.email, role: 'viewer' },
      after: { email: viewer.email, role: 'support' },
    });
  });

  it.each(['developer', 'support', 'viewer'] as const)('is not changed by a %s', async (role) => {
    const [actor, other] = [await member(role), await member('viewer')];
    await expect(changeRole(kit.people, acting(actor), other.id, 'viewer')).rejects.toEqual(forbidden);
    await expect(changeRole(kit.people, acting(actor), actor.id, 'admin')).rejects.toEqual(forbidden);
    await expect(removeMember(kit.people, acting(actor), other.id)).rejects.toEqual(forbidden);
  });

  it('owner is given and taken by owners only', async () => {
    const [owner, admin, second] = [await member('owner'), await member('admin'), await member('owner')];
    await expect(changeRole(kit.people, acting(admin), owner.id, 'viewer')).rejects.toEqual(forbidden);
    await expect(changeRole(kit.people, acting(admin), admin.id, 'owner')).rejects.toEqual(forbidden);
    await expect(removeMember(kit.people, acting(admin), owner.id)).rejects.toEqual(forbidden);
    await changeRole(kit.people, acting(owner), admin.id, 'owner');
    await changeRole(kit.people, acting(owner), second.id, 'viewer');
    expect(await roles()).toEqual({ [owner.id]: 'owner', [admin.id]: 'owner', [second.id]: 'viewer' });
  });

  it('counts as it is now, not as it was when the request came', async () => {
    const [owner, admin, viewer] = [await member('owner'), await member('admin'), await member('viewer')];
    const actor = acting(admin);
    await removeMember(kit.people, acting(owner), admin.id);
    await expect(changeRole(kit.people, actor, viewer.id, 'admin')).rejects.toEqual(forbidden);
  });
});

describe('an account', () => {
  it('keeps one owner', async () => {
    const owner = await member('owner');
    await member('admin');
    await expect(changeRole(kit.people, acting(owner), owner.id, 'admin')).rejects.toEqual(lastOwner);
    await expect(removeMember(kit.people, acting(owner), owner.id)).rejects.toEqual(lastOwner);
    expect(await kit.audit(account)).toEqual([]);
  });

  it('keeps one owner although two take the role from each other at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      account = await kit.openAccount();
      const [one, two] = [await member('owner'), await member('owner')];
      await Promise.allSettled([
        changeRole(kit.people, acting(one), two.id, 'viewer'),
        changeRole(kit.people, acting(two), one.id, 'viewer'),
      ]);
      await Promise.allSettled([
        removeMember(kit.people, acting(one), one.id),
        removeMember(kit.people, acting(two), two.id),
      ]);
      expect(Object.values(await roles()).filter((role) => role === 'owner')).toHaveLength(1);
    }
  });

  it('is left by a member at will, and closed to them at once', async () => {
    await member('owner');
    const viewer = await member('viewer');
    expect(await findWorkspace(kit.people, viewer.id, account)).toMatchObject({ role: 'viewer' });
    await removeMember(kit.people, acting(viewer), viewer.id);
    expect(await findWorkspace(kit.people, viewer.id, account)).toBeUndefined();
  });

  it('does not see the members of another one', async () => {
    const owner = await member('owner');
    const outsider = await kit.addUser({ [await kit.openAccount()]: 'viewer' });
    await expect(changeRole(kit.people, acting(owner), outsider.id, 'viewer')).rejects.toEqual(notFound);
    await expect(removeMember(kit.people, acting(owner), outsider.id)).rejects.toEqual(notFound);
  });
});

describe('when a person was last active', () => {
  it('is of this account alone, to the minute, and also once their sessions are over', async () => {
    const elsewhere = await kit.openAccount();
    const ada = await kit.addUser({ [account]: 'owner', [elsewhere]: 'viewer' });
    const seen = async () => {
      const rows = await Promise.all([account, elsewhere].map((id) => listMembers(kit.db, id)));
      return rows.map(([row]) => row?.last_seen_at);
    };
    const { token } = await startSession(kit.people, ada, client);
    await findSession(kit.people, token);
    expect(await seen()).toEqual([null, null]);
    const first = kit.clock.now();
    await findWorkspace(kit.people, ada.id, account);
    kit.clock.move(59_999);
    await findWorkspace(kit.people, ada.id, account);
    expect(await seen()).toEqual([first, null]);
    kit.clock.move(1);
    await findWorkspace(kit.people, ada.id, account);
    const second = kit.clock.now();
    kit.clock.move(15 * 86_400_000);
    await removeOldSessions(kit.people);
    expect(await seen()).toEqual([second, null]);
    await findWorkspace(kit.people, ada.id, elsewhere);
    expect(await seen()).toEqual([second, kit.clock.now()]);
  });
});
