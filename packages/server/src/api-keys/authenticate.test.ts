import { expect, it } from 'vitest';
import { recordDigest } from '../idempotency/claims.ts';
import type { Database } from '../store/database.ts';
import { Authenticator } from './authenticate.ts';

const row = (n: number, id: string) => ({
  n,
  id,
  tenant: 1,
  environment_tenant: 1,
  account_id: 'acct_1',
  livemode: false,
  revoked: false,
  expires_at: null,
  restriction: null,
  name: 'Shop',
  time_zone: 'UTC',
  environment: 'sandbox',
  activation: 'active',
  processor: 'processor_a',
  store_payment_method_default: false,
  clock_offset_ms: 0,
  connection_status: 'active',
  three_d_secure: 'processor',
  fingerprint: null,
});

it('a key that concurrent requests present is looked up once for all that name no idempotency key', async () => {
  const asked: (readonly (readonly unknown[])[])[] = [];
  const db = {
    query: async ({ values }: { values: readonly (readonly unknown[])[] }) => {
      asked.push(values);
      return [row(1, 'key_one'), row(2, 'key_two'), row(3, 'key_one')];
    },
  } as unknown as Database;
  const authenticator = new Authenticator(db, () => new Date());
  const idempotent = { scope: 'POST /payments', key: 'order-1' };
  const callers = await Promise.all([
    authenticator.authenticate('one'),
    authenticator.authenticate('two'),
    authenticator.authenticate('one'),
    authenticator.authenticate('one', { idempotent }),
    authenticator.authenticate('one', { idempotent }),
  ]);
  expect(callers.map(({ caller }) => caller.keyId)).toEqual([
    'key_one',
    'key_two',
    'key_one',
    'key_one',
    'key_one',
  ]);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.[1]).toEqual([null, null, recordDigest(idempotent)]);
});
