import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { ApiError } from '@till/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLogoFile } from './logo.ts';
import { pngStart } from './logo-png.ts';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

interface Shape {
  width: number;
  height: number;
  depth: number;
  colourType: number;
  interlace: number;
}
const rgba: Shape = { width: 3, height: 2, depth: 8, colourType: 6, interlace: 0 };

function header({ width, height, depth, colourType, interlace }: Shape): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, colourType, 0, 0, interlace], 8);
  return chunk('IHDR', data);
}

const end = chunk('IEND', Buffer.alloc(0));
const rows = Buffer.from([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
]);
const png = (...parts: Buffer[]) => Buffer.concat([pngStart, ...parts, end]);
const plain = () => png(header(rgba), chunk('IDAT', deflateSync(rows)));

const wrong = async (file: Uint8Array): Promise<string> => {
  try {
    await readLogoFile(file);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'invalid_params', param: 'logo' });
    return (error as ApiError).message;
  }
  return 'it was taken';
};

describe('a PNG logo', () => {
  it('is written anew with nothing but its picture', async () => {
    const secret = chunk('tEXt', Buffer.from('Author\0Somebody'));
    const half = deflateSync(rows);
    const file = Buffer.concat([
      png(header(rgba), secret, chunk('IDAT', half.subarray(0, 5)), chunk('IDAT', half.subarray(5))),
      Buffer.from('<script>'),
    ]);
    const { bytes, ...facts } = await readLogoFile(file);
    expect(facts).toEqual({ contentType: 'image/png', width: 3, height: 2 });
    expect(bytes.includes('Somebody')).toBe(false);
    expect(bytes.includes('<script>')).toBe(false);
    const at = bytes.indexOf('IDAT') + 4;
    expect(inflateSync(bytes.subarray(at, at + bytes.readUInt32BE(at - 8)))).toEqual(rows);
    expect((await readLogoFile(bytes)).bytes).toEqual(bytes);
  });

  it('with a palette keeps palette and transparency, interlaced or not', async () => {
    const palette = [chunk('PLTE', Buffer.from([0, 0, 0, 255, 0, 0])), chunk('tRNS', Buffer.from([0]))];
    for (const [interlace, length] of [
      [0, 9],
      [1, 15],
    ] as const) {
      const shape = { width: 5, height: 3, depth: 2, colourType: 3, interlace };
      const data = Buffer.alloc(length);
      const { bytes, width } = await readLogoFile(
        png(header(shape), ...palette, chunk('IDAT', deflateSync(data))),
      );
      expect(width).toBe(5);
      for (const part of palette) expect(bytes.includes(part)).toBe(true);
    }
  });

  const damagedSum = plain();
  damagedSum[damagedSum.indexOf('IDAT') + 6] = 255;
  it.each([
    ['that was cut', plain().subarray(0, 40), 'ends too early'],
    ['with a wrong checksum', damagedSum, 'damaged'],
    ['without a header', png(chunk('IDAT', deflateSync(rows))), 'no header'],
    [
      'with too few rows',
      png(header({ ...rgba, height: 3 }), chunk('IDAT', deflateSync(rows))),
      'not complete',
    ],
    ['with too many rows', png(header({ ...rgba, height: 1 }), chunk('IDAT', deflateSync(rows))), 'unpacked'],
    ['with an unknown filter', png(header(rgba), chunk('IDAT', deflateSync(Buffer.alloc(26, 7)))), 'damaged'],
    ['without a picture', png(header(rgba)), 'unpacked'],
    ['with an unknown kind of colours', png(header({ ...rgba, colourType: 5 })), 'header is wrong'],
    ['without the palette that it needs', png(header({ ...rgba, colourType: 3 })), 'palette'],
    ['that is too large', png(header({ ...rgba, width: 5000 })), '2000 pixels'],
    [
      'that takes more than the largest picture of 8 bits per sample',
      png(header({ ...rgba, width: 2000, height: 2000, depth: 16 })),
      'more than 16 MB unpacked',
    ],
    ['without a size', png(header({ ...rgba, width: 0 })), 'no size'],
    ['with a part that changes what the rest means', png(header(rgba), chunk('ABCD', rows)), 'do not know'],
    [
      'in tiny pieces',
      png(header(rgba), ...Array<Buffer>(10_000).fill(chunk('IDAT', Buffer.alloc(0)))),
      'too many chunks',
    ],
    ['with its header twice', png(header(rgba), header(rgba)), 'twice'],
  ])('%s is refused', async (_name, file, reason) => {
    expect(await wrong(file)).toContain(reason);
  });

  it('of which little is packed into much is not unpacked to the end', async () => {
    const bomb = deflateSync(Buffer.alloc(50_000_000));
    expect(await wrong(png(header(rgba), chunk('IDAT', bomb)))).toContain('unpacked');
  });
});

/** A PNG file of the largest allowed size, in which few bytes are not 0, so that it takes long to compress. */
function largest(): Buffer {
  const data = Buffer.alloc(2000 * 8001);
  for (let at = 1; at < data.length; at += 67) if (at % 8001 !== 0) data[at] = (at * 7919) % 251;
  return png(header({ ...rgba, width: 2000, height: 2000 }), chunk('IDAT', deflateSync(data, { level: 1 })));
}

