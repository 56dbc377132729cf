import type { Provider } from '@till/contract';
import type { ReceivedNotification } from '../processors/port/notifications.ts';
import type { Tenant } from '../store/tenant.ts';
import { notificationPlace } from '../vault/places.ts';
import type { NotificationVault } from './dependencies.ts';
import type { NewNotification, TakenNotification } from './store.ts';

/**
 * Seals what a processor sent. Its id becomes a keyed hash, since that of a token's notification may be made of the token.
 * @returns what may be stored, listed and logged; the same id for each repeat
 */
export async function sealNotification(
  vault: NotificationVault,
  {
    accountId,
    livemode,
    processor,
  }: Pick<Tenant, 'accountId' | 'livemode'> & { readonly processor: Provider },
  { id: upstreamId, type, body }: ReceivedNotification,
): Promise<Pick<NewNotification, 'id' | 'type' | 'body' | 'keyVersion'>> {
  const id = (await vault.name(accountId, upstreamId)).toString('hex');
  const place = notificationPlace(accountId, livemode, processor, id);
  const { sealed, keyVersion } = await vault.seal(accountId, place, JSON.stringify(body));
  return { id, type, body: sealed, keyVersion };
}

/** What the processor sent, as it was parsed on receipt. @throws where it is not what was sealed for this row */
export async function openNotification(
  vault: NotificationVault,
  { accountId, livemode }: Tenant,
  { processor, id, body, key_version: keyVersion }: TakenNotification,
): Promise<unknown> {
  const place = notificationPlace(accountId, livemode, processor, id);
  return JSON.parse(await vault.open(accountId, place, body, keyVersion));
}
