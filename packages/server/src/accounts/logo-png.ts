import { promisify } from 'node:util';
import { crc32, deflate, inflate } from 'node:zlib';
import { BadPicture, checkSize, LargePicture, maxBytes, maxSide, type Picture } from './picture.ts';

const deflateAsync = promisify(deflate);
const inflateAsync = promisify(inflate);

/** How many bytes each call of the thread pool decompresses: with the default of 16 kB the calls cost more than the work. */
const inflatedChunk = 65_536;

/** The maximum size of the decompressed samples in bits: those of a picture of the maximum size with 4 samples of 8 bits. */
const maxBits = maxSide * maxSide * 32;

/** The signature at the beginning of a PNG file (PNG specification, third edition, 5.2). */
export const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The number of samples per pixel and the allowed bit depths of a sample, by colour type (11.2.1). */
const colourTypes: Readonly<
  Record<number, { readonly samples: number; readonly depths: readonly number[] }>
> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};

/** The first column and row of each pass of an interlaced image, and the steps between columns and rows (8.1). */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The maximum number of chunks. Encoders write a few hundred into a file of the maximum size. */
const maxChunks = 10_000;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly colourType: number;
  readonly bitsOfPixel: number;
  readonly interlaced: boolean;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function readChunks(input: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  let at = pngStart.length;
  for (;;) {
    if (at + 12 > input.length) throw new BadPicture('it ends too early');
    const length = input.readUInt32BE(at);
    if (length > input.length - at - 12) throw new BadPicture('it ends too early');
    const type = input.toString('latin1', at + 4, at + 8);
    const data = input.subarray(at + 8, at + 8 + length);
    const checksum = input.readUInt32BE(at + 8 + length);
    if (crc32(input.subarray(at + 4, at + 8 + length)) !== checksum) throw new BadPicture('it is damaged');
    chunks.push({ type, data });
    if (type === 'IEND') return chunks;
    if (chunks.length === maxChunks) throw new BadPicture('it has too many chunks');
    at += 12 + length;
  }
}

function readHeader(chunk: Chunk | undefined): Header {
  if (chunk?.type !== 'IHDR' || chunk.data.length !== 13) throw new BadPicture('it has no header');
  const { data } = chunk;
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth = 0, colourType = 0, compression, filter, interlace = 0] = data.subarray(8);
  checkSize(width, height);
  const kind = colourTypes[colourType];
  const known = kind?.depths.includes(depth) === true && compression === 0 && filter === 0 && interlace <= 1;
  if (kind === undefined || !known) throw new BadPicture('its header is wrong');
  const bitsOfPixel = kind.samples * depth;
  if (width * height * bitsOfPixel > maxBits) throw new BadPicture('it takes more than 16 MB unpacked');
  return { width, height, colourType, bitsOfPixel, interlaced: interlace === 1 };
}

/** The lengths of the rows in bytes, each including its filter byte. */
function rowLengths({ width, height, bitsOfPixel, interlaced }: Header): number[] {
  const row = (pixels: number) => 1 + Math.ceil((pixels * bitsOfPixel) / 8);
  if (!interlaced) return Array<number>(height).fill(row(width));
  return passes.flatMap(([column, line, columnStep, lineStep]) => {
    const pixels = Math.ceil((width - column) / columnStep);
    const rows = Math.ceil((height - line) / lineStep);
    return pixels <= 0 || rows <= 0 ? [] : Array<number>(rows).fill(row(pixels));
  });
}

/** Decompresses the rows of the image, and checks that they match the header exactly. */
async function readRows(header: Header, compressed: Buffer): Promise<Buffer> {
  const lengths = rowLengths(header);
  const expected = lengths.reduce((sum, length) => sum + length, 0);
  let rows: Buffer;
  try {
    rows = await inflateAsync(compressed, { maxOutputLength: expected, chunkSize: inflatedChunk });
  } catch {
    throw new BadPicture('its picture cannot be unpacked');
  }
  if (rows.length !== expected) throw new BadPicture('its picture is not complete');
  let at = 0;
  for (const length of lengths) {
    if ((rows[at] ?? 255) > 4) throw new BadPicture('its picture is damaged');
    at += length;
  }
  return rows;
}

/** Compresses the rows, and stops once they take more than a file may. @throws LargePicture */
async function compressRows(rows: Buffer): Promise<Buffer> {
  try {
    return await deflateAsync(rows, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new LargePicture();
    throw error;
  }
}

function checkPalette({ colourType }: Header, palette: Buffer | undefined): void {
  const forbidden = colourType === 0 || colourType === 4;
  const misshapen =
    palette !== undefined && (palette.length === 0 || palette.length % 3 !== 0 || palette.length > 768);
  if (misshapen || (forbidden ? palette !== undefined : colourType === 3 && palette === undefined)) {
    throw new BadPicture('its palette is wrong');
  }
}

function checkTransparency(
  { colourType }: Header,
  palette: Buffer | undefined,
  data: Buffer | undefined,
): void {
  if (data === undefined) return;
  const entries = (palette?.length ?? 0) / 3;
  const right =
    (colourType === 0 && data.length === 2) ||
    (colourType === 2 && data.length === 6) ||
    (colourType === 3 && data.length > 0 && data.length <= entries);
  if (!right) throw new BadPicture('its transparency is wrong');
}

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/**
 * Parses a PNG file and rewrites it with only its image data. That is compressed anew, since compressed data could hide bytes that
 * do not belong to the picture.
 * @throws BadPicture
 * @throws LargePicture
 */
export async function rewritePng(input: Buffer): Promise<Picture> {
  const chunks = readChunks(input);
  const header = readHeader(chunks[0]);
  const known = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND']);
  // Chunks with a lowercase first letter may be dropped. Any other unknown chunk changes the meaning of the rest.
  if (chunks.some(({ type }) => /^[A-Z]/.test(type) && !known.has(type))) {
    throw new BadPicture('it has chunks that we do not know');
  }
  const only = (type: string) => {
    const found = chunks.filter((chunk) => chunk.type === type);
    if (found.length > 1) throw new BadPicture(`it has ${type} twice`);
    return found[0]?.data;
  };
  only('IHDR');
  const [palette, transparency] = [only('PLTE'), only('tRNS')];
  checkPalette(header, palette);
  checkTransparency(header, palette, transparency);
  const compressed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const rows = await readRows(header, compressed);
  const bytes = Buffer.concat([
    pngStart,
    writeChunk('IHDR', chunks[0]?.data ?? Buffer.alloc(0)),
    ...(palette === undefined ? [] : [writeChunk('PLTE', palette)]),
    ...(transparency === undefined ? [] : [writeChunk('tRNS', transparency)]),
    writeChunk('IDAT', await compressRows(rows)),
    writeChunk('IEND', Buffer.alloc(0)),
  ]);
  return { contentType: 'image/png', bytes, width: header.width, height: header.height };
}
