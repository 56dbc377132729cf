import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { groups } from './cli/groups.ts';
import { processOutput } from './cli/output.ts';
import type { Role } from './compose/jobs.ts';
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
  .addOption(
    new Option('--role <role>', 'web: answer requests only; worker: work in the background only')
      .choices(['all', 'web', 'worker'])
      .default('all'),
  )
  .action(async ({ role }: { role: Role }) => {
    try {
      const config = readConfig(process.env, process.cwd());
      const { serveProcesses } = await import('./cli/serve-processes.ts');
      await serveProcesses(config, version, processOutput.out, role);
    } catch (error) {
      processOutput.fail(
        `till: ${error instanceof Error ? error.message : String(error)}`,
        error instanceof ConfigError ? exitConfiguration : 1,
      );
      process.exit();
    }
  });

const named = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? '';
const one = Object.hasOwn(groups, named) ? groups[named] : undefined;
// Completion is about all of them.
const wanted = one === undefined || named === 'completion' ? Object.values(groups) : [one];
if (named !== 'serve') {
  for (const add of new Set(await Promise.all(wanted.map((load) => load())))) add(program, processOutput);
}
if (named === '' || process.argv.some((argument) => /^(-h|--help|help)$/.test(argument))) {
  (await import('./cli/examples.ts')).addExamples(program);
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
