import type { StoredFile } from '@till/contract';

const signatures: readonly (readonly [StoredFile['content_type'], readonly number[]])[] = [
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
];

/** What a file is by its first bytes, whatever its name or its sender says; undefined for what we do not take. */
export function sniffContentType(content: Uint8Array): StoredFile['content_type'] | undefined {
  return signatures.find(([, bytes]) => bytes.every((byte, index) => content[index] === byte))?.[0];
}
