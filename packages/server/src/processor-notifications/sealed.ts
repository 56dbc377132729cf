import type { Provider } from '@till/contract';
import type { ReceivedNotification } from '../processors/port/notifications.ts';
import type { Tenant } from '../store/tenant.ts';
import { notificationPlace } from '../vault/places.ts';
import type { NotificationVault } from './dependencies.ts';
import type { NewNotification, TakenNotification } from './store.ts';

/**
 * Encrypts a notification and replaces its id by a keyed hash, because the id of a notification about a token may contain the
 * token.
 * @returns what may be stored, listed and logged; the id is the same for each repeat
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

/** Decrypts a notification, as it was parsed on receipt. @throws Error if the content was not sealed for this row */
export async function openNotification(
  vault: NotificationVault,
  { accountId, livemode }: Tenant,
  { processor, id, body, key_version: keyVersion }: TakenNotification,
): Promise<unknown> {
  const place = notificationPlace(accountId, livemode, processor, id);
  return JSON.parse(await vault.open(accountId, place, body, keyVersion));
}
