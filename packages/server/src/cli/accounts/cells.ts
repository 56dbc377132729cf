import { text } from 'node:stream/consumers';
import { sandboxSchema } from '@till/sandbox';
import type { Command } from 'commander';
import { OperatorError } from '../../accounts/accounts.ts';
import {
  addCell,
  describeCells,
  markCell,
  moveCell,
  requireCell,
  requireFreeDatabase,
  requireFreeName,
} from '../../cells/cells.ts';
import { moveAccount } from '../../cells/move/move.ts';
import { removeCell, requireRemovable } from '../../cells/move/remove-cell.ts';
import { OpenedCells } from '../../cells/opened-cells.ts';
import { readConfig } from '../../config/config.ts';
import { compareSchema, migrate, requireDurableServer, SchemaError } from '../../store/migrations/migrate.ts';
import { checkMasterKey } from '../../vault/master-keys.ts';
import { type CommandDependencies, databaseUrl, withCell, withHome, withOpen } from '../lib/connect.ts';
import { masterKeysOf } from '../lib/master-keys.ts';
import { report, type Shell } from '../lib/output.ts';
import { withProgress } from '../lib/progress.ts';

interface AddressOptions {
  readonly url: string;
}

const addressHelp = 'as DATABASE_URL, or - to read it from standard input; it is kept sealed';

/**
 * Reads the address from standard input if it is given as `-`: other users of the machine can see the arguments of a process.
 * @throws OperatorError `invalid_url`
 */
async function readAddress({ url: given }: AddressOptions): Promise<string> {
  const url = given === '-' ? (await text(process.stdin)).trim() : given;
  if (/^postgres(ql)?:\/\//.test(url)) return url;
  throw new OperatorError(
    'invalid_url',
    'An address such as postgresql://till:secret@db2:5432/till was expected.',
  );
}

/** Migrates a database to this version's schema and makes it a cell. Refuses what it can before it changes the database. */
async function add(
  shell: Shell,
  deps: CommandDependencies,
  name: string,
  options: AddressOptions,
): Promise<object> {
  await requireFreeName(deps.db, name);
  const url = await readAddress(options);
  const masterKeys = await masterKeysOf(shell);
  return withOpen(shell, url, async (db) => {
    try {
      await requireDurableServer(db);
      const { applied } = await compareSchema(db);
      if (applied > 0) await requireFreeDatabase({ ...deps, masterKeys }, { name, db });
      await migrate(db, deps.clock.now(), [sandboxSchema]);
    } catch (error) {
      throw error instanceof SchemaError ? new OperatorError('wrong_database', error.message) : error;
    }
    await checkMasterKey(db, masterKeys, deps.clock.now());
    return addCell({ ...deps, masterKeys }, { name, url, db });
  });
}

/** `till cells`: databases besides the home database, each with its own accounts. */
export function cellCommands(program: Command, shell: Shell): void {
  const cells = program.command('cells').description('databases that accounts are divided among');
  cells
    .command('add')
    .description('make an empty database a cell; running servers serve it within seconds')
    .argument('<name>')
    .requiredOption('--url <url>', addressHelp)
    .action(function (this: Command, name: string, options: AddressOptions) {
      return report(this, shell, () => withHome(shell, (deps) => add(shell, deps, name, options)));
    });
  cells
    .command('address')
    .description(
      "change where a cell's database is reached, as after a new password; servers follow within seconds",
    )
    .argument('<name>')
    .requiredOption('--url <url>', addressHelp)
    .action(function (this: Command, name: string, options: AddressOptions) {
      return report(this, shell, () =>
        withHome(shell, async (deps) => {
          const url = await readAddress(options);
          const masterKeys = await masterKeysOf(shell);
          return withOpen(shell, url, (db) => moveCell({ ...deps, masterKeys }, { name, url, db }));
        }),
      );
    });
  cells
    .command('list')
    .description('every cell with its number of accounts; home is the database of DATABASE_URL')
    .action(function (this: Command) {
      return report(this, shell, () => withHome(shell, ({ db }) => describeCells(db)));
    });
  cells
    .command('drain')
    .description('place no new accounts there; those that are there stay until they are moved')
    .argument('<name>')
    .option('--undo', 'place new accounts there again')
    .action(function (this: Command, name: string, { undo }: { undo?: boolean }) {
      const state = undo === true ? 'active' : 'draining';
      return report(this, shell, () => withHome(shell, ({ db }) => markCell(db, name, state)));
    });
  cells
    .command('remove')
    .description('take a drained cell without accounts out of the installation; its database stays')
    .argument('<name>')
    .action(function (this: Command, name: string) {
      return report(this, shell, () =>
        withHome(shell, async (deps) => {
          const cell = await requireRemovable(deps.db, name);
          return withCell(shell, deps, cell, ({ db }) => removeCell(deps.db, name, db));
        }),
      );
    });
}

export function moveCommand(accounts: Command, shell: Shell): void {
  accounts
    .command('move')
    .description(
      'move an account to another cell while it takes requests; call it again where it was broken off',
    )
    .argument('<id>')
    .requiredOption('--to <cell>')
    .action(function (this: Command, id: string, { to }: { to: string }) {
      return report(this, shell, () =>
        withProgress(this, (show) =>
          withHome(shell, async (deps) => {
            await requireCell(deps.db, to);
            const url = await databaseUrl(readConfig(shell.environment, shell.folder));
            const opened = new OpenedCells(url, await masterKeysOf(shell), deps.clock);
            try {
              const { home, clock, open } = opened;
              const onRows = (count: number) => show(`${count} rows copied`);
              return await moveAccount({ home, clock, open, onRows }, id, to);
            } finally {
              await opened.close();
            }
          }),
        ),
      );
    });
}
