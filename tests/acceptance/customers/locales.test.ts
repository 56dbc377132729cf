import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant } from '../../support/merchant.ts';

let a: Merchant;
let b: Merchant;

beforeAll(async () => {
  [a, b] = await Promise.all([Merchant.open('processor_a'), Merchant.open('processor_b')]);
});

describe('a locale', () => {
  it.each([
    'es-419',
    'zh-Hans-CN',
    'sr-Latn-RS',
    'de-CH-1996',
    'sl-rozaj-biske',
    'en-u-hc-h12',
    'zh-yue-HK',
    'x-shop',
    'i-klingon',
    'EN-gb',
    'gsw',
  ])('may be any tag of BCP 47 and is kept as sent: %s', async (locale) => {
    for (const shop of [a, b]) {
      const reply = await shop.pay({ customer: { email: freshEmail(), locale } });
      expect(reply.status).toBe(201);
      expect((await shop.get(`/api/v1/customers/${reply.body.customer}`)).body.locale).toBe(locale);
    }
  });

  it.each(['english', 'en_GB', 'en-GBR', 'e', '', 'en-', 'de--DE', 'deutsch-DE', 'x-', 'en-12', '123'])(
    'that is none is 422: "%s"',
    async (locale) => {
      expectError(
        await a.post('/api/v1/customers', { email: freshEmail(), locale }),
        'invalid_params',
        'locale',
      );
    },
  );

  it.each([
    ['es-419', 'es'],
    ['zh-Hans-CN', 'zh-CN'],
    ['zh-Hant-TW', 'en'],
    ['de-CH-1996', 'de'],
  ])('leads to the nearest language of the page: %s', async (locale, language) => {
    const { body } = await b.pay({
      payment_method: { type: 'card_fields' },
      customer: { email: freshEmail(), locale },
    });
    const page = await fetch(body.next_action.checkout_url);
    expect(await page.text()).toContain(`<html lang="${language}"`);
  });
});
