import { afterAll, beforeAll, expect, it } from 'vitest';
import { suspendNothing } from '../../lib/waiting/suspend.ts';
import type { PasswordDependencies } from '../people/dependencies.ts';
import { resetSignIn } from '../sign-in/reset.ts';
import { endOtherSessions, findSession } from '../sign-in/sessions.ts';
import { changePassword, signIn } from '../sign-in/sign-in.ts';
import { client, createPeopleKit, goodPassword, type PeopleKit } from '../test-kit.ts';
import { inviteMember } from './invitations.ts';
import { acceptInvitation, completeSetup } from './join.ts';
import { createSetupLink } from './setup-links.ts';

let kit: PeopleKit;
beforeAll(async () => {
  kit = await createPeopleKit();
});
afterAll(() => kit.drop());

const tokenOf = (link: string) => link.split('/').at(-1) ?? '';
const reset = (email: string) => resetSignIn(kit.people, { email, authenticator: false });
const enter = (email: string) => signIn(kit.people, { email, password: goodPassword }, client, null);

/** Dependencies with which the person's password is reset right after it was compared. */
function resetAfterCompared(email: string): PasswordDependencies {
  const { passwords } = kit.people;
  const matches: typeof passwords.matches = async (hash, password) => {
    const same = await passwords.matches(hash, password, suspendNothing);
    await reset(email);
    return same;
  };
  return {
    ...kit.people,
    passwords: Object.assign(Object.create(passwords) as typeof passwords, { matches }),
  };
}

async function invite() {
  const account = await kit.openAccount();
  const owner = await kit.addUser({ [account]: 'owner' });
  const person = await kit.addUser();
  const { url } = await inviteMember(
    kit.people,
    { accountId: account, userId: owner.id, email: owner.email, audit: async () => {} },
    { email: person.email, role: 'admin', accountName: 'Shop', timeZone: 'UTC' },
  );
  return { person, token: tokenOf(url) };
}

const refused = { code: 'invalid_credentials' };

it('an invitation is not accepted with a password that is reset meanwhile', async () => {
  const { person, token } = await invite();
  const joining = acceptInvitation(
    resetAfterCompared(person.email),
    { token, password: goodPassword },
    null,
    client,
    null,
  );
  await expect(joining).rejects.toMatchObject(refused);
});

it('a setup link is not used with a password that is reset meanwhile', async () => {
  const account = await kit.openAccount();
  const person = await kit.addUser();
  const { path } = await createSetupLink(kit.people, [account]);
  const options = { token: tokenOf(path), email: person.email, password: goodPassword };
  const joining = completeSetup(resetAfterCompared(person.email), options, client, null);
  await expect(joining).rejects.toMatchObject(refused);
});

it('a session that has ended neither accepts an invitation nor changes the password', async () => {
  const { person, token } = await invite();
  const ended = await enter(person.email);
  const mine = await enter(person.email);
  await endOtherSessions(kit.db, person.id, mine.session.id);
  const joining = acceptInvitation(kit.people, { token }, ended.session, client, ended.token);
  await expect(joining).rejects.toMatchObject({ code: 'not_signed_in' });
  const options = { currentPassword: goodPassword, newPassword: 'quite another one 77' };
  const changing = changePassword(kit.people, ended.session, options, client);
  await expect(changing).rejects.toMatchObject({ code: 'not_signed_in' });
  expect(await findSession(kit.people, mine.token)).toBeDefined();
});
