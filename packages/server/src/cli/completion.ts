import { Argument, type Command } from 'commander';
import { OperatorError } from '../accounts/accounts.ts';
import type { Shell } from './lib/output.ts';
import { report } from './lib/output.ts';

/** The parts of a command that completion needs. */
interface Completed {
  /** The full path of the command, e.g. `till accounts create`. */
  readonly path: string;
  readonly description: string;
  readonly children: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly {
    readonly flag: string;
    readonly description: string;
    readonly takesValue: boolean;
    readonly values: readonly string[];
  }[];
  /** The allowed values of the first argument; empty if it takes any text. */
  readonly words: readonly string[];
}

/** Lists every command of the program, parents before their children. */
function commandsOf(command: Command, above = ''): Completed[] {
  const path = above === '' ? command.name() : `${above} ${command.name()}`;
  const own: Completed = {
    path,
    description: command.description(),
    children: command.commands.map((child) => ({ name: child.name(), description: child.description() })),
    options: command.options.flatMap(({ long, description, required, optional, argChoices }) =>
      long == null
        ? []
        : [{ flag: long, description, takesValue: required || optional, values: argChoices ?? [] }],
    ),
    words: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [own, ...command.commands.flatMap((child) => commandsOf(child, path))];
}

/** Puts text into single quotes. @param quote how the shell escapes a single quote; by default as in bash and zsh */
const quoted = (text: string, quote = `'\\''`) => `'${text.replaceAll("'", quote)}'`;
const everywhere = ['--help', '--json'];

const flagsOf = ({ options }: Completed) => [...new Set([...options.map(({ flag }) => flag), ...everywhere])];
const choicesOf = (commands: readonly Completed[]) =>
  commands.flatMap(({ path, options }) =>
    options
      .filter(({ values }) => values.length > 0)
      .map(({ flag, values }) => ({ at: `${path} ${flag}`, values })),
  );
const below = (commands: readonly Completed[]) => commands.slice(1).map(({ path }) => quoted(path));

function bash(commands: readonly Completed[]): string {
  const lists = commands.map((command) => {
    const words = [...command.children.map(({ name }) => name), ...command.words, ...flagsOf(command)];
    return `      ${quoted(command.path)}) list=${quoted(words.join(' '))} ;;`;
  });
  const values = choicesOf(commands).map(
    ({ at, values: list }) => `    ${quoted(at)}) list=${quoted(list.join(' '))} ;;`,
  );
  return `# Completion of till in bash: source <(./till completion bash)
_till() {
  local at=till word list=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${below(commands).join('|')}) at="$at $word" ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
    *) case "$at" in
${lists.join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$list" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _till till`;
}

function zsh(commands: readonly Completed[]): string {
  const described = (name: string, text: string) => quoted(`${name.replaceAll(':', '\\:')}:${text}`);
  const lists = commands.map((command) => {
    const words = [
      ...command.children.map(({ name, description }) => described(name, description)),
      ...command.words.map((word) => described(word, '')),
      ...command.options.map(({ flag, description }) => described(flag, description)),
    ];
    return `    ${quoted(command.path)}) list=(${words.join(' ')}) ;;`;
  });
  const values = choicesOf(commands).map(
    ({ at, values: list }) =>
      `    ${quoted(at)}) compadd -- ${list.map((one) => quoted(one)).join(' ')}; return ;;`,
  );
  return `#compdef till
# Completion of till in zsh: source <(./till completion zsh)
_till() {
  local at=till word
  local -a list
  for word in \${words[2,CURRENT-1]}; do
    case "$at $word" in
      ${below(commands).join('|')}) at="$at $word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${lists.join('\n')}
  esac
  _describe till list || _files
}
compdef _till till`;
}

function fish(commands: readonly Completed[]): string {
  const text = (value: string) => quoted(value, String.raw`\'`);
  const lines = commands.flatMap((command) => {
    const when = `-n ${text(`test (__till_at) = "${command.path}"`)}`;
    return [
      ...command.children.map(
        ({ name, description }) => `complete -c till -f ${when} -a ${text(name)} -d ${text(description)}`,
      ),
      ...command.words.map((word) => `complete -c till -f ${when} -a ${text(word)}`),
      ...command.options.map(({ flag, description, takesValue, values }) => {
        const value = values.length > 0 ? ` -x -a ${text(values.join(' '))}` : takesValue ? ' -r' : '';
        return `complete -c till ${when} -l ${flag.slice(2)}${value} -d ${text(description)}`;
      }),
    ];
  });
  return `# Completion of till in fish: ./till completion fish | source
function __till_at
  set -l at till
  for word in (commandline -opc)[2..-1]
    if contains -- "$at $word" ${commands
      .slice(1)
      .map(({ path }) => text(path))
      .join(' ')}
      set at "$at $word"
    end
  end
  echo $at
end
${lines.join('\n')}`;
}

const shells: Readonly<Record<string, (commands: readonly Completed[]) => string>> = { bash, zsh, fish };

/** The completion script for a shell; undefined for an unknown shell. */
export const completionScript = (program: Command, shell: string): string | undefined =>
  shells[shell]?.(commandsOf(program));

export function completionCommands(program: Command, surroundings: Shell): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(shells)))
    .action(function (this: Command, shell: string) {
      return report(
        this,
        surroundings,
        async () => {
          const script = completionScript(program, shell);
          if (script === undefined) throw new OperatorError('invalid_usage', `${shell} is not known.`);
          return { shell, script };
        },
        ({ script }: { script: string }) => script,
      );
    });
}
