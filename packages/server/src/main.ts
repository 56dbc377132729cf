import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { accountCommands, clockCommands, keyCommands, userCommands } from './cli/accounts.ts';
import { processOutput } from './cli/output.ts';
import { databaseCommands, sandboxCommands } from './cli/sandbox.ts';
import { serve } from './cli/serve.ts';
import { ConfigError, readConfig } from './config.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Exit code of a wrong configuration, as sysexits.h names it. */
const exitConfiguration = 78;

const json = process.argv.includes('--json');

const program = new Command('till')
  .exitOverride()
  .configureOutput(json ? { writeErr: () => {} } : {})
  .description('A merchant payments service that a business hosts itself.')
  .version(version)
  .option('--json', 'print one JSON object, for programs')
  .showHelpAfterError();

program
  .command('serve')
  .description('serve everything: API, docs, sandbox processors, background work')
  .action(async () => {
    try {
      await serve(readConfig(process.env, process.cwd()), version, processOutput.out);
    } catch (error) {
      processOutput.fail(
        `till: ${error instanceof Error ? error.message : String(error)}`,
        error instanceof ConfigError ? exitConfiguration : 1,
      );
      process.exit();
    }
  });
accountCommands(program, processOutput);
keyCommands(program, processOutput);
userCommands(program, processOutput);
clockCommands(program, processOutput);
sandboxCommands(program, processOutput);
databaseCommands(program, processOutput);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  if (json && error.exitCode !== 0) {
    processOutput.out(JSON.stringify({ error: { code: 'invalid_usage', message: error.message } }));
  }
  process.exitCode = error.exitCode;
}
