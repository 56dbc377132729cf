import { type Provider, providers } from '@till/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  createAccount,
  moveClock,
  OperatorError,
  requireAccount,
  updateAccount,
} from '../../accounts/accounts.ts';
import {
  type AccountChanges,
  type AccountRow,
  type Activation,
  type CardFieldsMode,
  type Environment,
  listAccounts,
  type ThreeDSecureSetting,
} from '../../accounts/store.ts';
import { createApiKey } from '../../api-keys/api-keys.ts';
import { openAccountIn, placeOfNew, requireCell } from '../../cells/cells.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { type CommandDependencies, inEveryCell, withCell, withDatabase, withHome } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';
import { moveCommand } from './cells.ts';
import { noteOperator } from './operator-entry.ts';

const environments = ['sandbox', 'live'];
const secureSettings = ['off', 'enabled', 'always'];
const cardFieldsModes = ['default', 'first_party', 'processor'];
const activations = ['not_activated', 'active', 'suspended', 'restricted', 'closed'];

const choice = (flags: string, text: string, values: readonly string[]) =>
  new Option(flags, text).choices(values);

function show(account: AccountRow) {
  return {
    id: account.account_id,
    name: account.name,
    processor: account.processor,
    environment: account.environment,
    activation: account.activation,
    connection: account.connection_status,
    three_d_secure: account.three_d_secure,
    store_payment_method_default: account.store_payment_method_default,
    time_zone: account.time_zone,
  };
}

function seconds(text: string): number {
  const value = Number(text);
  // Ten years is far beyond every deadline, and every resulting date stays sensible.
  if (!/^\d+$/.test(text) || value < 1 || value > 315_360_000) {
    throw new InvalidArgumentError('a whole number of seconds from 1 to 315360000');
  }
  return value;
}

function flag(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('true or false');
  return text === 'true';
}

export function accountCommands(program: Command, shell: Shell): void {
  const accounts = program.command('accounts').description('merchant accounts');
  accounts
    .command('create')
    .description('open an account and print its first API key, once')
    .requiredOption('--name <name>', 'shown to staff and buyers')
    .addOption(choice('--processor <processor>', 'fixed from now on', [...providers]).makeOptionMandatory())
    .addOption(choice('--environment <environment>', 'sandbox or live', environments).default('sandbox'))
    .addOption(choice('--three-d-secure <setting>', 'of the connection', secureSettings))
    .option('--cell <name>', 'default: home, or the emptiest where home is being drained')
    .action(function (this: Command, options: CreateOptions) {
      return report(this, shell, () => openAccount(shell, options));
    });
  accounts
    .command('update')
    .description("change an account's environment, activation or connection")
    .argument('<id>')
    .addOption(choice('--environment <environment>', 'keys of the other one stop working', environments))
    .addOption(choice('--activation <status>', 'of live processing', activations))
    .addOption(choice('--three-d-secure <setting>', 'of the connection', secureSettings))
    .addOption(choice('--connection <status>', 'to the processor', ['connected', 'disconnected']))
    .option('--store-payment-method-default <boolean>', 'save methods where a customer is attached', flag)
    .addOption(choice('--card-fields <whose>', 'take live cards on the hosted page', cardFieldsModes))
    .option('--time-zone <name>', 'in which the books are kept, such as Europe/Berlin')
    .action(function (this: Command, id: string, options: UpdateOptions) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          const account = await update(deps, id, {
            environment: options.environment,
            activation: options.activation,
            three_d_secure: options.threeDSecure,
            connection_status: options.connection,
            store_payment_method_default: options.storePaymentMethodDefault,
            card_fields: options.cardFields,
            time_zone: options.timeZone,
          });
          const { cardFields } = options;
          if (cardFields === undefined) return show(account);
          return { ...show(account), card_fields: cardFields, pci_dss: pciScope[cardFields] };
        }),
      );
    });
  readingCommands(accounts, shell);
  moveCommand(accounts, shell);
}

