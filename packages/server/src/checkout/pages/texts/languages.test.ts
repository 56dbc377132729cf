import { describe, expect, it } from 'vitest';
import { en } from './en.ts';
import { chooseLanguage, findLanguage, type LanguagePreferences, languages } from './languages.ts';

const keys = Object.keys(en) as (keyof typeof en)[];
const placeholdersOf = (text: string) => [...text.matchAll(/\{[^}]*\}/g)].map(String).sort();

describe.each(languages)('the texts in $name', ({ texts, tag }) => {
  it('are complete: every key of English and no other, none of them empty', () => {
    expect(Object.keys(texts).sort()).toEqual([...keys].sort());
    expect(keys.filter((key) => texts[key].trim() === '')).toEqual([]);
  });

  it('have the values of English, and no other braces', () => {
    for (const key of keys) expect([key, placeholdersOf(texts[key])]).toEqual([key, placeholdersOf(en[key])]);
  });

  it('are not the English ones', () => {
    const same = keys.filter((key) => texts[key] === en[key] && !['card_ending'].includes(key));
    // A few short words have the same spelling.
    expect(same.length).toBeLessThan(tag === 'en' ? keys.length + 1 : 4);
  });

  it('hold no character that belongs to another script by mistake', () => {
    const latin = languages.filter((one) => !['ja', 'zh-CN', 'ar'].includes(one.tag));
    if (!latin.some((one) => one.tag === tag)) return;
    const strange = keys.filter((key) => /[^\p{Script=Latin}\p{Script=Common}\p{M}]/u.test(texts[key]));
    expect(strange).toEqual([]);
  });
});

const nothingSaid: LanguagePreferences = {
  chosen: null,
  customer: null,
  browserInfo: null,
  accepted: null,
  account: null,
};

describe('the language of a page', () => {
  it.each([
    ['de-AT', 'de'],
    ['PT', 'pt-BR'],
    ['pt_BR', 'pt-BR'],
    ['zh', 'zh-CN'],
    ['zh-Hans-SG', 'zh-CN'],
    ['zh-TW', undefined],
    ['zh-Hant', undefined],
    ['ar-EG', 'ar'],
    ['', undefined],
    ['tlh', undefined],
  ])('for %j is %s', (preference, tag) => {
    expect(findLanguage(preference)?.tag).toBe(tag);
  });

  it('is what the first of those who know says', () => {
    const preferences = { chosen: 'pl', customer: 'fr-FR', browserInfo: 'nl', accepted: 'sv', account: 'it' };
    const order = ['pl', 'fr', 'nl', 'sv', 'it', 'en'];
    const left: Record<string, string | null> = { ...preferences };
    for (const [index, name] of [...Object.keys(preferences), 'nobody'].entries()) {
      expect(chooseLanguage({ ...nothingSaid, ...left }).tag).toBe(order[index]);
      left[name] = null;
    }
  });

  it.each([
    [{ chosen: 'en', accepted: 'de-DE, en-GB;q=0.8' }, '20 Dec 2026'],
    [{ customer: 'en-US', accepted: 'en-GB' }, 'Dec 20, 2026'],
    [{ customer: 'de-AT' }, '20. Dez. 2026'],
    [{ customer: 'ar-SA' }, '20 ديسمبر 2026'],
    [{}, 'Dec 20, 2026'],
  ])('with %o writes dates as its region does', (preferences, date) => {
    const { dates } = chooseLanguage({ ...nothingSaid, ...preferences });
    const day = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' } as const;
    expect(new Intl.DateTimeFormat(dates, day).format(new Date('2026-12-20T12:00:00Z'))).toBe(date);
  });

  it.each([
    ['da, en-GB;q=0.8, en;q=0.7, de;q=0.9', 'de'],
    ['ja;q=0, es;q=0.1', 'es'],
    ['*', 'en'],
    [';;,q=1', 'en'],
  ])('by the header %j is %s', (accepted, tag) => {
    expect(chooseLanguage({ ...nothingSaid, accepted }).tag).toBe(tag);
  });
});
