import { ApiError, type Provider } from '@till/contract';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import type { ProcessorConnection, ProcessorPort } from './port.ts';

/** An adapter bound to one account's way to its upstream. */
export interface Connected {
  readonly port: ProcessorPort;
  readonly connection: ProcessorConnection;
  /** Names the merchant account at the processor (`identityOf`, `simulatorIdentity`). */
  readonly identity: string;
}

/** Finds the way to an account's processor in one mode; undefined where it has none. */
export type Connect = (account: {
  readonly accountId: string;
  readonly livemode: boolean;
  readonly processor: Provider;
  readonly suspend?: Suspend | undefined;
}) => Connected | undefined;

/** A row that was made with a processor: by which merchant account there. Null on rows of before this was kept. */
export interface MadeAtProcessor {
  readonly processor_identity: string | null;
}

/** The simulator is a merchant account of its own: what was made with it is unknown elsewhere. */
export const simulatorIdentity = (merchantAccount: string): string => `simulator:${merchantAccount}`;

/** The name of the merchant account in an identity, as the processor prints it on reports. */
export const merchantAccountIn = (identity: string): string => identity.slice(identity.indexOf(':') + 1);

/** Every identity in which a merchant account has this name. */
export const identitiesNamed = (name: string): string[] => [
  simulatorIdentity(name),
  ...['test', 'live'].map((environment) => `${environment}:${name}`),
];

/** Whether this merchant account may be asked about the row, or notify us of it. @param identity null: not known */
export const isOfMerchant = (made: MadeAtProcessor, identity: string | null): boolean =>
  made.processor_identity === null || identity === null || made.processor_identity === identity;

/**
 * The way to the processor by which something was made. Another merchant account there knows nothing of it: its "not
 * found" would pass for an answer, and a repeated key would charge again.
 * @returns undefined where the account has no connection now, or one of another merchant account
 */
export function connectionOf(
  { connect }: { readonly connect: Connect },
  account: Parameters<Connect>[0],
  made: MadeAtProcessor,
): Connected | undefined {
  const connected = connect(account);
  return connected !== undefined && isOfMerchant(made, connected.identity) ? connected : undefined;
}

/** Why this connection may not be asked about something, and what to do, in words for people; null where it may. */
export function whyUnreachable(connected: Connected | undefined, made: MadeAtProcessor): string | null {
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
 * The way to the processor by which something was made, for a request.
 * @param inDoubt the processor was asked before without an answer, so a refusal must not read as "nothing happened"
 * @throws ApiError `provider_not_configured` where there is none, saying what to do; in doubt `provider_unavailable`
 */
export function requireConnectionOf(
  { connect }: { readonly connect: Connect },
  account: Parameters<Connect>[0] & { readonly connection: { readonly connected: boolean } },
  made: MadeAtProcessor,
  { inDoubt }: { readonly inDoubt: boolean },
): Connected {
  if (!account.connection.connected) throw inDoubt ? outcomeUnknown(null) : notConnected();
  const connected = connect(account);
  const why = whyUnreachable(connected, made);
  if (connected !== undefined && why === null) return connected;
  throw inDoubt ? outcomeUnknown(why) : new ApiError('provider_not_configured', why ?? noConnection);
}

/** What was asked before may have been carried out. @param why `whyUnreachable` */
export const outcomeUnknown = (why: string | null) =>
  new ApiError('provider_unavailable', `What was asked before is being looked into. ${why ?? noConnection}`, {
    retryAfterSeconds: 2,
  });

/** What logs say of an operation that is left open until the connection is restored. */
export const waitsForConnection = 'waits for the credentials of the merchant account that it was made with';

const noConnection =
  'This account has no active connection to a processor: no credentials are set for its present mode, or it was disconnected.';

export const notConnected = () => new ApiError('provider_not_configured', noConnection);

const isSimulator = (identity: string) => identity.startsWith('simulator:');

/** An identity in words. */
export function describeIdentity(identity: string): string {
  if (isSimulator(identity)) return 'the simulator';
  const [environment, name] = identity.split(/:(.*)/s);
  return `the ${environment} merchant account ${name}`;
}

const remedyFor = (identity: string) =>
  isSimulator(identity)
    ? 'The simulator serves test mode without credentials of its own, and live mode with TILL_LIVE_SIMULATION=on.'
    : 'Restore its credentials with `./till connections set`, then try again.';
