/** Where the descriptor is going; the room that it has depends on what is put before it there. */
export type DescriptorTarget =
  | { readonly processor: 'processor_a' }
  | { readonly processor: 'processor_b'; readonly kind: 'card'; readonly brand: string | null }
  | { readonly processor: 'processor_b'; readonly kind: 'wallet' };

/** Characters on a statement, the prefix included (spec, "Limits"). */
const statementLength = 22;
const schemePrefixLength = 3;
const walletPrefixLength = 7;

/** The scheme on which processor_b puts its prefix; which one it is could not be established. */
const prefixedBrand = 'amex';

const combiningMarks = /[\u0300-\u036f]/g;

/** Latin letters that do not decompose into a plain letter and marks. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  ð: 'd',
  Đ: 'D',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
  ŧ: 't',
};
const specialLetters = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

/**
 * What to send of a merchant's `shopper_statement`: reduced to letters, digits, dot, hyphen and space, and cut so that it
 * fits behind the prefix that the processor adds. Null where nothing is to be sent. The original is stored and echoed
 * unchanged (spec, "Payment create request fields").
 */
export function statementDescriptor(original: string | null, target: DescriptorTarget): string | null {
  if (original === null) return null;
  const descriptor = cutToRoom(sanitise(original), roomFor(target));
  return descriptor === '' ? null : descriptor;
}

function sanitise(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(combiningMarks, '')
    .replaceAll(specialLetters, (letter) => plainLetters[letter] ?? ' ')
    .replaceAll(/[^A-Za-z0-9.-]+/g, ' ')
    .trim();
}

function roomFor(target: DescriptorTarget): number {
  if (target.processor === 'processor_a') return statementLength;
  if (target.kind === 'wallet') return statementLength - walletPrefixLength;
  // A brand that is not known yet (card fields) may turn out to be the prefixed one.
  const mayHavePrefix = target.brand === null || target.brand === prefixedBrand;
  return mayHavePrefix ? statementLength - schemePrefixLength : statementLength;
}

/** Cuts at the end of a word where that still uses more than half of the room, otherwise in the middle of it. */
function cutToRoom(text: string, room: number): string {
  if (text.length <= room) return text;
  const cut = text.slice(0, room);
  if (text[room] === ' ') return cut;
  const lastSpace = cut.lastIndexOf(' ');
  return (lastSpace * 2 > room ? cut.slice(0, lastSpace) : cut).trimEnd();
}
