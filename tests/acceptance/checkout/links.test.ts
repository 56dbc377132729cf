import { beforeAll, describe, expect, it } from 'vitest';
import { Merchant, till } from '../../support/merchant.ts';
import { linkOf, onwards, shown, submit, visit } from './browser.ts';
import { expectSafe, expectUntouched, goodCard, openCardFields, read, withQuery } from './kit.ts';

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open('processor_b');
});

describe('an unknown or expired checkout URL', () => {
  it('is a 404 page that says that no money was taken', async () => {
    const { id, url } = await openCardFields(shop);
    const last = url.at(-1) === 'A' ? 'B' : 'A';
    for (const wrong of [
      `${url.slice(0, -1)}${last}`,
      new URL('/checkout/pay/nothing', url).href,
      `${url}x`,
    ]) {
      const page = await visit(wrong);
      expect(page.status).toBe(404);
      expectSafe(page);
      expect(page.text).toContain('No money has been taken');
      const sent = await submit(
        { ...(await visit(url)), url: wrong, text: '<form method="post" action="">' },
        goodCard,
      );
      expect(sent.status).toBe(404);
    }
    await expectUntouched(shop, id);
  });

  it.each([
    ['with addresses', withQuery],
    ['without', { success_url: null, failure_url: null }],
  ])('is expired after 15 minutes and takes no card: %s', async (_name, addresses) => {
    const merchant = await Merchant.open('processor_b');
    const { id, url } = await openCardFields(merchant, addresses);
    const form = await visit(url);
    await till('clock', 'advance', '--account', merchant.id, '--seconds', '901');
    for (const page of [await submit(form, goodCard), await visit(url)]) {
      expect(shown(page)).toContain('This payment link has expired. No money has been taken.');
      expect(page.text).not.toContain('<form');
      expect(onwards(page)).toBeUndefined();
      if (addresses === withQuery) {
        const back = `${withQuery.failure_url}&payment_id=${id}`;
        expect(linkOf(page, 'Return to Test shop')).toBe(back);
      }
    }
    expect(await read(merchant, id)).toMatchObject({
      status: 'failed',
      failure: { code: 'confirmation_expired' },
    });
    expect((await merchant.ledger()).charges).toEqual([]);
  });
});

describe('a merchant’s name with HTML', () => {
  it('is escaped', async () => {
    const name = `<script>alert("x")</script> & 'Sons'`;
    const account = await till<{ id: string; secret_key: string }>(
      'accounts',
      'create',
      '--name',
      name,
      '--processor',
      'processor_b',
    );
    const merchant = new Merchant(account.id, account.secret_key);
    const { url } = await openCardFields(merchant);
    const escaped = '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;Sons&#39;';
    const form = await visit(url);
    for (const page of [form, await submit(form, {}), await submit(form, goodCard), await visit(url)]) {
      expectSafe(page);
      expect(page.text).toContain(escaped);
    }
  });
});
