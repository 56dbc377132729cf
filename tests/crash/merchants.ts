import { randomBytes } from 'node:crypto';
import { setConnection } from '../../packages/server/src/connections/connections.ts';
import { Vault } from '../../packages/server/src/vault/vault.ts';
import type { Shop } from './client.ts';
import type { Place } from './evidence.ts';

/** The merchant accounts at the processor that a shop's own connection may use. */
export const merchantNames = ['one', 'two'] as const;
export type MerchantName = (typeof merchantNames)[number];

const merchantOf = ({ accountId }: Pick<Shop, 'accountId'>, name: MerchantName) => `${accountId}-${name}`;

/** All merchant accounts that may have charges of a shop: the simulator's default one and those of its connections. */
export const merchantsOf = (shop: Pick<Shop, 'accountId'>): readonly string[] => [
  shop.accountId,
  ...merchantNames.map((name) => merchantOf(shop, name)),
];

/** Sets the credentials of a merchant account for a shop of processor_b, even if work with another one is still open. */
export async function setMerchant(
  { db, clock, masterKeys }: Place,
  shop: Shop,
  name: MerchantName,
): Promise<void> {
  const vault = new Vault({ db, clock, randomBytes, masterKeys });
  const merchant = merchantOf(shop, name);
  const address = 'http://processor-b.invalid';
  await setConnection({ db, clock, randomBytes, vault }, shop, {
    baseUrl: address,
    disputesUrl: address,
    credentials: {
      clientId: merchant,
      clientSecret: 'secret-of-the-app',
      merchantId: merchant,
      webhookId: '1JE4291016473214C',
    },
  });
}
