import { execFileSync } from 'node:child_process';
import { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { completionScript } from './completion.ts';
import { addExamples, examples } from './examples.ts';
import { groups } from './groups.ts';
import { withProgress } from './lib/progress.ts';
import { runProgram } from './program.ts';

const quiet = { environment: {}, folder: '', out: () => {}, fail: () => {} };
let program: Command;

/** The whole program; what would run is replaced by noting that it would. */
async function build(ran: string[] = []): Promise<Command> {
  const root = new Command('till').exitOverride().option('--json');
  root.command('serve').description('serve everything').option('--role <role>');
  const adders = await Promise.all(Object.values(groups).map((load) => load()));
  for (const add of new Set(adders)) add(root, quiet);
  const prepare = (command: Command, path: string) => {
    command.exitOverride().configureOutput({ writeErr: () => {} });
    if (command.commands.length === 0) command.action(() => void ran.push(path));
    for (const child of command.commands) prepare(child, `${path} ${child.name()}`);
  };
  prepare(root, 'till');
  return root;
}

function leavesOf(command: Command, path: string): string[] {
  if (command.commands.length === 0) return [path];
  return command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`));
}

beforeAll(async () => {
  program = await build();
});

/** The words after `till` in an example, as a shell would pass them. */
function wordsOf(example: string): string[] {
  const [, line = ''] = /(?:^|[ (])till ([^|()]*)/.exec(example) ?? [];
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, inQuotes, plain = '']) => inQuotes ?? plain);
}

describe('help', () => {
  it('has an example for every command, and none for a command that is not there', () => {
    expect(Object.keys(examples).toSorted()).toEqual(leavesOf(program, 'till').toSorted());
  });

  it.each(Object.entries(examples))('of %s shows what the program takes', async (path, lines) => {
    for (const line of lines) {
      const ran: string[] = [];
      const key =
        /till (listen|trigger|mcp)/.test(line) && !line.includes('--api-key') ? ['--api-key', 'k'] : [];
      await (await build(ran)).parseAsync([...wordsOf(line), ...key], { from: 'user' });
      expect(ran, line).toEqual([path]);
    }
  });

  it('stands below the options of a command', async () => {
    const helped = await build();
    addExamples(helped);
    const lines: string[] = [];
    const resend = helped.commands.find((one) => one.name() === 'events')?.commands.at(-1);
    resend?.configureOutput({ writeOut: (text) => lines.push(text) }).outputHelp();
    expect(lines.join('')).toContain('till events resend evt_');
  });
});

/** What bash would offer after these words. */
function offered(...words: string[]): string[] {
  const script = `${completionScript(program, 'bash')}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _till; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', script, 'bash', 'till', ...words], { encoding: 'utf8' });
  return out.trim().split('\n');
}

describe('completion', () => {
  it('offers commands, their commands, options and the values of options', () => {
    expect(offered('acc')).toEqual(['accounts']);
    expect(offered('events', '')).toEqual(expect.arrayContaining(['list', 'get', 'resend', '--json']));
    expect(offered('accounts', 'create', '--pro')).toEqual(['--processor']);
    expect(offered('accounts', 'create', '--processor', '')).toEqual(['processor_a', 'processor_b']);
    expect(offered('completion', 'f')).toEqual(['fish']);
    expect(offered('accounts', '--json', 'cre')).toEqual(['create']);
  });

  it.each(['zsh', 'fish'])('in %s names every command', (shell) => {
    const script = completionScript(program, shell) ?? '';
    for (const path of leavesOf(program, 'till')) expect(script).toContain(path);
    // Every quote that is opened is closed on its line.
    for (const line of script.split('\n')) {
      expect(line.replaceAll(/'\\''|\\'/g, '').split("'").length % 2, line).toBe(1);
    }
  });

  it('knows no other shell', () => {
    expect(completionScript(program, 'tcsh')).toBeUndefined();
  });
});

describe('progress', () => {
  const shown = async (terminal: { isTTY?: boolean }, ...flags: string[]) => {
    const written: string[] = [];
    const command = new Command().option('--json').action(function (this: Command) {
      return withProgress(this, async (show) => show('3 files'), {
        ...terminal,
        write: (text) => written.push(text),
      });
    });
    await command.parseAsync(flags, { from: 'user' });
    return written;
  };

  it('is one line of a terminal that is gone in the end', async () => {
    const written = await shown({ isTTY: true });
    expect(written[0]).toContain('3 files');
    expect(written.at(-1)).toBe('\r\u001b[K');
  });

  it('is shown to nobody but a person', async () => {
    expect(await shown({})).toEqual([]);
    expect(await shown({ isTTY: true }, '--json')).toEqual([]);
  });
});

it('a group without a command is a wrong use that --json names', async () => {
  const printed: string[] = [];
  const exitCodes: number[] = [];
  await runProgram(['accounts', '--json'], {
    ...quiet,
    out: (text) => void printed.push(text),
    fail: (_text, exitCode) => void exitCodes.push(exitCode),
  });
  expect(printed.map((text) => JSON.parse(text))).toEqual([
    { error: { code: 'invalid_usage', message: expect.stringContaining('a command was expected') } },
  ]);
  expect(exitCodes).toEqual([1]);
});
