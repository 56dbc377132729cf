import { defaultRoleApprovals, type Role } from '@till/contract/dashboard';
import { describe, expect, it } from 'vitest';
import { type Deciders, obstacleTo } from './deciders.ts';

/** An account whose key `key_1` was made by these people. The last of them has its secret. */
const account = (
  people: Readonly<Record<string, Role>>,
  makers: readonly string[],
  above: Partial<Deciders['above']> = {},
): Deciders => ({
  members: Object.entries(people).map(([user_id, role]) => ({ user_id, role })),
  keys: new Map([['key_1', { name: 'Agent', makers }]]),
  above: { ...defaultRoleApprovals, ...above },
});
const asked = { amount: 5000, requested_by: 'key_1' };
const mayApprove = (deciders: Deciders, request = asked) =>
  deciders.members
    .filter(({ user_id: userId, role }) => obstacleTo(deciders, request, { userId, role }) === null)
    .map(({ user_id: userId }) => userId);

describe('what stands against an approval of what a key asked for', () => {
  it.each<[string, Deciders, string[]]>([
    ['nothing, of a key of the operator', account({ ann: 'owner', ben: 'admin' }, []), ['ann', 'ben']],
    ['that one made the key', account({ ann: 'owner', ben: 'admin' }, ['ann']), ['ben']],
    [
      'that one made the key before it',
      account({ ann: 'owner', ben: 'admin', cis: 'admin' }, ['ann', 'ben']),
      ['cis'],
    ],
    [
      'that one has its secret, where all made it or the one before',
      account({ ann: 'owner', ben: 'admin' }, ['ann', 'ben']),
      ['ann'],
    ],
    ['nothing, where nobody else is there', account({ ann: 'owner' }, ['ann']), ['ann']],
    [
      'nothing, where the others have roles that decide nothing',
      account({ ann: 'owner', sue: 'support', dan: 'developer', vic: 'viewer' }, ['ann']),
      ['ann', 'sue', 'dan', 'vic'],
    ],
    [
      'nothing, where the others would have to ask themselves',
      account({ ann: 'owner', ben: 'admin' }, ['ann'], { admin: 4999 }),
      ['ann'],
    ],
    [
      'that one made the key, where the others need not ask for this amount',
      account({ ann: 'owner', ben: 'admin' }, ['ann'], { admin: 5000 }),
      ['ben'],
    ],
    ['nothing, where who made it has left', account({ ann: 'owner' }, ['ben']), ['ann']],
  ])('is %s', (_what, deciders, expected) => {
    expect(mayApprove(deciders)).toEqual(expected);
  });
});

it('a person does not approve their own request, unless nobody else could', () => {
  const byBen = { amount: 5000, requested_by: 'ben' };
  expect(mayApprove(account({ ann: 'owner', ben: 'admin' }, []), byBen)).toEqual(['ann']);
  expect(mayApprove(account({ ben: 'owner' }, []), byBen)).toEqual(['ben']);
});
