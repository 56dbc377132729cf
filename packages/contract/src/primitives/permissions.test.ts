import { describe, expect, it } from 'vitest';
import { merchantApi } from '../api/merchant-api.ts';
import { eventStream } from '../documented/event-stream.ts';
import { grantedPermissions, isGranted, permissions } from './permissions.ts';

const operations = [...Object.values(merchantApi), eventStream];

describe('the permission of an operation', () => {
  it.each(operations.map((operation) => [operation.id, operation] as const))(
    'of %s is one that a key can be given, reading where it is a GET and writing elsewhere',
    (_id, { method, permission }) => {
      expect(permissions).toContain(permission);
      expect(permission).toMatch(method === 'GET' ? /:read$/ : /:write$/);
    },
  );
});

describe('what a key is given', () => {
  it('covers a permission by itself or by the * of its resource', () => {
    expect(isGranted(['refunds:write'], 'refunds:write')).toBe(true);
    expect(isGranted(['refunds:*'], 'refunds:write')).toBe(true);
    expect(isGranted(['refunds:*'], 'refunds:read')).toBe(true);
    expect(isGranted(['refunds:read', 'payments:*'], 'refunds:write')).toBe(false);
    expect(isGranted([], 'refunds:read')).toBe(false);
  });

  it('can be everything that an operation needs, and a * for each resource', () => {
    for (const permission of permissions) expect(grantedPermissions).toContain(permission);
    expect(grantedPermissions.filter((name) => name.endsWith(':*'))).toHaveLength(
      new Set(permissions.map((name) => name.split(':')[0])).size,
    );
  });
});
