/** Latin letters that Unicode does not decompose into a base letter and marks. */
const undecomposed: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['Æ', 'AE'],
  ['œ', 'oe'],
  ['Œ', 'OE'],
  ['ø', 'o'],
  ['Ø', 'O'],
  ['ł', 'l'],
  ['Ł', 'L'],
  ['đ', 'd'],
  ['Đ', 'D'],
  ['ð', 'd'],
  ['Ð', 'D'],
  ['þ', 'th'],
  ['Þ', 'TH'],
  ['ı', 'i'],
  ['ħ', 'h'],
  ['Ħ', 'H'],
  ['ŋ', 'n'],
  ['Ŋ', 'N'],
  ['ŧ', 't'],
  ['Ŧ', 'T'],
]);

/**
 * Converts a text to printable ASCII: accented Latin letters lose their marks, every other non-ASCII character becomes a space,
 * runs of spaces are collapsed and the ends are trimmed.
 */
export function asciiText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^\x20-\x7e]/gu, (character) => undecomposed.get(character) ?? ' ')
    .replace(/ +/g, ' ')
    .trim();
}
