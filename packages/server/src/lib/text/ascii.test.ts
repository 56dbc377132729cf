import { describe, expect, it } from 'vitest';
import { asciiText } from './ascii.ts';

describe('asciiText', () => {
  it.each([
    ['Café Crème', 'Cafe Creme'],
    ['Straße Ærø Łódź', 'Strasse AEro Lodz'],
    ['東京 Shop', 'Shop'],
    ['  a\t\u2014 b  ', 'a b'],
    ['📦 box', 'box'],
    ['★★', ''],
  ])('%j → %j', (text, expected) => {
    expect(asciiText(text)).toBe(expected);
  });
});
