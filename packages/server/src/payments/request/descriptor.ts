const combiningMarks = /[\u0300-\u036f]/g;

/** Latin letters that Unicode does not decompose into a plain letter and combining marks. */
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
 * The descriptor to send for a merchant's `shopper_statement`: reduced to letters, digits, dot, hyphen and space, and cut to
 * fit. Null if nothing is left to send. The original is stored and echoed unchanged (spec, "Payment create request fields").
 * @param room how many characters fit after the processor's prefix (`ProcessorCapabilities.descriptorLimit`)
 */
export function statementDescriptor(original: string | null, room: number): string | null {
  if (original === null) return null;
  const descriptor = cutToRoom(sanitise(original), room);
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

/** Cuts after a whole word if that still uses more than half of the room, otherwise in the middle of a word. */
function cutToRoom(text: string, room: number): string {
  if (text.length <= room) return text;
  const cut = text.slice(0, room);
  if (text[room] === ' ') return cut;
  const lastSpace = cut.lastIndexOf(' ');
  return (lastSpace * 2 > room ? cut.slice(0, lastSpace) : cut).trimEnd();
}
