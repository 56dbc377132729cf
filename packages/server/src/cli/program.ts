import { Command, CommanderError, Option } from 'commander';
import type { Role } from '../compose/jobs.ts';
import { ConfigError, readConfig } from '../config/config.ts';
import { messageOf } from '../lib/text/message-of.ts';
import { version } from '../lib/version.ts';
import { groups } from './groups.ts';
import { withHelpLast } from './help.ts';
import { describeInvalidValues } from './lib/invalid-value.ts';
import type { Shell } from './lib/output.ts';

/** Exit code for a configuration error (EX_CONFIG of sysexits.h). */
const exitConfiguration = 78;

function addServe(program: Command, shell: Shell): void {
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
        const config = readConfig(shell.environment, shell.folder);
        const { serveProcesses } = await import('./serve/serve-processes.ts');
        await serveProcesses(config, version, shell.out, role);
      } catch (error) {
        shell.fail(`till: ${messageOf(error)}`, error instanceof ConfigError ? exitConfiguration : 1);
        process.exit();
      }
    });
}

/** The loaders of the commands that a command line needs: the named group, or all groups for the list of commands. */
function neededFor(words: readonly string[]): readonly (typeof groups)[string][] {
  const named = words.find(
    (word) => word !== 'help' && (!word.startsWith('-') || /^(-V|--version)$/.test(word)),
  );
  if (named === 'serve' || named === '-V' || named === '--version') return [];
  const one = named !== undefined && Object.hasOwn(groups, named) ? groups[named] : undefined;
  // `completion` needs all groups for its script.
  return one === undefined || named === 'completion' ? Object.values(groups) : [one];
}

/**
 * Runs one command of `till`.
 * @param words the arguments after `till` on the command line
 */
export async function runProgram(words: readonly string[], place: Shell): Promise<void> {
  const shell = { ...place, words, skippedCells: new Map<string, string>() };
  const json = words.includes('--json');
  const program = new Command('till')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.out(text.replace(/\n$/, '')),
      writeErr: json ? () => {} : (text) => shell.fail(text.replace(/\n$/, ''), 1),
    })
    .description('A merchant payments service that a business hosts itself.')
    .version(version)
    .option('--json', 'print one JSON object, for programs')
    .showHelpAfterError();
  addServe(program, shell);
  for (const add of new Set(await Promise.all(neededFor(words).map((load) => load())))) add(program, shell);
  describeInvalidValues(program);
  const asked = withHelpLast(program, words);
  if (asked.every((word) => word.startsWith('-')) || asked.some((word) => /^(-h|--help)$/.test(word))) {
    (await import('./examples.ts')).addExamples(program);
  }
  try {
    await program.parseAsync(asked, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (json && error.exitCode !== 0) {
      // For a group without a command, commander prints the help on standard error, and its message is only "(outputHelp)".
      const isHelp = error.code === 'commander.help';
      const message = isHelp ? 'error: a command was expected; --help lists them' : error.message;
      shell.out(JSON.stringify({ error: { code: 'invalid_usage', message } }));
    }
    shell.fail('', error.exitCode);
  }
}
