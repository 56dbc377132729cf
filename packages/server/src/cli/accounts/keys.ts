import { type GrantedPermission, grantedPermissions, limits } from '@till/contract';
import { maxOverlapSeconds } from '@till/contract/dashboard';
import { type Command, InvalidArgumentError } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import {
  createApiKey,
  type KeyOptions,
  listApiKeys,
  revokeApiKey,
  rollApiKey,
} from '../../api-keys/api-keys.ts';
import type { RequestedRestriction } from '../../api-keys/restriction.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { type CommandDependencies, withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';
import { noteOperator } from './operator-entry.ts';

const day = 24 * 3600;

function overlap(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) > maxOverlapSeconds) {
    throw new InvalidArgumentError(`a whole number of seconds from 0 to ${maxOverlapSeconds}`);
  }
  return Number(text);
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

function permissionList(text: string): GrantedPermission[] {
  const named = list(text);
  const isGranted = (name: string): name is GrantedPermission =>
    grantedPermissions.some((permission) => permission === name);
  const odd = named.find((name) => !isGranted(name));
  if (odd !== undefined || named.length === 0) {
    throw new InvalidArgumentError(`one or more of ${grantedPermissions.join(', ')}, separated by commas`);
  }
  return named.filter(isGranted);
}

function minorUnits(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) < 1 || Number(text) > limits.amountMax) {
    throw new InvalidArgumentError(`a whole number of minor units from 1 to ${limits.amountMax}`);
  }
  return Number(text);
}

const amountOrNone = (text: string) => (text === '0' ? 0 : minorUnits(text));

function endTime(text: string): string {
  const [date = ''] = /^\d{4}-\d{2}-\d{2}/.exec(text) ?? [];
  const [ms, midnight] = [Date.parse(text), Date.parse(`${date}T00:00:00Z`)];
  // `Date` accepts `2027-02-30` and moves it to another day.
  const isDay = !Number.isNaN(midnight) && isoSeconds(new Date(midnight)).startsWith(date);
  if (Number.isNaN(ms) || !isDay) throw new InvalidArgumentError('a time such as 2027-01-31T12:00:00Z');
  return isoSeconds(new Date(ms));
}

interface RestrictionOptions {
  readonly permissions?: GrantedPermission[];
  readonly maxAmount?: number;
  readonly maxDaily?: number;
  readonly approvalAbove?: number;
  readonly expires?: string;
  readonly cidr?: string[];
}

interface CreateKeyOptions extends RestrictionOptions {
  readonly account: string;
  readonly name?: string;
}

/**
 * @throws OperatorError `permissions_missing` if other restrictions are given without permissions; `invalid_address` if the list
 *   of addresses is empty, for example from an empty shell variable: such a key could be used from anywhere
 */
function restrictionOf({ permissions, ...options }: RestrictionOptions): RequestedRestriction | undefined {
  const { maxAmount, maxDaily, approvalAbove, expires, cidr } = options;
  if (cidr?.length === 0) {
    throw new OperatorError(
      'invalid_address',
      '--cidr names no address. Leave it out for a key from anywhere.',
    );
  }
  if (permissions !== undefined) {
    const limitsOfKey = { max_amount: maxAmount, max_daily: maxDaily, approval_above: approvalAbove };
    return { permissions, ...limitsOfKey, ends_at: expires, addresses: cidr };
  }
  if (Object.keys(options).length === 0) return undefined;
  throw new OperatorError(
    'permissions_missing',
    'A restricted key needs --permissions. Without it the key may do everything, and nothing else restricts it.',
  );
}

/** Creates a key and records its permissions in the account's audit log. */
const createKey = (deps: CommandDependencies, account: string, options: KeyOptions): Promise<object> =>
  deps.db.transaction(async (db) => {
    const { id, secretKey } = await createApiKey({ ...deps, db }, account, options);
    const made = (await listApiKeys(db, account)).find((key) => key.id === id);
    const { name = null, restriction = null, hint: key } = made ?? {};
    const after = { name, key, ...(restriction === null ? {} : { restriction }) };
    await noteOperator({ ...deps, db }, account, { action: 'api_key.created', objectId: id, after });
    return { id, secret_key: secretKey };
  });

export function keyCommands(program: Command, shell: Shell): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('create')
    .description("make a key of the account's current environment and print it, once")
    .requiredOption('--account <id>')
    .option('--name <name>', 'what uses it, for the list of keys')
    .option(
      '--permissions <list>',
      `makes a restricted key; of ${grantedPermissions.join(', ')}`,
      permissionList,
    )
    .option('--max-amount <n>', 'the most that it may move at once, in minor units', minorUnits)
    .option('--max-daily <n>', 'the most that it may move on a UTC day, in each currency', minorUnits)
    .option(
      '--approval-above <n>',
      'refunds, captures and payment links above it wait for a person, in minor units',
      amountOrNone,
    )
    .option('--expires <time>', 'when it ends, such as 2027-01-31T12:00:00Z', endTime)
    .option('--cidr <list>', 'addresses and networks that it may be used from', list)
    .action(function (this: Command, { account, name, ...options }: CreateKeyOptions) {
      return report(this, shell, () =>
        withDatabase(shell, (deps) =>
          createKey(deps, account, { name, restriction: restrictionOf(options) }),
        ),
      );
    });
  rollCommand(keys, shell);
  keys
    .command('revoke')
    .description('end a key: the very next request with it is refused')
    .argument('<key-id>')
    .action(function (this: Command, id: string) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          return deps.db.transaction(async (db) => {
            const account = await revokeApiKey({ ...deps, db }, id);
            await noteOperator({ ...deps, db }, account, {
              action: 'api_key.revoked',
              objectId: id,
              after: null,
            });
            return { id, revoked: true };
          });
        }),
      );
    });
  keys
    .command('list')
    .description('keys of an account, without their secrets')
    .requiredOption('--account <id>')
    .action(function (this: Command, { account }: { account: string }) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          await requireAccount(deps, account);
          return (await listApiKeys(deps.db, account)).map(
            ({ clock_offset_ms: _offset, makers: _makers, ...key }) => key,
          );
        }),
      );
    });
}

/** `till keys roll`: replaces a key and records it in the account's audit log. */
function rollCommand(keys: Command, shell: Shell): void {
  keys
    .command('roll')
    .description('replace a key by a new one of the same name, printed once; the old one ends later')
    .argument('<key-id>')
    .option(
      '--expires-in <seconds>',
      'how long the old key works on, at most 30 days; 0: not at all',
      overlap,
      day,
    )
    .action(function (this: Command, id: string, { expiresIn }: { expiresIn: number }) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          const ends = isoSeconds(new Date(deps.clock.now().getTime() + expiresIn * 1000));
          const made = await deps.db.transaction(async (db) => {
            const rolled = await rollApiKey({ ...deps, db }, id, { expiresInSeconds: expiresIn });
            const after = { new_key: rolled.id, old_key_ends: ends };
            const entry = { action: 'api_key.rolled', objectId: id, after };
            await noteOperator({ ...deps, db }, rolled.accountId, entry);
            return rolled;
          });
          return { id: made.id, secret_key: made.secretKey, old_key_ends: ends };
        }),
      );
    });
}
