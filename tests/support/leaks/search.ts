import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes to search for, with an optional condition on their context. */
export interface Needle {
  readonly what: string;
  readonly bytes: Buffer;
  /** @param at where the bytes begin; the condition may read up to `margin` bytes around them */
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

/** How many bytes before and after its own a needle may read. */
export const margin = 512;
const chunkBytes = 2 ** 20;
const enough = 20;

/**
 * Searches for byte strings of similar length with the algorithm of Wu and Manber and blocks of three bytes,
 * which skips most of the text.
 */
class Finder {
  readonly #min: number;
  readonly #shift: Uint8Array;
  /** Needles by the block that ends their first `#min` bytes. */
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

  /** Finds every needle that begins at `from` or later, but before `to`. */
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

/** Hashes the three bytes that end at a position. */
function blockAt(text: Buffer, end: number): number {
  return (((text[end - 2] ?? 0) << 10) ^ ((text[end - 1] ?? 0) << 5) ^ (text[end] ?? 0)) & 0x3ffff;
}

/** Compares byte by byte, since nearly every comparison fails at the first one. */
function isAt(text: Buffer, at: number, bytes: Buffer): boolean {
  if (at + bytes.length > text.length) return false;
  for (let place = 0; place < bytes.length; place += 1) {
    if (text[at + place] !== bytes[place]) return false;
  }
  return true;
}

/** Needles from this length on have a finder of their own, because short ones would slow the search down. */
const longFrom = 12;

/** Searches for many byte strings at once, through gigabytes in seconds. */
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

  /** Searches a complete text. */
  inText(text: Buffer | string, where: string): Hit[] {
    const bytes = Buffer.from(text);
    return this.#find(bytes, 0, bytes.length).map(({ needle, at }) => ({ what: needle.what, where, at }));
  }

  /** Searches a file of any size in chunks. */
  inFile(path: string): Hit[] {
    const file = openSync(path, 'r');
    const buffer = this.#buffer;
    const hits: Hit[] = [];
    try {
      // The buffer begins `margin` bytes before the chunk that is searched.
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

  /**
   * Searches all files below a folder.
   * @returns at most a few of the hits, and the number of bytes searched
   */
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
