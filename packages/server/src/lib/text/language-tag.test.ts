import { describe, expect, it } from 'vitest';
import { isLanguageTag, localeOf } from './language-tag.ts';

describe('a language tag', () => {
  // The examples of RFC 5646, appendix A.
  it.each(
    `de fr ja i-enochian zh-Hant zh-Hans sr-Cyrl sr-Latn zh-cmn-Hans-CN cmn-Hans-CN zh-yue-HK yue-HK zh-Hans-CN sr-Latn-RS
     sl-rozaj sl-rozaj-biske sl-nedis de-CH-1901 sl-IT-nedis hy-Latn-IT-arevela de-DE en-US es-419 de-CH-x-phonebk
     az-Arab-x-AZE-derbend x-whatever sr-Latn-QM sr-QM en-US-u-islamcal zh-CN-a-myext-x-private en-a-myext-b-another`.split(
      /\s+/,
    ),
  )('accepts %s', (tag) => {
    expect([tag, tag.toLowerCase(), tag.toUpperCase()].map(isLanguageTag)).toEqual([true, true, true]);
  });

  it.each([
    '',
    'e',
    'english',
    'de-419-DE',
    'a-DE',
    'en_GB',
    'en-',
    '-en',
    'en--GB',
    'en-GBR',
    'en-a',
    'x-',
    'en GB',
  ])('rejects "%s"', (text) => {
    expect(isLanguageTag(text)).toBe(false);
  });

  it.each([
    ['es-419', 'es', undefined, '419'],
    ['ZH-hans-cn', 'zh', 'Hans', 'CN'],
    ['zh-cmn-Hant', 'zh', 'Hant', undefined],
    ['de-CH-1996', 'de', undefined, 'CH'],
    ['pt_br', 'pt', undefined, 'BR'],
    ['gsw', 'gsw', undefined, undefined],
  ])('%s has these subtags', (tag, language, script, region) => {
    expect(localeOf(tag)).toEqual({ language, script, region });
  });

  it.each(['x-private', 'i-klingon', 'english'])('%s has none', (tag) => {
    expect(localeOf(tag)).toBeUndefined();
  });
});
