/**
 * The permissions that a restricted key can have. Each operation of the merchant API names the one that it
 * needs.
 */
export const permissions = [
  'payments:read',
  'payments:write',
  'refunds:read',
  'refunds:write',
  'customers:read',
  'customers:write',
  'disputes:read',
  'disputes:write',
  'payouts:read',
  'approvals:read',
  'events:read',
  'webhooks:read',
  'webhooks:write',
  'links:read',
  'links:write',
  'test_helpers:write',
] as const;
export type Permission = (typeof permissions)[number];

type ResourceOf<P> = P extends `${infer R}:${string}` ? R : never;

/** A permission as granted to a key. `customers:*` means both reading and writing. */
export type GrantedPermission = Permission | `${ResourceOf<Permission>}:*`;

const resourceOf = (permission: string) => permission.slice(0, permission.indexOf(':'));

/** Everything that a key can be granted. A resource's `*` precedes its single permissions. */
export const grantedPermissions: readonly GrantedPermission[] = [
  ...new Set(permissions.map(resourceOf)),
].flatMap((resource): GrantedPermission[] => [
  `${resource}:*` as GrantedPermission,
  ...permissions.filter((permission) => resourceOf(permission) === resource),
]);

/** Whether a key's permissions include the one that an operation needs. */
export const isGranted = (granted: readonly GrantedPermission[], needed: Permission): boolean =>
  granted.includes(needed) || granted.includes(`${resourceOf(needed)}:*` as GrantedPermission);
