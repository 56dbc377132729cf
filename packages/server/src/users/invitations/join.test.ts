import type { Role } from '@till/contract/dashboard';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ActingMember, changeRole, removeMember } from '../people/members.ts';
import { findUserByEmail } from '../people/users.ts';
import { findWorkspace } from '../people/workspaces.ts';
import { findSession } from '../sign-in/sessions.ts';
import { signIn } from '../sign-in/sign-in.ts';
import { client, createPeopleKit, goodPassword, type PeopleKit } from '../test-kit.ts';
import { inviteMember, listInvitations, requireInvitation, withdrawInvitation } from './invitations.ts';
import { acceptInvitation, completeSetup } from './join.ts';
import { accountsToSetUp, createSetupLink, requireSetupLink } from './setup-links.ts';

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
const notValid = expect.objectContaining({ code: 'link_not_valid', status: 404 });
const tokenOf = (url: string) => url.split('/').at(-1) ?? '';

const acting = (user: { id: string; email: string }): ActingMember => ({
  accountId: account,
  userId: user.id,
  email: user.email,
  audit: async () => {},
});

const invite = (email: string, role: Role = 'support', by = owner) =>
  inviteMember(kit.people, acting(by), { email, role, accountName: 'Shop', timeZone: 'UTC' });

const accept = (token: string, password?: string) =>
  acceptInvitation(kit.people, { token, password }, null, client, null);

const roleOf = async (email: string) => {
  const user = await findUserByEmail(kit.db, email);
  return user && (await findWorkspace(kit.people, user.id, account))?.role;
};

