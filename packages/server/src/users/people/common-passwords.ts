/**
 * The words from which the most common passwords of public lists are built, of any length. Characters around a word are
 * stripped before the comparison.
 */
const commonWords: ReadonlySet<string> = new Set(
  `password passwort passwd pass qwerty qwertz azerty qwertyuiop qwertzuiop azertyuiop asdf asdfgh asdfghjk asdfghjkl zxcvbn zxcvbnm
  qazwsx qazwsxedc wsxedc letmein welcome willkommen bienvenue hello hallo admin administrator root user guest test tester
  testing demo default changeme change secret geheim login access master monkey dragon shadow sunshine princess football
  fussball baseball basketball soccer hockey superman batman spiderman pokemon starwars iloveyou loveyou lovely love trustno
  whatever freedom computer internet samsung iphone google facebook summer winter spring autumn sommer monday charlie jordan
  michael michelle jennifer jessica ashley daniel thomas george maggie pepper ginger hunter killer cheese cookie chocolate
  banana flower butterfly purple orange silver golden diamond matrix merlin mustang ferrari porsche corvette harley yankees
  liverpool chelsea arsenal barcelona nothing abc abcd abcdef abcdefg abcdefgh aaaa blink mypassword newpassword passphrase
  payment payments till shop money dashboard server database company business`.split(/\s+/),
);

const leet: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Letters, digits and keyboard rows that people type in order without thinking. */
const runs = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  '1qaz2wsx3edc4rfv',
  '1q2w3e4r5t6y7u8i',
  'q1w2e3r4t5y6u7i8',
].flatMap((run) => [run, Array.from(run).reverse().join('')]);

/** Whether one piece is repeated throughout, as in `aaaaaaaa` or `abcabcabc`. */
const isRepetition = (text: string): boolean => /^(.{1,4})\1+.{0,3}$/su.test(text);

const isRun = (text: string): boolean => runs.some((run) => run.includes(text));

/** The words that a password may be built from: without the characters around it, and with digits and signs read as letters. */
function wordsOf(text: string): string[] {
  const inner = text.replace(/^[^a-z]+|[^a-z]+$/g, '');
  const spelled = Array.from(
    text.replace(/[\d!?.*#+_-]+$/, ''),
    (character) => leet[character] ?? character,
  ).join('');
  return [inner, spelled, spelled.replace(/^[^a-z]+|[^a-z]+$/g, '')];
}

/**
 * Whether a password is among those that attackers try first (NIST SP 800-63B, 5.1.1.2): a common word with digits or signs
 * around it or in place of letters, a run along the alphabet or the keyboard, one piece repeated, or digits alone.
 */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  if (text.length < 12 && /^\d+$/.test(text)) return true;
  return (
    isRepetition(text) ||
    isRun(text) ||
    wordsOf(text).some((word) => commonWords.has(word) || (word.length >= 6 && isRun(word)))
  );
}
