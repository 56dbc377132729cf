import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  /** From the root of the archive, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** 1980-01-01, the first day that the format knows: the same files always give the same bytes. */
const firstDay = 0x0021;
const utf8Names = 0x0800;
const deflated = 8;
const version = 20;

interface Packed {
  readonly name: Buffer;
  readonly content: Buffer;
  readonly checksum: number;
  readonly size: number;
}

function pack({ path, text }: ZipEntry): Packed {
  const plain = Buffer.from(text);
  return {
    name: Buffer.from(path),
    content: deflateRawSync(plain, { level: 9 }),
    checksum: crc32(plain),
    size: plain.length,
  };
}

/** What the local header and the directory say alike. */
function facts({ name, content, checksum, size }: Packed): Buffer {
  const bytes = Buffer.alloc(26);
  bytes.writeUInt16LE(version, 0);
  bytes.writeUInt16LE(utf8Names, 2);
  bytes.writeUInt16LE(deflated, 4);
  bytes.writeUInt16LE(0, 6);
  bytes.writeUInt16LE(firstDay, 8);
  bytes.writeUInt32LE(checksum, 10);
  bytes.writeUInt32LE(content.length, 14);
  bytes.writeUInt32LE(size, 18);
  bytes.writeUInt16LE(name.length, 22);
  return bytes;
}

const uint = (value: number, length: 2 | 4) => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntLE(value, 0, length);
  return bytes;
};

/** A ZIP archive of text files (PKWARE APPNOTE 6.3.3, without what large archives need). */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const packed of entries.map(pack)) {
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), facts(packed), packed.name, packed.content]);
    // Comment, disk and attributes are all nought.
    const rest = Buffer.concat([Buffer.alloc(10), uint(offset, 4)]);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), uint(version, 2), facts(packed), rest, packed.name]),
    );
    files.push(file);
    offset += file.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.concat([
    Buffer.from('PK\x05\x06'),
    uint(0, 4),
    uint(entries.length, 2),
    uint(entries.length, 2),
    uint(listed.length, 4),
    uint(offset, 4),
    uint(0, 2),
  ]);
  return Buffer.concat([...files, listed, end]);
}