/** Changes an account and writes the change into its audit log. */
const update = (deps: CommandDependencies, id: string, changes: AccountChanges): Promise<AccountRow> =>
  deps.db.transaction(async (db) => {
    const within = { ...deps, db };
    const before = await requireAccount(within, id);
    const after = await updateAccount(within, id, changes);
    const changed = (Object.keys(changes) as (keyof AccountChanges)[]).filter(
      (name) => before[name] !== after[name],
    );
    const only = (row: AccountRow) => Object.fromEntries(changed.map((name) => [name, row[name]]));
    if (changed.length > 0) {
      const entry = { action: 'account.changed', objectId: id, before: only(before), after: only(after) };
      await noteOperator(within, id, entry);
    }
    return after;
  });

async function openAccount(shell: Shell, options: CreateOptions): Promise<object> {
  if (options.name.trim() === '' || options.name.length > 255) {
    throw new OperatorError('invalid_name', 'A name has 1 to 255 characters.');
  }
  return withHome(shell, async (deps) => {
    const place = options.cell ?? (await placeOfNew(deps.db));
    const cell = await requireCell(deps.db, place);
    if (cell.url === null) {
      return deps.db.transaction(async (db) => {
        const account = await createAccount({ ...deps, db }, options);
        const { secretKey } = await createApiKey({ ...deps, db }, account.account_id, { name: 'First key' });
        return opened(account, secretKey);
      });
    }
    return withCell(shell, deps, cell, async ({ db }) => {
      const { account, secretKey } = await openAccountIn(deps, { name: place, db }, options);
      return { ...opened(account, secretKey), cell: place };
    });
  });
}

const opened = ({ account_id: id, name, processor, environment }: AccountRow, secretKey: string) => ({
  id,
  name,
  processor,
  environment,
  secret_key: secretKey,
});

function readingCommands(accounts: Command, shell: Shell): void {
  accounts
    .command('list')
    .description('all accounts')
    .action(function (this: Command) {
      return report(this, shell, () =>
        inEveryCell(shell, async ({ db }, cell) =>
          (await listAccounts(db)).map((account) => ({ ...show(account), cell })),
        ).then((cells) =>
          // With a single cell the output does not name it.
          cells.flatMap((all) =>
            cells.length > 1 || (shell.skippedCells?.size ?? 0) > 0
              ? all
              : all.map(({ cell: _cell, ...account }) => account),
          ),
        ),
      );
    });
  accounts
    .command('get')
    .description('one account')
    .argument('<id>')
    .action(function (this: Command, id: string) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => show(await requireAccount(deps, id))),
      );
    });
}

interface CreateOptions {
  readonly name: string;
  readonly processor: Provider;
  readonly environment: Environment;
  readonly threeDSecure?: ThreeDSecureSetting;
  readonly cell?: string;
}

/** The consequence of each setting of the card fields for the operator's PCI DSS scope. */
const pciScope: Readonly<Record<CardFieldsMode | 'default', string>> = {
  default: 'Simulators: as first_party. The real processor: as processor.',
  first_party: 'Card numbers pass through this server: it is in scope of PCI DSS as a whole (SAQ D).',
  processor:
    'Card numbers go to the processor only: SAQ A, with the scripts of the page still yours to watch.',
};

interface UpdateOptions {
  readonly timeZone?: string;
  readonly cardFields?: CardFieldsMode | 'default';
  readonly environment?: Environment;
  readonly activation?: Activation;
  readonly threeDSecure?: ThreeDSecureSetting;
  readonly connection?: 'connected' | 'disconnected';
  readonly storePaymentMethodDefault?: boolean;
}

export function clockCommands(program: Command, shell: Shell): void {
  program
    .command('clock')
    .description('time of a sandbox account')
    .command('advance')
    .description('move it forward; it never goes back')
    .requiredOption('--account <id>')
    .requiredOption('--seconds <n>', 'how far', seconds)
    .action(function (this: Command, options: { account: string; seconds: number }) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          const { account, seconds: by } = options;
          const now = await moveClock(deps, account, by, (db, moved) => {
            const after = { seconds: by, now: isoSeconds(moved) };
            const entry = { action: 'sandbox.clock_advanced', objectId: account, after };
            return noteOperator({ ...deps, db }, account, entry);
          });
          return { now: isoSeconds(now) };
        }),
      );
    });
}
