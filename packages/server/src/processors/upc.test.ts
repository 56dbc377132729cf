import { describe, expect, it } from 'vitest';
import { recognisedUpc } from './upc.ts';

describe('recognisedUpc', () => {
  it.each([
    [
      { type: 'UPC-E', code: '01234565' },
      { type: 'UPC-E', code: '01234565' },
    ],
    [{ code: '012345678905' }, { type: 'UPC-A', code: '012345678905' }],
    [
      { type: 'EAN', code: '012345678905' },
      { type: 'UPC-A', code: '012345678905' },
    ],
    [{ code: '01234565' }, undefined],
    [{ code: '4006381333931' }, undefined],
    [undefined, undefined],
  ])('%j → %j', (upc, expected) => {
    expect(recognisedUpc(upc)).toEqual(expected);
  });
});
