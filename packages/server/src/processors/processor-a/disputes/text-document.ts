import { asciiText } from '../../wire/ascii.ts';

/** A4 in points, Courier of 10 points: 0.6 of it wide, with two centimetres of margin. */
const page = { width: 595, height: 842, margin: 56, fontSize: 10, lineHeight: 12 };
const lineLength = Math.floor((page.width - 2 * page.margin) / (page.fontSize * 0.6));
const linesPerPage = Math.floor((page.height - 2 * page.margin) / page.lineHeight);

/** Characters beyond Latin-1 that the fonts of every PDF reader have, by their code (PDF 32000-1, WinAnsiEncoding). */
const windowsCodes: ReadonlyMap<string, number> = new Map([
  ['€', 0x80],
  ['…', 0x85],
  ['‘', 0x91],
  ['’', 0x92],
  ['“', 0x93],
  ['”', 0x94],
  ['•', 0x95],
  ['–', 0x96],
  ['—', 0x97],
]);

/**
 * The text as a PDF of plain pages, for an upstream that takes documents only. The same text gives the same bytes.
 * Letters that the font lacks lose their marks, or become a question mark.
 */
export function textDocument(text: string): Buffer {
  const pages = pagesOf(text.split(/\r\n|\r|\n/).flatMap(wrapped));
  const firstPage = 4;
  const kids = pages.map((_, index) => `${firstPage + 2 * index} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((lines, index) => [pageObject(firstPage + 2 * index + 1), contentObject(lines)]),
  ];
  return Buffer.from(fileOf(objects), 'latin1');
}

const pageObject = (content: number): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${page.width} ${page.height}] ` +
  `/Resources << /Font << /F1 3 0 R >> >> /Contents ${content} 0 R >>`;

function contentObject(lines: readonly string[]): string {
  const top = page.height - page.margin;
  const shown = lines.map((line) => `(${encoded(line)}) '`).join('\n');
  const stream = `BT /F1 ${page.fontSize} Tf ${page.lineHeight} TL ${page.margin} ${top} Td\n${shown}\nET`;
  return `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`;
}

/** The objects with the table of where each begins; every character is one byte. */
function fileOf(objects: readonly string[]): string {
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return (
    `${body}xref\n0 ${size}\n0000000000 65535 f \n${entries}` +
    `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  );
}

/** One character for each byte of the font's encoding, with what a PDF string must escape. */
function encoded(line: string): string {
  return Array.from(line, (character) => {
    const code = windowsCodes.get(character);
    if (code !== undefined) return String.fromCharCode(code);
    return /^[\x20-\x7e\xa0-\xff]$/.test(character) ? character : asciiText(character) || '?';
  })
    .join('')
    .replace(/[\\()]/g, '\\$&');
}

/** The line in pieces of the page's width, at spaces where there are any. */
function wrapped(line: string): string[] {
  const pieces: string[] = [];
  let rest = line.replaceAll('\t', '  ');
  while (rest.length > lineLength) {
    const space = rest.lastIndexOf(' ', lineLength);
    const end = space > 0 ? space : lineLength;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...pieces, rest];
}

function pagesOf(lines: readonly string[]): string[][] {
  const count = Math.ceil(lines.length / linesPerPage);
  return Array.from({ length: count }, (_, index) =>
    lines.slice(index * linesPerPage, (index + 1) * linesPerPage),
  );
}
