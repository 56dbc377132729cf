import type { Command } from 'commander';

const asksForHelp = (word: string) => /^(-h|--help|help)$/.test(word);

/**
 * `help` anywhere before the end of a command asks what `--help` behind it asks. Commander shows the help of what stands above
 * where there is no such command; without the question it names the word.
 * @param words what stands after the program's name
 */
export function withHelpLast(program: Command, words: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let command = program;
  let isAsked = false;
  for (const [index, word] of words.entries()) {
    // What follows is its own: `help` may be the value of an option.
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
