import { currencyExponent } from '@till/contract/currencies';
import { describe, expect, it } from 'vitest';
import { html } from './html.ts';
import { chooseLanguage, findLanguage, languages } from './texts/languages.ts';
import { Words } from './words.ts';

const wordsOf = (tag: string) => {
  const language = findLanguage(tag);
  if (language === undefined) throw new Error(`no language ${tag}`);
  return new Words(language);
};

/** The digits after the last separator. There must be as many as the currency has decimals. */
const decimalsIn = (shown: string) => {
  const [number = ''] = /[\d.,\u00a0\u202f’]*\d/.exec(shown) ?? [];
  return /[.,](\d+)$/.exec(number)?.[1]?.length ?? 0;
};

describe.each(languages.map(({ tag }) => tag))('amounts in %s', (tag) => {
  it.each(['JPY', 'KWD', 'HUF', 'IDR', 'EUR'])('of %s have the decimals of ISO 4217', (currency) => {
    const exponent = currencyExponent(currency) ?? 0;
    const shown = wordsOf(tag).amount(123 * 10 ** exponent, currency);
    expect(shown.replaceAll(/\D/g, '')).toBe(`123${'0'.repeat(exponent)}`);
    expect(decimalsIn(shown)).toBe(exponent);
  });

  it('are exact up to the largest', () => {
    const shown = wordsOf(tag).amount(999_999_999_999, 'EUR');
    expect(shown.replaceAll(/\D/g, '')).toBe('999999999999');
  });
});

describe('the currency’s code', () => {
  it('stands beside an amount that does not show it', () => {
    expect(wordsOf('en').codeBeside('€49.90', 'EUR')).toBe('EUR');
    expect(wordsOf('pl').codeBeside(wordsOf('pl').amount(4990, 'USD'), 'USD')).toBe('');
  });
});

describe('a moment', () => {
  it.each([
    ['en-GB,en;q=0.9', '20 Dec 2026, 07:11 UTC'],
    ['en-US', 'Dec 20, 2026, 07:11 UTC'],
    ['de-AT', '20. Dez. 2026, 07:11 UTC'],
  ])('is written with %s as people of the region write it, with its zone', (accepted, text) => {
    const none = { chosen: null, customer: null, browserInfo: null, account: null };
    const words = new Words(chooseLanguage({ ...none, accepted }));
    expect(words.momentText(new Date('2026-12-20T07:11:00Z'))).toBe(text);
  });
});

describe('a text', () => {
  it('keeps each value apart from the direction around it, and escapes it', () => {
    const { html: english } = wordsOf('en').text('pay_shop', { shop: 'מכולת <b>' });
    expect(english).toBe('Pay <bdi>מכולת &lt;b&gt;</bdi>');
    expect(wordsOf('en').text('pay_shop', { shop: html`<i>x</i>` }).html).toBe('Pay <i>x</i>');
  });

  it.each([
    ['de', ', '],
    ['ja', '、'],
    ['ar', '، '],
  ])('lists names in %s with %j between them, each in its own direction', (tag, comma) => {
    expect(wordsOf(tag).list(['Visa', 'JCB']).html).toBe(`<bdi>Visa</bdi>${comma}<bdi>JCB</bdi>`);
  });

  it('without tags has isolating characters where the text runs from right to left', () => {
    expect(wordsOf('en').plain('pay_shop', { shop: 'Shop' })).toBe('Pay Shop');
    expect(wordsOf('ar').plain('pay_shop', { shop: 'Shop' })).toBe('الدفع إلى \u2068Shop\u2069');
  });

  it('says a moment in UTC and names the zone', () => {
    const moment = new Date('2026-11-20T14:32:10Z');
    expect(wordsOf('en').minute(moment)).toBe('14:32 UTC');
    expect(wordsOf('de').moment(moment).html).toContain('datetime="2026-11-20T14:32:10.000Z"');
  });
});
