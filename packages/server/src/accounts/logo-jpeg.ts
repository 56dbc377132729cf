import { BadPicture, checkSize, type Picture } from './picture.ts';

/** The markers of ITU-T T.81, table B.1. */
const marker = {
  sof0: 0xc0,
  sof1: 0xc1,
  sof2: 0xc2,
  dht: 0xc4,
  soi: 0xd8,
  eoi: 0xd9,
  sos: 0xda,
  dqt: 0xdb,
  dri: 0xdd,
};
const adobe = 0xee;
const isComment = (code: number) => (code >= 0xe0 && code <= 0xef) || code === 0xfe;
const isRestart = (code: number) => code >= 0xd0 && code <= 0xd7;

const tooShort = () => new BadPicture('it ends too early');
const damaged = () => new BadPicture('it is damaged');

/** The state of the conversion: the position in the input, and the output so far. */
interface Reading {
  readonly input: Buffer;
  at: number;
  readonly output: Buffer[];
  frame: { width: number; height: number; components: number } | null;
  tables: { quantisation: boolean; huffman: boolean };
  scans: number;
}

function write(reading: Reading, code: number, data: Buffer): void {
  const head = Buffer.from([0xff, code, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  reading.output.push(head, data);
}

/** Reads the next marker, which any number of fill bytes may precede. */
function nextMarker(reading: Reading): number {
  const { input } = reading;
  if (input[reading.at] !== 0xff) throw damaged();
  while (input[reading.at] === 0xff) reading.at += 1;
  const code = input[reading.at];
  if (code === undefined) throw tooShort();
  reading.at += 1;
  return code;
}

function segment(reading: Reading): Buffer {
  const { input, at } = reading;
  if (at + 2 > input.length) throw tooShort();
  const length = input.readUInt16BE(at);
  if (length < 2 || at + length > input.length) throw tooShort();
  reading.at += length;
  return input.subarray(at + 2, at + length);
}

function readFrame(reading: Reading, data: Buffer): void {
  if (reading.frame !== null || data.length < 6) throw damaged();
  const [precision, , , , , components = 0] = data;
  const [height, width] = [data.readUInt16BE(1), data.readUInt16BE(3)];
  if (components === 4) throw new BadPicture('it has four colours: save it with RGB colours');
  if (precision !== 8 || (components !== 1 && components !== 3) || data.length !== 6 + 3 * components) {
    throw new BadPicture('its header is wrong');
  }
  for (let place = 7; place < data.length; place += 3) {
    const [factors = 0] = data.subarray(place);
    const [across, down] = [factors >> 4, factors & 15];
    if (across < 1 || across > 4 || down < 1 || down > 4) throw new BadPicture('its header is wrong');
  }
  checkSize(width, height);
  reading.frame = { width, height, components };
}

function checkQuantisation(data: Buffer): void {
  let at = 0;
  while (at < data.length) {
    const [head = 0] = data.subarray(at);
    if (head >> 4 > 1 || (head & 15) > 3) throw damaged();
    at += 1 + 64 * ((head >> 4) + 1);
  }
  if (at !== data.length || at === 0) throw damaged();
}

function checkHuffman(data: Buffer): void {
  let at = 0;
  while (at < data.length) {
    const [head = 0] = data.subarray(at);
    const values = data.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0);
    if (head >> 4 > 1 || (head & 15) > 3 || values > 256) throw damaged();
    at += 17 + values;
  }
  if (at !== data.length || at === 0) throw damaged();
}

/** Copies one scan: its header and the coded data up to the next marker. */
function readScan(reading: Reading, data: Buffer): void {
  const { frame, tables, input } = reading;
  const [components = 0] = data;
  if (frame === null || !tables.quantisation || !tables.huffman) throw damaged();
  if (components < 1 || components > frame.components || data.length !== 4 + 2 * components) throw damaged();
  write(reading, marker.sos, data);
  const start = reading.at;
  for (let at = input.indexOf(0xff, start); ; at = input.indexOf(0xff, at)) {
    if (at < 0 || at + 1 >= input.length) throw tooShort();
    const code = input[at + 1] ?? 0;
    if (code === 0 || isRestart(code)) {
      at += 2;
    } else if (code === 0xff) {
      at += 1;
    } else {
      if (at === start) throw damaged();
      reading.output.push(input.subarray(start, at));
      reading.at = at;
      reading.scans += 1;
      return;
    }
  }
}

/** Reads one segment. @returns false at the end of the image */
function readPart(reading: Reading): boolean {
  const code = nextMarker(reading);
  if (code === marker.eoi) return false;
  const data = segment(reading);
  switch (code) {
    case marker.sof0:
    case marker.sof1:
    case marker.sof2:
      readFrame(reading, data);
      write(reading, code, data);
      return true;
    case marker.dqt:
      checkQuantisation(data);
      reading.tables.quantisation = true;
      write(reading, code, data);
      return true;
    case marker.dht:
      checkHuffman(data);
      reading.tables.huffman = true;
      write(reading, code, data);
      return true;
    case marker.dri:
      if (data.length !== 2) throw damaged();
      write(reading, code, data);
      return true;
    case marker.sos:
      readScan(reading, data);
      return true;
    case adobe:
      keepColourTransform(reading, data);
      return true;
    default:
      if (!isComment(code)) throw new BadPicture('it has segments that we do not know');
      return true;
  }
}

/** Keeps only the colour transform of an Adobe segment, the one value in it that the image needs. */
function keepColourTransform(reading: Reading, data: Buffer): void {
  const transform = data[11];
  if (
    data.length !== 12 ||
    data.toString('latin1', 0, 5) !== 'Adobe' ||
    transform === undefined ||
    transform > 2
  ) {
    return;
  }
  write(reading, adobe, Buffer.from([...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform]));
}

/** Parses a JPEG file and rewrites it with only its image data. @throws BadPicture */
export function rewriteJpeg(input: Buffer): Picture {
  const reading: Reading = {
    input,
    at: 2,
    output: [Buffer.from([0xff, marker.soi])],
    frame: null,
    tables: { quantisation: false, huffman: false },
    scans: 0,
  };
  while (readPart(reading));
  if (reading.frame === null || reading.scans === 0) throw new BadPicture('it has no picture');
  const { width, height } = reading.frame;
  const bytes = Buffer.concat([...reading.output, Buffer.from([0xff, marker.eoi])]);
  return { contentType: 'image/jpeg', bytes, width, height };
}
