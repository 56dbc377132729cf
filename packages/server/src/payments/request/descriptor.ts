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
 * fits. Null where nothing is to be sent. The original is stored and echoed unchanged (spec, "Payment create request
 * fields").
 * @param room characters beside what the processor puts before it (`ProcessorCapabilities.descriptorLimit`)
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

/** Cuts at the end of a word where that still uses more than half of the room, otherwise in the middle of it. */
function cutToRoom(text: string, room: number): string {
  if (text.length <= room) return text;
  const cut = text.slice(0, room);
  if (text[room] === ' ') return cut;
  const lastSpace = cut.lastIndexOf(' ');
  return (lastSpace * 2 > room ? cut.slice(0, lastSpace) : cut).trimEnd();
}
