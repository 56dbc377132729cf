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

/** Builds the whole program, but every command only records that it ran. */
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

/** The arguments after `till` in an example, split as a shell would split them. */
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

describe('help on a command', () => {
  async function run(...words: string[]) {
    const printed: string[] = [];
    let exit = 0;
    await runProgram(words, {
      ...quiet,
      out: (text) => void printed.push(text),
      fail: (text, exitCode) => {
        printed.push(text);
        exit = exitCode;
      },
    });
    return { printed: printed.join('\n'), exit };
  }

  it.each([
    ['help nonsense', "unknown command 'nonsense'"],
    ['nonsense --help', "unknown command 'nonsense'"],
    ['--help nonsense', "unknown command 'nonsense'"],
    ['help accounts nonsense', "unknown command 'nonsense'"],
    ['accounts help nonsense', "unknown command 'nonsense'"],
    ['accounts nonsense --help', "unknown command 'nonsense'"],
    ['help account', 'Did you mean accounts?'],
  ])('that is not there, "till %s", is a wrong use that names it', async (line, message) => {
    const { printed, exit } = await run(...line.split(' '));
    expect(printed).toContain(message);
    expect(exit).toBe(1);
  });

  it.each([
    'help accounts create',
    'accounts help create',
    'accounts create --help',
    '--help accounts create',
    'accounts create --name help --help',
  ])('is the same however it is asked for: "till %s"', async (line) => {
    expect(await run(...line.split(' '))).toEqual(await run('accounts', 'create', '-h'));
  });

  it('is named to a program that asked with --json', async () => {
    const { printed, exit } = await run('help', 'nonsense', '--json');
    expect(JSON.parse(printed.trim())).toMatchObject({
      error: { code: 'invalid_usage', message: expect.stringContaining('nonsense') },
    });
    expect(exit).toBe(1);
  });

  it('lists all commands where none is named', async () => {
    const { printed, exit } = await run('help');
    expect(printed).toContain('First steps');
    expect(printed).toContain('till [options] [command]');
    expect(exit).toBe(0);
  });
});

describe('--version', () => {
  it.each(['--version', '-V', '--json --version'])('loads no command: "till %s"', async (line) => {
    const loaded = Object.values(groups).length;
    const kept = { ...groups };
    let asked = 0;
    const counting = groups as Record<string, (typeof groups)[string]>;
    for (const [name, load] of Object.entries(kept)) {
      counting[name] = () => {
        asked += 1;
        return load();
      };
    }
    const printed: string[] = [];
    try {
      await runProgram(line.split(' '), { ...quiet, out: (text) => void printed.push(text) });
      expect(printed).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
      expect(asked).toBe(0);
      await runProgram(['--help'], quiet);
      expect(asked).toBe(loaded);
    } finally {
      Object.assign(counting, kept);
    }
  });
});

/** The completions that bash offers after these words. */
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
    // Every quote is closed on the line that opens it.
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
