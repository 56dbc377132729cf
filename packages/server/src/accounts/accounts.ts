import type { Provider } from '@till/contract';
import type { Clock } from '../lib/clock.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import { isTimeZone } from '../lib/time-zone.ts';
import { capabilitiesOf } from '../processors/registry.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { TenantId } from '../store/tenant.ts';
import type { Environment, ThreeDSecureSetting } from './store.ts';
import {
  type AccountChanges,
  type AccountRow,
  advanceClock,
  changeAccount,
  findAccount,
  insertAccount,
} from './store.ts';

export { lockAccount } from './sql.ts';
export { modesOf } from './store.ts';

/** An operator's mistake at the command line; `code` is stable for programs. */
export class OperatorError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface AccountDependencies {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** Registers a new key in the directory before it is created, if the account is in another cell than the home cell. */
  readonly enterKey?: EnterKey | undefined;
}

/** @param hash the SHA-256 of the key */
export type EnterKey = (accountId: string, hash: Buffer) => Promise<void>;

/** Opens a merchant account with its one connection. The default for 3-D Secure depends on the processor. */
export async function createAccount(
  deps: AccountDependencies,
  options: {
    name: string;
    processor: Provider;
    environment: Environment;
    threeDSecure?: ThreeDSecureSetting | undefined;
    /** The numbers of the test and live tenants, if the account is not opened in the home cell. */
    tenants?: readonly [TenantId, TenantId];
  },
): Promise<AccountRow> {
  const now = deps.clock.now();
  const account = {
    account_id: newId('acct', now, deps.randomBytes),
    name: options.name,
    processor: options.processor,
    environment: options.environment,
    activation: 'not_activated' as const,
    store_payment_method_default: true,
    time_zone: 'UTC',
    clock_offset_ms: 0,
    created_at: now,
    connection_status: 'connected' as const,
    three_d_secure: options.threeDSecure ?? capabilitiesOf(options.processor).threeDSecureDefault,
    card_fields: 'default' as const,
  };
  return insertAccount(deps.db, account, options.tenants);
}

/** @throws OperatorError `account_not_found` */
export async function requireAccount(
  deps: Pick<AccountDependencies, 'db'>,
  accountId: string,
): Promise<AccountRow> {
  const account = await findAccount(deps.db, accountId);
  if (account === undefined) {
    throw new OperatorError('account_not_found', `There is no account ${accountId}.`);
  }
  return account;
}

/** @throws OperatorError `account_not_found`, `invalid_time_zone` */
export async function updateAccount(
  deps: AccountDependencies,
  accountId: string,
  changes: AccountChanges,
): Promise<AccountRow> {
  if (changes.time_zone !== undefined && !isTimeZone(changes.time_zone)) {
    throw new OperatorError('invalid_time_zone', 'A time zone is a name such as Europe/Berlin or UTC.');
  }
  await changeAccount(deps.db, accountId, changes);
  return requireAccount(deps, accountId);
}

/** How far ahead of real time a sandbox clock may be: 20 years of 365.25 days (decisions, "Sandbox"). */
const maxSecondsAhead = 631_152_000;

/** Writes more data in the transaction that moves a clock. @param now the account's time after the move */
export type WithClockMove = (tx: Queryable, now: Date) => Promise<void>;

/**
 * Moves a sandbox account's clock forward; it never goes back. Pending webhook retries become due earlier by the same amount.
 * @param seconds a positive integer
 * @returns the account's time after the move
 * @throws OperatorError `account_not_found`, `not_sandbox`; `invalid_params` if it would be more than 20 years ahead
 */
export async function moveClock(
  deps: AccountDependencies & { readonly db: Database },
  accountId: string,
  seconds: number,
  inside: WithClockMove = async () => {},
): Promise<Date> {
  const account = await requireAccount(deps, accountId);
  if (account.environment !== 'sandbox') {
    throw new OperatorError(
      'not_sandbox',
      `${accountId} is live: only a sandbox account's clock can be moved.`,
    );
  }
  const now = deps.clock.now();
  const move = { by: seconds * 1000, max: maxSecondsAhead * 1000, now };
  const offset = await advanceClock(deps.db, accountId, move, (tx, offsetMs) =>
    inside(tx, new Date(now.getTime() + offsetMs)),
  );
  if (offset === undefined) {
    const left = Math.max(0, maxSecondsAhead - Math.ceil(account.clock_offset_ms / 1000));
    throw new OperatorError(
      'invalid_params',
      `seconds must be at most ${left} here: a sandbox clock ends 20 years ahead of real time.`,
    );
  }
  return new Date(now.getTime() + offset);
}
