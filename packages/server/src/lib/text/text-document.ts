import { asciiText } from './ascii.ts';

/** A4 in points, with two centimetres of margin, in Courier of 10 points, whose characters are 0.6 of that wide. */
const page = { width: 595, height: 842, margin: 56, fontSize: 10, lineHeight: 12 };
/** How many characters fit into a line. */
export const charactersInLine = Math.floor((page.width - 2 * page.margin) / (page.fontSize * 0.6));
const linesPerPage = Math.floor((page.height - 2 * page.margin) / page.lineHeight);

/** The codes of characters beyond Latin-1 that the fonts of every PDF reader have (PDF 32000-1, WinAnsiEncoding). */
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

/** A line of a document: plain text, or a bold heading. */
export type DocumentLine = string | { readonly heading: string };

interface ShownLine {
  readonly text: string;
  readonly isBold: boolean;
}

/**
 * Writes lines as a PDF of plain pages and wraps long lines. The same lines give the same bytes. Letters that the font lacks
 * lose their marks, or become a question mark.
 */
export function linesDocument(lines: readonly DocumentLine[]): Buffer {
  const shown = lines.flatMap((line) =>
    typeof line === 'string'
      ? wrapped(line).map((text) => ({ text, isBold: false }))
      : wrapped(line.heading).map((text) => ({ text, isBold: true })),
  );
  const pages = pagesOf(shown);
  const firstPage = 5;
  const kids = pages.map((_, index) => `${firstPage + 2 * index} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    fontObject('Courier'),
    fontObject('Courier-Bold'),
    ...pages.flatMap((shownOn, index) => [pageObject(firstPage + 2 * index + 1), contentObject(shownOn)]),
  ];
  return Buffer.from(fileOf(objects), 'latin1');
}

/** The text as such a document, for an upstream that accepts only documents. */
export const textDocument = (text: string): Buffer => linesDocument(text.split(/\r\n|\r|\n/));

const fontObject = (name: string): string =>
  `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;

const pageObject = (content: number): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${page.width} ${page.height}] ` +
  `/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${content} 0 R >>`;

function contentObject(lines: readonly ShownLine[]): string {
  const top = page.height - page.margin;
  const font = (name: 'F1' | 'F2') => `/${name} ${page.fontSize} Tf`;
  const shown = lines
    .map(({ text, isBold }) => {
      const line = `(${encoded(text)}) '`;
      return isBold ? `${font('F2')}\n${line}\n${font('F1')}` : line;
    })
    .join('\n');
  const stream = `BT ${font('F1')} ${page.lineHeight} TL ${page.margin} ${top} Td\n${shown}\nET`;
  return `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`;
}

/** The objects, followed by the table of their offsets. Every character is one byte. */
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

/** Encodes a line with one character per byte of the font's encoding, and escapes it for a PDF string. */
function encoded(line: string): string {
  return Array.from(line, (character) => {
    const code = windowsCodes.get(character);
    if (code !== undefined) return String.fromCharCode(code);
    return /^[\x20-\x7e\xa0-\xff]$/.test(character) ? character : asciiText(character) || '?';
  })
    .join('')
    .replace(/[\\()]/g, '\\$&');
}

/** Splits a line into pieces of a width, by default that of the page, at spaces if possible. */
export function wrapped(line: string, width = charactersInLine): string[] {
  const pieces: string[] = [];
  let rest = line.replaceAll('\t', '  ');
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : width;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...pieces, rest];
}

function pagesOf<Line>(lines: readonly Line[]): Line[][] {
  const count = Math.ceil(lines.length / linesPerPage);
  return Array.from({ length: count }, (_, index) =>
    lines.slice(index * linesPerPage, (index + 1) * linesPerPage),
  );
}
