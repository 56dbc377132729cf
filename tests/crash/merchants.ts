import { randomBytes } from 'node:crypto';
import { setConnection } from '../../packages/server/src/connections/connections.ts';
import { Vault } from '../../packages/server/src/vault/vault.ts';
import type { Shop } from './client.ts';
import type { Place } from './evidence.ts';

/** Merchant accounts at the processor to which a shop's own connection leads. */
export const merchantNames = ['one', 'two'] as const;
export type MerchantName = (typeof merchantNames)[number];

const merchantOf = ({ accountId }: Pick<Shop, 'accountId'>, name: MerchantName) => `${accountId}-${name}`;

/** Every merchant account with which a shop may have been charged: the simulator's own and those of its connections. */
export const merchantsOf = (shop: Pick<Shop, 'accountId'>): readonly string[] => [
  shop.accountId,
  ...merchantNames.map((name) => merchantOf(shop, name)),
];

/** Gives a shop of processor_b the credentials of a merchant account, whatever is open under another one. */
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
