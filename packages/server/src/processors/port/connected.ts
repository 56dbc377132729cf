import { ApiError, type Provider } from '@till/contract';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import type { ProcessorConnection, ProcessorPort } from './port.ts';

/** An adapter together with one account's connection to its upstream. */
export interface Connected {
  readonly port: ProcessorPort;
  readonly connection: ProcessorConnection;
  /** Identifies the merchant account at the processor (`identityOf`, `simulatorIdentity`). */
  readonly identity: string;
}

/** Finds an account's connection to its processor in one mode; undefined if it has none. */
export type Connect = (account: {
  readonly accountId: string;
  readonly livemode: boolean;
  readonly processor: Provider;
  readonly suspend?: Suspend | undefined;
}) => Connected | undefined;

/**
 * A row created through a processor, with the identity of the merchant account that it used. Null on rows older than this
 * column.
 */
export interface HasProcessorIdentity {
  readonly processor_identity: string | null;
}

/** Identity of the simulator. It counts as a merchant account of its own: no other one knows the objects created with it. */
export const simulatorIdentity = (merchantAccount: string): string => `simulator:${merchantAccount}`;

/** Extracts the merchant account's name from an identity, as the processor prints it on reports. */
export const merchantAccountIn = (identity: string): string => identity.slice(identity.indexOf(':') + 1);

/** All identities whose merchant account has this name. */
export const identitiesOfMerchantAccount = (name: string): string[] => [
  simulatorIdentity(name),
  ...['test', 'live'].map((environment) => `${environment}:${name}`),
];

/**
 * Whether this merchant account may be asked about the row, or may send notifications about it.
 * @param identity null: not known
 */
export const belongsToMerchant = (made: HasProcessorIdentity, identity: string | null): boolean =>
  made.processor_identity === null || identity === null || made.processor_identity === identity;

/**
 * The connection through which an object was created. Another merchant account must not be asked: its "not found" would look
 * like an answer, and a repeated key would charge again.
 * @returns undefined if the account has no connection now, or one to another merchant account
 */
export function connectionOf(
  { connect }: { readonly connect: Connect },
  account: Parameters<Connect>[0],
  made: HasProcessorIdentity,
): Connected | undefined {
  const connected = connect(account);
  return connected !== undefined && belongsToMerchant(made, connected.identity) ? connected : undefined;
}

/** Explains why this connection may not be asked about an object and what to do about it; null if it may be asked. */
export function unreachableReason(
  connected: Connected | undefined,
  made: HasProcessorIdentity,
): string | null {
  const former = made.processor_identity;
  if (former === null) return connected === undefined ? noConnection : null;
  if (connected?.identity === former) return null;
  const now =
    connected === undefined
      ? 'to which this account has no connection now'
      : `and this account is now connected to ${describeIdentity(connected.identity)}`;
  return `This was made with ${describeIdentity(former)}, ${now}. Nothing was asked. ${remedyFor(former)}`;
}

/**
 * The connection through which an object was created, for an API request.
 * @param inDoubt an earlier call got no definite answer, so the error must not read as "nothing happened"
 * @throws ApiError `provider_not_configured` if there is none, with what to do; in doubt `provider_unavailable`
 */
export function requireConnectionOf(
  { connect }: { readonly connect: Connect },
  account: Parameters<Connect>[0] & { readonly connection: { readonly connected: boolean } },
  made: HasProcessorIdentity,
  { inDoubt }: { readonly inDoubt: boolean },
): Connected {
  if (!account.connection.connected) throw inDoubt ? outcomeUnknown(null) : notConnected();
  const connected = connect(account);
  const why = unreachableReason(connected, made);
  if (connected !== undefined && why === null) return connected;
  throw inDoubt ? outcomeUnknown(why) : new ApiError('provider_not_configured', why ?? noConnection);
}

/** Error for an operation in doubt: the earlier request may have been carried out. @param why result of `unreachableReason` */
export const outcomeUnknown = (why: string | null) =>
  new ApiError('provider_unavailable', `What was asked before is being looked into. ${why ?? noConnection}`, {
    retryAfterSeconds: 2,
  });

/** Log text for an operation that stays open until the connection is restored. */
export const waitsForConnection = 'waits for the credentials of the merchant account that it was made with';

const noConnection =
  'This account has no active connection to a processor: no credentials are set for its present mode, or it was disconnected.';

export const notConnected = () => new ApiError('provider_not_configured', noConnection);

const isSimulator = (identity: string) => identity.startsWith('simulator:');

/** Describes an identity for people. */
export function describeIdentity(identity: string): string {
  if (isSimulator(identity)) return 'the simulator';
  const [environment, name] = identity.split(/:(.*)/s);
  return `the ${environment} merchant account ${name}`;
}

const remedyFor = (identity: string) =>
  isSimulator(identity)
    ? 'The simulator serves test mode without credentials of its own, and live mode with TILL_LIVE_SIMULATION=on.'
    : 'Restore its credentials with `./till connections set`, then try again.';
