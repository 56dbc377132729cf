import { beforeAll, describe, expect, it } from 'vitest';
import { Merchant } from '../../support/merchant.ts';
import { linkOf, type Page, submit, visit } from '../checkout/browser.ts';
import { goodCard, openCardFields } from '../checkout/kit.ts';

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open('processor_b');
});

/** The URL to which the browser is sent, byte for byte. */
const sentTo = ({ headers }: Page) => /^0; url=(.*)$/s.exec(headers.get('refresh') ?? '')?.[1];

describe('payment_id is appended to the return address', () => {
  it.each([
    ['https://shop.example/ok', '?'],
    ['https://shop.example/ok?order=1&x=%20y&payment_id=zzz', '&'],
    ['https://shop.example/ok?flag', '&'],
    ['https://shop.example/ok?redirect=https://a.b/c&sign=a+b/c==', '&'],
    ['https://Shop.example:443/a/../ok?a=1&&b=2', '&'],
  ])('byte for byte: %s', async (address, separator) => {
    const urls = { success_url: address, failure_url: address };
    const { id, url } = await openCardFields(shop, urls);
    const form = await visit(url);
    // The link passes through a URL parser, which may change only what every browser changes.
    expect(linkOf(form, 'Cancel and return to Test shop')).toBe(
      new URL(`${address}${separator}payment_id=${id}`).href,
    );
    expect(sentTo(await submit(form, goodCard))).toBe(`${address}${separator}payment_id=${id}`);
  });

  it('also to one with other letters, escaped as in any header', async () => {
    const { id, url } = await openCardFields(shop, { success_url: 'https://bücher.example/ü?ä=%20' });
    expect(sentTo(await submit(await visit(url), goodCard))).toBe(
      `https://xn--bcher-kva.example/%C3%BC?%C3%A4=%20&payment_id=${id}`,
    );
  });
});
