import { providers } from '@till/contract/processors';

/** Where a saved method's token stands. Names the row, so that a token copied to another row does not open. */
export const methodPlace = (accountId: string, livemode: boolean, id: string): string =>
  `payment_methods ${accountId} ${livemode ? 'live' : 'test'} ${id}`;

/** Where the signing secret of a webhook endpoint stands. */
export const endpointPlace = (accountId: string, id: string): string =>
  `webhook_endpoints ${accountId} ${id}`;

/** Where the content of a processor's notification stands until it is applied. @param id ours, not the upstream's */
export const notificationPlace = (
  accountId: string,
  livemode: boolean,
  processor: string,
  id: string,
): string => `processor_notifications ${accountId} ${livemode ? 'live' : 'test'} ${processor} ${id}`;

/** Where the credentials stand that a processor gave for an account and mode. */
export const credentialPlace = (accountId: string, livemode: boolean): string =>
  `connection_credentials ${accountId} ${livemode ? 'live' : 'test'}`;

/** Where the secret of a person's authenticator stands; it is sealed under the master key itself. */
export const userTotpPlace = (userId: string): string => `user_totp ${userId}`;

/** A column with sealed text, of a table that has `account_id`, `id` and `key_version`; both are null where it is. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** SQL that picks the rows which this line is about: `id` is unique among those of one account. */
  readonly rows: string;
  readonly place: (accountId: string, id: string) => string;
}

const notificationBody = (livemode: boolean, processor: (typeof providers)[number]): SealedColumn => ({
  table: 'processor_notifications',
  column: 'body',
  rows: `${livemode ? '' : 'not '}livemode and processor = '${processor}'`,
  place: (accountId, id) => notificationPlace(accountId, livemode, processor, id),
});

/** Everything that is sealed with the accounts' keys, for `till vault rotate`. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'payment_methods',
    column: 'token',
    rows: 'not livemode',
    place: (accountId, id) => methodPlace(accountId, false, id),
  },
  {
    table: 'payment_methods',
    column: 'token',
    rows: 'livemode',
    place: (accountId, id) => methodPlace(accountId, true, id),
  },
  { table: 'webhook_endpoints', column: 'secret', rows: 'true', place: endpointPlace },
  {
    table: 'connection_credentials',
    column: 'secrets',
    rows: 'true',
    place: (accountId, id) => credentialPlace(accountId, id === 'live'),
  },
  ...[false, true].flatMap((livemode) => providers.map((processor) => notificationBody(livemode, processor))),
];
