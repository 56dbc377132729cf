import { expect, it } from 'vitest';
import { parseUrl } from './url.ts';

it('reads an address with other letters however often it is asked', () => {
  for (let round = 0; round < 50_000; round += 1) {
    if (parseUrl('https://b\u00fccher.example/\u00e9') === undefined)
      throw new Error(`refused in round ${round}`);
  }
  expect(parseUrl('https://b\u00fccher.example/\u00e9')?.hostname).toBe('xn--bcher-kva.example');
  expect(parseUrl('no address')).toBeUndefined();
});
