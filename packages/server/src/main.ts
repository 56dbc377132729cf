import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { type Output, processOutput } from './cli/output.ts';
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
      const { serve } = await import('./cli/serve.ts');
      await serve(readConfig(process.env, process.cwd()), version, processOutput.out);
    } catch (error) {
      processOutput.fail(
        `till: ${error instanceof Error ? error.message : String(error)}`,
        error instanceof ConfigError ? exitConfiguration : 1,
      );
      process.exit();
    }
  });

type AddCommands = (program: Command, output: Output) => void;

/** Each is loaded only when it is asked for: a command starts in a third of the time. */
const groups: Readonly<Record<string, () => Promise<AddCommands>>> = {
  accounts: async () => (await import('./cli/accounts.ts')).accountCommands,
  keys: async () => (await import('./cli/accounts.ts')).keyCommands,
  users: async () => (await import('./cli/users.ts')).userCommands,
  clock: async () => (await import('./cli/accounts.ts')).clockCommands,
  sandbox: async () => (await import('./cli/sandbox.ts')).sandboxCommands,
  db: async () => (await import('./cli/sandbox.ts')).databaseCommands,
  notifications: async () => (await import('./cli/notifications.ts')).notificationCommands,
  disputes: async () => (await import('./cli/disputes.ts')).disputeCommands,
  mails: async () => (await import('./cli/mails.ts')).mailCommands,
  logs: async () => (await import('./cli/logs.ts')).logCommands,
  figures: async () => (await import('./cli/figures.ts')).figureCommands,
  vault: async () => (await import('./cli/vault.ts')).vaultCommands,
  reconcile: async () => (await import('./cli/reconcile.ts')).reconcileCommands,
  // Two commands, added together.
  backup: async () => (await import('./cli/backup.ts')).backupCommands,
  restore: async () => (await import('./cli/backup.ts')).backupCommands,
  webhooks: async () => (await import('./cli/webhooks.ts')).webhookCommands,
  listen: async () => (await import('./cli/listen.ts')).listenCommands,
  pagecheck: async () => (await import('./cli/pagecheck.ts')).pageCheckCommands,
  trigger: async () => (await import('./cli/trigger.ts')).triggerCommands,
};

const named = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? '';
const one = Object.hasOwn(groups, named) ? groups[named] : undefined;
const wanted = one === undefined ? Object.values(groups) : [one];
if (named !== 'serve') {
  for (const add of new Set(await Promise.all(wanted.map((load) => load())))) add(program, processOutput);
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  if (json && error.exitCode !== 0) {
    processOutput.out(JSON.stringify({ error: { code: 'invalid_usage', message: error.message } }));
  }
  process.exitCode = error.exitCode;
}
