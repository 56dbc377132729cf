import { providers } from '@till/contract/processors';

/** The place of a saved payment method's token. It names the row, so that a token copied to another row does not open. */
export const methodPlace = (accountId: string, livemode: boolean, id: string): string =>
  `payment_methods ${accountId} ${livemode ? 'live' : 'test'} ${id}`;

/** The place of a webhook endpoint's signing secret. */
export const endpointPlace = (accountId: string, id: string): string =>
  `webhook_endpoints ${accountId} ${id}`;

/** The place of a processor notification's content, which is stored until it is applied. @param id our id, not the upstream's */
export const notificationPlace = (
  accountId: string,
  livemode: boolean,
  processor: string,
  id: string,
): string => `processor_notifications ${accountId} ${livemode ? 'live' : 'test'} ${processor} ${id}`;

/** The place of the processor credentials for an account and mode. */
export const credentialPlace = (accountId: string, livemode: boolean): string =>
  `connection_credentials ${accountId} ${livemode ? 'live' : 'test'}`;

/** The place of the secret of a user's authenticator, which is sealed under the master key itself. */
export const userTotpPlace = (userId: string): string => `user_totp ${userId}`;

/** The place of the address of a cell's database, which is sealed under the master key itself. */
export const cellPlace = (name: string): string => `cells ${name}`;

/** A column with sealed text, and the column with the version of its key. Either both are null or neither is. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly version: 'key_version' | 'previous_key_version';
  /** The mode of the rows that this entry covers; null if the rows belong to the account in both modes. */
  readonly livemode: boolean | null;
  /** SQL for a text that is unique among the owner's rows. If it is an id, it also sorts the rows by time. */
  readonly id: string;
  /** SQL condition that selects the covered rows among the owner's rows. */
  readonly rows: string;
  readonly place: (accountId: string, id: string) => string;
}

/** The column with the owner of the rows: a tenant, or an account for both modes. */
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

/** All columns that are sealed with the accounts' keys, for `till vault rotate`. */
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
  // A replaced secret keeps its place, so that it need not be resealed when it moves to this column.
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
