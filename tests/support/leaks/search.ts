import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes to look for, and what has to stand around them for a hit to count. */
export interface Needle {
  readonly what: string;
  readonly bytes: Buffer;
  /** @param at where the bytes begin; what stands around them is within `margin` */
  readonly counts?: (text: Buffer, at: number) => boolean;
}

interface Found {
  readonly needle: Needle;
  readonly at: number;
}

export interface Hit {
  readonly what: string;
  readonly where: string;
  readonly at: number;
}

/** What a `Needle` may look at on both sides of its bytes. */
export const margin = 512;
const chunkBytes = 2 ** 20;
const enough = 20;

/** Looks for byte strings of about the same length (Wu and Manber, with blocks of three bytes): most is skipped. */
class Finder {
  readonly #min: number;
  readonly #shift: Uint8Array;
  /** By the block that ends the first `#shortest` bytes. */
  readonly #ending = new Map<number, Needle[]>();

  constructor(needles: readonly Needle[]) {
    this.#min = Math.min(...needles.map(({ bytes }) => bytes.length));
    if (this.#min < 4 || this.#min > 200) throw new Error('needles are of 4 to 200 bytes');
    this.#shift = new Uint8Array(2 ** 18).fill(this.#min - 2);
    for (const needle of needles) this.#index(needle);
  }

  #index(needle: Needle): void {
    for (let end = 2; end < this.#min; end += 1) {
      const block = blockAt(needle.bytes, end);
      this.#shift[block] = Math.min(this.#shift[block] ?? 0, this.#min - 1 - end);
      if (end === this.#min - 1) this.#ending.set(block, [...(this.#ending.get(block) ?? []), needle]);
    }
  }

  /** Every needle that begins from `from` up to `to`. */
  find(text: Buffer, from: number, to: number): Found[] {
    const shift = this.#shift;
    const last = Math.min(text.length - 1, to + this.#min - 2);
    const found: Found[] = [];
    let end = from + this.#min - 1;
    while (end <= last) {
      const block = blockAt(text, end);
      const step = shift[block] ?? 1;
      if (step > 0) {
        end += step;
        continue;
      }
      this.#check(text, block, end - this.#min + 1, found);
      end += 1;
    }
    return found;
  }

  #check(text: Buffer, block: number, at: number, found: Found[]): void {
    for (const needle of this.#ending.get(block) ?? []) {
      if (!isAt(text, at, needle.bytes)) continue;
      if (needle.counts?.(text, at) ?? true) found.push({ needle, at });
    }
  }
}

/** A number for the three bytes that end here. */
function blockAt(text: Buffer, end: number): number {
  return (((text[end - 2] ?? 0) << 10) ^ ((text[end - 1] ?? 0) << 5) ^ (text[end] ?? 0)) & 0x3ffff;
}

/** Byte by byte: nearly every comparison ends with the first. */
function isAt(text: Buffer, at: number, bytes: Buffer): boolean {
  if (at + bytes.length > text.length) return false;
  for (let place = 0; place < bytes.length; place += 1) {
    if (text[at + place] !== bytes[place]) return false;
  }
  return true;
}

/** Short needles would make the search for the long ones slow. */
const longFrom = 12;

/** Looks for many byte strings at once, through gigabytes in seconds. */
export class Searcher {
  readonly #finders: readonly Finder[];
  readonly #buffer = Buffer.allocUnsafe(chunkBytes + 2 * margin);

  constructor(needles: readonly Needle[]) {
    const isLong = ({ bytes }: Needle) => bytes.length >= longFrom;
    const groups = [needles.filter(isLong), needles.filter((needle) => !isLong(needle))];
    this.#finders = groups.filter(({ length }) => length > 0).map((group) => new Finder(group));
  }

  #find(text: Buffer, from: number, to: number): Found[] {
    return this.#finders.flatMap((finder) => finder.find(text, from, to));
  }

  /** Looks through a text of its own. */
  inText(text: Buffer | string, where: string): Hit[] {
    const bytes = Buffer.from(text);
    return this.#find(bytes, 0, bytes.length).map(({ needle, at }) => ({ what: needle.what, where, at }));
  }

  /** Looks through a file of any size, piece by piece. */
  inFile(path: string): Hit[] {
    const file = openSync(path, 'r');
    const buffer = this.#buffer;
    const hits: Hit[] = [];
    try {
      // The buffer begins `margin` bytes before the piece that is looked through.
      for (let start = 0; ; start += chunkBytes) {
        const before = Math.min(margin, start);
        const length = readSync(file, buffer, 0, before + chunkBytes + margin, start - before);
        const to = Math.min(length, before + chunkBytes);
        for (const { needle, at } of this.#find(buffer.subarray(0, length), before, to)) {
          hits.push({ what: needle.what, where: path, at: start - before + at });
        }
        if (length < before + chunkBytes + margin || hits.length >= enough) return hits;
      }
    } finally {
      closeSync(file);
    }
  }

  /** Looks through every file below a folder. @returns at most a few of the hits, and how much was looked through */
  inFolder(folder: string, skip: readonly string[] = []): { hits: Hit[]; bytes: number } {
    const hits: Hit[] = [];
    let bytes = 0;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || skip.some((name) => path.includes(name))) continue;
      bytes += statSync(path).size;
      hits.push(...this.inFile(path));
      if (hits.length >= enough) break;
    }
    return { hits, bytes };
  }
}
