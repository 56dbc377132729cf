import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { ApiError } from '@till/contract';
import type { Command } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { backgroundContext } from '../../accounts/context.ts';
import { importReport } from '../../settlements/import-report.ts';
import { withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';

interface ImportOptions {
  readonly account: string;
  readonly live?: boolean;
}

/** Imports a report that lies in a file. @throws OperatorError `no_file`; `invalid_report` naming line and column */
async function importFile(shell: Shell, file: string, options: ImportOptions) {
  await access(file).catch(() => {
    throw new OperatorError('no_file', `There is no file ${file}.`);
  });
  return withDatabase(shell, async (deps) => {
    const account = await requireAccount(deps, options.account);
    const livemode = options.live === true || account.environment === 'live';
    const context = backgroundContext(account, livemode, deps.clock.now());
    try {
      return await importReport(deps, {
        tenant: context,
        processor: account.processor,
        now: context.now,
        name: basename(file),
        by: null,
        content: () => createReadStream(file),
      });
    } catch (error) {
      throw error instanceof ApiError ? new OperatorError('invalid_report', error.message) : error;
    }
  });
}

/** What the processors paid out. */
export function settlementCommands(program: Command, shell: Shell): void {
  program
    .command('settlements')
    .description("the processors' reports of what they paid out")
    .command('import')
    .description(
      'import a report and match it to payments, refunds and disputes; the same one again matches what is known by now',
    )
    .argument('<file>', 'CSV as the processor wrote it')
    .requiredOption('--account <id>')
    .option('--live', 'of live payments, whatever the environment is now')
    .action(function (this: Command, file: string, options: ImportOptions) {
      return report(this, shell, async () => {
        const {
          repeated: _repeated,
          corrected: _corrected,
          newly_matched: _newlyMatched,
          ...sums
        } = await importFile(shell, file, options);
        return sums;
      });
    });
}
