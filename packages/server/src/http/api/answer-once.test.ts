import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { idempotencyKey } from './answer-once.ts';

/** Reads a key from a header with these bytes, which Node.js decodes as Latin-1. */
function keyOf(bytes: Buffer): string | null {
  const key = bytes.toString('latin1');
  const request = { raw: { rawHeaders: ['Idempotency-Key', key] }, headers: { 'idempotency-key': key } };
  return idempotencyKey('required', request as unknown as FastifyRequest);
}

const tooLong = expect.objectContaining({ code: 'invalid_params' });

describe('the length of an Idempotency-Key', () => {
  it.each([
    ['ASCII', 'k'],
    ['letters of two bytes', 'ü'],
    ['emoji of four bytes', '😀'],
  ])('is counted in characters of UTF-8: 255 are accepted, 256 refused: %s', (_name, character) => {
    const bytes = Buffer.from(character.repeat(255));
    expect(keyOf(bytes)).toBe(bytes.toString('latin1'));
    expect(() => keyOf(Buffer.from(character.repeat(256)))).toThrow(tooLong);
  });

  it('is counted in bytes where they are not UTF-8', () => {
    const bytes = Buffer.alloc(255, 'ü', 'latin1');
    expect(keyOf(bytes)).toBe(bytes.toString('latin1'));
    expect(() => keyOf(Buffer.alloc(256, 'ü', 'latin1'))).toThrow(tooLong);
  });
});