describe('a large PNG logo', () => {
  const file = largest();

  it('does not hold up other work while it is read', async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    expect(await wrong(file)).toContain('100 kB');
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(3);
  });
});

/** A JPEG file of 8 × 8 pixels with a colour profile and a JFIF header, as a browser writes it. */
const jpeg = Buffer.from(
  `/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeF
   xlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAIAAgDASIAAh
   EBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAeEAACAQQDAQAAAAAAAAAAAAABAwACBCFBBREicf/EABUBAQEAAAAAAAAAAAAAAAAAAAEF/8QAFh
   EBAQEAAAAAAAAAAAAAAAAAAAER/9oADAMBAAIRAxEAPwCZrLE8Wpa0sF6K+2MJ8mnOBn5rUREUa3X/2Q==`.replaceAll(/\s/g, ''),
  'base64',
);

describe('a JPEG logo', () => {
  const exif = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 14]), Buffer.from('Exif\0\0GPS 52')]);
  const withExif = Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2), Buffer.from('<?php')]);

  it('is written anew with nothing but its picture', async () => {
    const { bytes, ...facts } = await readLogoFile(withExif);
    expect(facts).toEqual({ contentType: 'image/jpeg', width: 8, height: 8 });
    for (const text of ['Exif', 'GPS', 'JFIF', '<?php']) expect(bytes.includes(text)).toBe(false);
    expect(bytes.subarray(0, 2).toString('hex') + bytes.subarray(-2).toString('hex')).toBe('ffd8ffd9');
    expect((await readLogoFile(bytes)).bytes).toEqual(bytes);
  });

  it('keeps how its colours are coded', async () => {
    const adobe = Buffer.from([0xff, 0xee, 0, 14, ...Buffer.from('Adobe'), 0, 101, 1, 2, 3, 4, 0]);
    const { bytes } = await readLogoFile(Buffer.concat([jpeg.subarray(0, 2), adobe, jpeg.subarray(2)]));
    expect(
      bytes.includes(Buffer.from([0xff, 0xee, 0, 14, ...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 0])),
    ).toBe(true);
  });

  const at = (marker: number) => jpeg.indexOf(Buffer.from([0xff, marker]));
  const changed = (place: number, ...values: number[]) => {
    const file = Buffer.from(jpeg);
    file.set(values, place);
    return file;
  };
  it.each([
    ['that was cut', jpeg.subarray(0, -20), 'too early'],
    ['without a picture', Buffer.concat([jpeg.subarray(0, at(0xda)), jpeg.subarray(-2)]), 'no picture'],
    ['without its tables', Buffer.concat([jpeg.subarray(0, 2), jpeg.subarray(at(0xc0))]), 'damaged'],
    ['of a kind that browsers do not show', changed(at(0xc0) + 1, 0xc9), 'do not know'],
    ['with four colours', changed(at(0xc0) + 9, 4), 'four colours'],
    ['with samples of 12 bits', changed(at(0xc0) + 4, 12), 'header is wrong'],
    ['that is too large', changed(at(0xc0) + 5, 0x40, 0), '2000 pixels'],
    ['whose parts are longer than the file', changed(at(0xdb) + 2, 0xff, 0xff), 'too early'],
    ['with something between its parts', changed(at(0xdb), 0), 'damaged'],
  ])('%s is refused', async (_name, file, reason) => {
    expect(await wrong(file)).toContain(reason);
  });
});

describe('any other file', () => {
  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
    ['a GIF', Buffer.from('GIF89a')],
    ['nothing', Buffer.alloc(0)],
  ])('%s is no logo', async (_name, file) => {
    expect(await wrong(file)).toBe('logo must be a PNG or JPEG file.');
  });

  it('that is too long is refused before and after it was read', async () => {
    expect(await wrong(Buffer.alloc(2_000_001, 0xff))).toContain('2 MB');
    const noise = Buffer.from(
      fc.sample(fc.uint8Array({ minLength: 150_250, maxLength: 150_250 }), 1)[0] ?? [],
    );
    for (let row = 0; row < 250; row += 1) noise[row * 601] = 0;
    const shape = { ...rgba, width: 200, height: 250, colourType: 2 };
    expect(await wrong(png(header(shape), chunk('IDAT', deflateSync(noise))))).toContain('100 kB');
  });

  it('never does anything but be taken or refused', async () => {
    const start = fc.constantFrom(plain(), withDamage(jpeg), jpeg);
    const damage = fc.array(fc.tuple(fc.nat(700), fc.nat(255)), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(start, damage, async (whole, changes) => {
        const file = Buffer.from(whole);
        for (const [place, value] of changes) file[place % file.length] = value;
        expect(typeof (await wrong(file))).toBe('string');
      }),
      { numRuns: 3_000 },
    );
  });
});

const withDamage = (file: Buffer) => Buffer.concat([file, file]);