describe('an invitation', () => {
  it('is mailed to one person, and its link makes them a member who is signed in', async () => {
    const { url, mailed } = await invite('new.person@shop.example');
    expect(url).toMatch(/^http:\/\/till\.example\/dashboard\/invite\/[0-9A-Za-z]{43}$/);
    expect(mailed).toBe(true);
    const mails = await kit.db.query<{ to_address: string; text: string; subject: string }>({
      text: 'select to_address, subject, text from mails where account_id = $1',
      values: [account],
      scope: 'everybody',
    });
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({ to_address: 'new.person@shop.example', subject: 'Invitation to Shop' });
    expect(mails[0]?.text).toContain(url);
    expect(mails[0]?.text).toContain(owner.email);
    const { session, token } = await accept(tokenOf(url), goodPassword);
    expect(await findSession(kit.people, token)).toEqual(session);
    expect(await roleOf('new.person@shop.example')).toBe('support');
    await signIn(kit.people, { email: 'new.person@shop.example', password: goodPassword }, client, null);
    expect((await kit.audit(account)).map(({ action }) => action)).toContain('member.added');
    expect(await listInvitations(kit.db, account)).toEqual([]);
  });

  it('works once, also when it is accepted many times at once', async () => {
    const { url } = await invite('eager@shop.example');
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => accept(tokenOf(url), goodPassword)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(accept(tokenOf(url), goodPassword)).rejects.toEqual(notValid);
  });

  it('ends after seven days, when it is withdrawn, and when a newer one is made', async () => {
    const first = await invite('late@shop.example');
    const second = await invite('LATE@shop.example');
    await expect(requireInvitation(kit.people, tokenOf(first.url))).rejects.toEqual(notValid);
    await requireInvitation(kit.people, tokenOf(second.url));
    await withdrawInvitation(kit.people, acting(owner), second.invitation.id);
    await expect(accept(tokenOf(second.url), goodPassword)).rejects.toEqual(notValid);
    const third = await invite('late@shop.example');
    kit.clock.move(7 * day);
    await expect(accept(tokenOf(third.url), goodPassword)).rejects.toEqual(notValid);
    expect(await listInvitations(kit.db, account)).toMatchObject([{ id: third.invitation.id }]);
  });

  it('is not withdrawn once it was accepted', async () => {
    const { url, invitation } = await invite('faster@shop.example');
    let accepted = false;
    const { db } = kit.people;
    const slow: typeof db = {
      ...db,
      transaction: (work) =>
        db.transaction((tx) =>
          work({
            async query(statement) {
              if (!accepted && statement.text.startsWith('update invitations')) {
                accepted = true;
                await accept(tokenOf(url), goodPassword);
              }
              return tx.query(statement);
            },
          }),
        ),
    };
    const withdrawn = withdrawInvitation({ ...kit.people, db: slow }, acting(owner), invitation.id);
    await expect(withdrawn).rejects.toMatchObject({ code: 'not_found' });
    expect(await roleOf('faster@shop.example')).toBe('support');
  });

  it('ends with the authority of the member who made it', async () => {
    const [second, admin] = [
      await kit.addUser({ [account]: 'owner' }),
      await kit.addUser({ [account]: 'admin' }),
    ];
    const asOwner = await invite('own@shop.example', 'owner', second);
    const asAdmin = await invite('adm@shop.example', 'admin', second);
    const ofAdmin = await invite('dev@shop.example', 'developer', admin);
    const others = await invite('kept@shop.example', 'admin', owner);
    await changeRole(kit.people, acting(owner), second.id, 'admin');
    await expect(accept(tokenOf(asOwner.url), goodPassword)).rejects.toEqual(notValid);
    await requireInvitation(kit.people, tokenOf(asAdmin.url));
    await changeRole(kit.people, acting(owner), second.id, 'support');
    await expect(accept(tokenOf(asAdmin.url), goodPassword)).rejects.toEqual(notValid);
    await removeMember(kit.people, acting(owner), admin.id);
    await expect(accept(tokenOf(ofAdmin.url), goodPassword)).rejects.toEqual(notValid);
    await accept(tokenOf(others.url), goodPassword);
    expect(await roleOf('kept@shop.example')).toBe('admin');
  });

  it('asks somebody who exists for the password that they have', async () => {
    const other = await kit.addUser();
    const { url } = await invite(other.email);
    await expect(accept(tokenOf(url), 'a wrong password')).rejects.toMatchObject({
      code: 'invalid_credentials',
    });
    await accept(tokenOf(url), goodPassword);
    expect(await roleOf(other.email)).toBe('support');
  });

  it('asks for no password where the invited person is signed in, and does where somebody else is', async () => {
    const other = await kit.addUser();
    const [own, foreign] = [
      await signIn(kit.people, { email: other.email, password: goodPassword }, client, null),
      await signIn(kit.people, { email: owner.email, password: goodPassword }, client, null),
    ];
    const { url } = await invite(other.email);
    const as = (session: typeof own.session) =>
      acceptInvitation(kit.people, { token: tokenOf(url) }, session, client, null);
    await expect(as(foreign.session)).rejects.toMatchObject({ code: 'invalid_credentials' });
    kit.clock.move(3_600_000);
    const joined = await as(own.session);
    expect(await roleOf(other.email)).toBe('support');
    // No password was entered, so operations that require a confirmation still ask for it.
    const { createdAt, confirmedAt } = own.session;
    expect(joined.session).toMatchObject({ createdAt, confirmedAt });
    expect(await findSession(kit.people, joined.token)).toEqual(joined.session);
  });

  it('needs authority, and a person who is no member yet', async () => {
    const [admin, viewer] = [
      await kit.addUser({ [account]: 'admin' }),
      await kit.addUser({ [account]: 'viewer' }),
    ];
    const forbidden = { code: 'forbidden' };
    await expect(invite('x@shop.example', 'owner', admin)).rejects.toMatchObject(forbidden);
    await expect(invite('x@shop.example', 'viewer', viewer)).rejects.toMatchObject(forbidden);
    await expect(invite(viewer.email)).rejects.toMatchObject({ code: 'already_member', param: 'email' });
    const { invitation } = await invite('x@shop.example', 'owner');
    await expect(withdrawInvitation(kit.people, acting(admin), invitation.id)).rejects.toMatchObject(
      forbidden,
    );
    await expect(accept('unknown', goodPassword)).rejects.toEqual(notValid);
  });

  it('as an owner is not replaced by who could not withdraw it', async () => {
    const admin = await kit.addUser({ [account]: 'admin' });
    const asOwner = await invite('second.owner@shop.example', 'owner');
    await expect(invite('Second.Owner@shop.example', 'viewer', admin)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await requireInvitation(kit.people, tokenOf(asOwner.url));
    kit.clock.move(7 * day);
    const { url } = await invite('second.owner@shop.example', 'viewer', admin);
    await accept(tokenOf(url), goodPassword);
    expect(await roleOf('second.owner@shop.example')).toBe('viewer');
  });

  it('gives no mail to an address that could be read as several, but a link', async () => {
    const { url, mailed } = await invite('jürgen@shop.example');
    expect(mailed).toBe(false);
    await accept(tokenOf(url), goodPassword);
    expect(await roleOf('jürgen@shop.example')).toBe('support');
  });

  it('is logged without its token, which is kept nowhere but in the mail', async () => {
    const { url } = await invite('quiet@shop.example');
    const rows = await kit.db.query({
      text: 'select i::text as row from invitations i where account_id = $1',
      values: [account],
      scope: 'everybody',
    });
    expect(JSON.stringify(rows)).not.toContain(tokenOf(url));
  });
});

describe('the link of the first login', () => {
  const setUp = (token: string, email: string, password = goodPassword) =>
    completeSetup(kit.people, { token, email, password }, client, null);

  it('makes one person the owner of its accounts, once', async () => {
    const accounts = [await kit.openAccount(), await kit.openAccount()].toSorted();
    const { path } = await createSetupLink(kit.people, accounts);
    expect(await requireSetupLink(kit.people, tokenOf(path))).toMatchObject({
      accounts: accounts.map((id) => ({ id, name: 'Shop' })),
    });
    await expect(setUp(tokenOf(path), 'first@shop.example', 'short')).rejects.toMatchObject({
      code: 'weak_password',
    });
    const all = await Promise.allSettled([
      setUp(tokenOf(path), 'first@shop.example'),
      setUp(tokenOf(path), 'faster@shop.example'),
    ]);
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(setUp(tokenOf(path), 'third@shop.example')).rejects.toEqual(notValid);
    for (const id of accounts) {
      const entries = await kit.audit(id);
      expect(entries.filter(({ action }) => action === 'member.added')).toMatchObject([
        { after: { role: 'owner' } },
      ]);
    }
    expect(await findUserByEmail(kit.db, 'third@shop.example')).toBeUndefined();
  });

  it('ends every other link of one of its accounts when it is used', async () => {
    const [one, other, third] = [await kit.openAccount(), await kit.openAccount(), await kit.openAccount()];
    const older = await createSetupLink(kit.people, [one, third]);
    kit.clock.move(1);
    const used = await createSetupLink(kit.people, [one]);
    const elsewhere = await createSetupLink(kit.people, [other]);
    await expect(setUp('unknown', 'owner.of.links@shop.example')).rejects.toEqual(notValid);
    await setUp(tokenOf(used.path), 'owner.of.links@shop.example');
    for (const { path } of [older, used]) {
      await expect(requireSetupLink(kit.people, tokenOf(path))).rejects.toEqual(notValid);
    }
    expect(await requireSetupLink(kit.people, tokenOf(elsewhere.path))).toMatchObject({
      accounts: [{ id: other }],
    });
  });

  it('makes one owner where two people use two links of one account at once', async () => {
    const bare = await kit.openAccount();
    const links = [await createSetupLink(kit.people, [bare]), await createSetupLink(kit.people, [bare])];
    const all = await Promise.allSettled(
      links.map(({ path }, index) => setUp(tokenOf(path), `racing.owner${index}@shop.example`)),
    );
    expect(all.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(all.find(({ status }) => status === 'rejected')).toMatchObject({ reason: notValid });
  });

  it('ends after 24 hours', async () => {
    const { path } = await createSetupLink(kit.people, [account]);
    kit.clock.move(day);
    await expect(requireSetupLink(kit.people, tokenOf(path))).rejects.toEqual(notValid);
    await expect(setUp(tokenOf(path), 'late.owner@shop.example')).rejects.toEqual(notValid);
  });

  it('gives somebody who exists more only with their own password', async () => {
    const viewer = await kit.addUser({ [account]: 'viewer' });
    const { path } = await createSetupLink(kit.people, [account]);
    await expect(setUp(tokenOf(path), viewer.email, 'another long password')).rejects.toMatchObject({
      code: 'invalid_credentials',
    });
    await setUp(tokenOf(path), viewer.email);
    expect(await roleOf(viewer.email)).toBe('owner');
  });

  it('is for the accounts without an owner where none is named', async () => {
    const bare = await kit.openAccount();
    const found = await accountsToSetUp(kit.people, []);
    expect(found).toContain(bare);
    expect(found).not.toContain(account);
    expect(await accountsToSetUp(kit.people, [account])).toEqual([account]);
    await expect(accountsToSetUp(kit.people, ['acct_nothing'])).rejects.toMatchObject({
      code: 'account_not_found',
    });
  });
});
