import type { Command } from 'commander';

const asksForHelp = (word: string) => /^(-h|--help|help)$/.test(word);

/**
 * Moves a request for help to the end: `help` or `--help` anywhere in a command means the same as `--help` after it. For an
 * unknown command the request is dropped, so that commander names the unknown word instead of showing the parent's help.
 * @param words the arguments after the program's name
 */
export function withHelpLast(program: Command, words: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let command = program;
  let isAsked = false;
  for (const [index, word] of words.entries()) {
    // The rest belongs to this command: `help` may be the value of an option.
    if (command.commands.length === 0) {
      return [...kept, ...words.slice(index), ...(isAsked ? ['--help'] : [])];
    }
    if (asksForHelp(word)) {
      isAsked = true;
      continue;
    }
    kept.push(word);
    if (word.startsWith('-')) continue;
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next === undefined) return kept;
    command = next;
  }
  return isAsked ? [...kept, '--help'] : words;
}
