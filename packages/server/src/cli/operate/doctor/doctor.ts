import type { Command } from 'commander';
import { ConfigError, readConfig } from '../../../config/config.ts';
import { unknownSettings } from '../../../config/unknown-settings.ts';
import { asTable, report, type Shell } from '../../lib/output.ts';
import { withProgress } from '../../lib/progress.ts';
import { checkDatabase } from './database.ts';
import { type Finding, ok, warn } from './finding.ts';
import { checkMachine } from './machine.ts';
import { checkMail, checkRedis, checkServer, checkTelemetry } from './neighbours.ts';
import { checkStandbys } from './standbys.ts';

interface Diagnosis {
  readonly ok: boolean;
  readonly checks: readonly Finding[];
}

/** Finds misspelt settings: the server ignores them and starts all the same. */
function checkNames({ environment }: Shell): Finding {
  const unknown = unknownSettings(environment);
  return unknown.length === 0
    ? ok('settings', 'all understood')
    : warn('settings', `nothing reads ${unknown.join(', ')}`, 'correct the name, or remove it');
}

/** Runs every check that the environment allows, one after the other. A failed check does not prevent the next one. */
async function examine(shell: Shell, show: (text: string) => void): Promise<Diagnosis> {
  const checks: Finding[] = [];
  let config: ReturnType<typeof readConfig>;
  try {
    config = readConfig(shell.environment, shell.folder);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.faults.map(({ name, got, expected }) => `${name}: got ${got}, expected ${expected}`);
    return {
      ok: false,
      checks: faults.map((detail) => ({ check: 'settings', state: 'fail', detail, todo: 'correct it' })),
    };
  }
  checks.push(checkNames(shell));
  const steps = {
    'this machine': checkMachine,
    'the database': checkDatabase,
    'its standbys': checkStandbys,
    'the server': checkServer,
    'the mail server': checkMail,
    'the shared rate limits': checkRedis,
    'the collector of traces': checkTelemetry,
  };
  for (const [name, step] of Object.entries(steps)) {
    show(`looking at ${name}`);
    checks.push(...(await step(config)));
  }
  return { ok: checks.every(({ state }) => state !== 'fail'), checks };
}

const marks = { ok: 'ok', warn: 'look', fail: 'WRONG' };

const asText = ({ ok: isOk, checks }: Diagnosis) => {
  const open = checks.filter(({ todo }) => todo !== null);
  return [
    asTable(checks.map(({ check, state, detail }) => ({ state: marks[state], check, found: detail }))),
    ...(open.length === 0 ? [] : ['', 'What to do:']),
    ...open.map(({ check, todo }) => `  ${check}: ${todo}`),
    '',
    isOk ? 'Nothing is wrong.' : 'Something is wrong: see above.',
  ].join('\n');
};

export function doctorCommands(program: Command, shell: Shell): void {
  program
    .command('doctor')
    .description(
      'look for what is wrong with this installation; changes nothing; exit code 1 where something is',
    )
    .action(async function (this: Command) {
      await report(
        this,
        shell,
        () =>
          withProgress(this, async (show) => {
            const diagnosis = await examine(shell, show);
            if (!diagnosis.ok) shell.fail('', 1);
            return diagnosis;
          }),
        asText,
      );
    });
}
