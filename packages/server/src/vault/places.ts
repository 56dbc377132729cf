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

/** Where the address of a cell's database stands; it is sealed under the master key itself. */
export const cellPlace = (name: string): string => `cells ${name}`;

/** A column with sealed text, and beside it one with the key's version; both are null where one is. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly version: 'key_version' | 'previous_key_version';
  /** The mode of the rows which this line is about; null: they belong to the account in both. */
  readonly livemode: boolean | null;
  /** SQL of what distinguishes them from their owner's others, as text; sorts them by time where it is an id. */
  readonly id: string;
  /** SQL that picks them among their owner's. */
  readonly rows: string;
  readonly place: (accountId: string, id: string) => string;
}

/** The column that says whose the rows are: a tenant's, or an account's in both modes. */
export const ownerColumn = ({ livemode }: SealedColumn): 'account_id' | 'tenant' =>
  livemode === null ? 'account_id' : 'tenant';

const ofMode = (livemode: boolean): readonly SealedColumn[] => [
  {
    table: 'payment_methods',
    column: 'token',
    version: 'key_version',
    livemode,
    id: 'id',
    rows: 'true',
    place: (accountId, id) => methodPlace(accountId, livemode, id),
  },
  {
    table: 'connection_credentials',
    column: 'secrets',
    version: 'key_version',
    livemode,
    id: 'tenant::text',
    rows: 'true',
    place: (accountId) => credentialPlace(accountId, livemode),
  },
  ...providers.map(
    (processor): SealedColumn => ({
      table: 'processor_notifications',
      column: 'body',
      version: 'key_version',
      livemode,
      id: 'id',
      rows: `processor = '${processor}'`,
      place: (accountId, id) => notificationPlace(accountId, livemode, processor, id),
    }),
  ),
];

/** Everything that is sealed with the accounts' keys, for `till vault rotate`. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'webhook_endpoints',
    column: 'secret',
    version: 'key_version',
    livemode: null,
    id: 'id',
    rows: 'true',
    place: endpointPlace,
  },
  // A secret that was replaced keeps its place, so that it need not be sealed anew when it moves to this column.
  {
    table: 'webhook_endpoints',
    column: 'previous_secret',
    version: 'previous_key_version',
    livemode: null,
    id: 'id',
    rows: 'true',
    place: endpointPlace,
  },
  ...[false, true].flatMap(ofMode),
];
