import type { Role } from '@till/contract/dashboard';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPeopleKit, goodPassword, type PeopleKit } from '../test-kit.ts';
import { createUser } from './create-user.ts';
import { createSetupLink, requireSetupLink } from './setup-links.ts';

let kit: PeopleKit;
beforeAll(async () => {
  kit = await createPeopleKit();
});
afterAll(() => kit.drop());

const tokenOf = ({ path }: { path: string }) => path.split('/').at(-1) ?? '';

it('an owner who is made at the command line ends the links of the account, somebody else does not', async () => {
  const [one, other, third] = [await kit.openAccount(), await kit.openAccount(), await kit.openAccount()];
  const link = tokenOf(await createSetupLink(kit.people, [one, other]));
  const elsewhere = tokenOf(await createSetupLink(kit.people, [third]));
  const create = (role: Role) =>
    createUser(kit.people, {
      accountId: other,
      email: `${role}@shop.example`,
      password: goodPassword,
      role,
    });
  await create('admin');
  await requireSetupLink(kit.people, link);
  await create('owner');
  await expect(requireSetupLink(kit.people, link)).rejects.toMatchObject({ code: 'link_not_valid' });
  await requireSetupLink(kit.people, elsewhere);
});
