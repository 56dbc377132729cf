import { beforeAll, describe, expect, it } from 'vitest';
import { Merchant, target, till } from '../support/merchant.ts';
import { inputOf, linkOf, onwards, type Page, submit, textOf, visit } from './browser.ts';

const withQuery = {
  success_url: 'https://shop.example/ok?order=7&lang=de',
  failure_url: 'https://shop.example/failed?order=7',
};
const goodCard = { number: '4111 1111 1111 1111', expiry: '03/32', cvc: '737', name: 'Jane Smith' };
let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open('processor_b');
});

async function cardFields(changes: Record<string, unknown> = {}, merchant = shop) {
  const { status, body } = await merchant.pay({
    payment_method: { type: 'card_fields' },
    ...withQuery,
    ...changes,
  });
  expect(status).toBe(201);
  return { id: body.id as string, url: body.next_action.checkout_url as string };
}

const read = async (id: string, merchant = shop) => (await merchant.get(`/api/v1/payments/${id}`)).body;
const chargesOf = async (id: string, merchant = shop) =>
  (await merchant.ledger()).charges.filter(({ reference }) => reference === id);

async function expectUntouched(id: string, merchant = shop): Promise<void> {
  expect((await read(id, merchant)).status).toBe('requires_action');
  expect(await chargesOf(id, merchant)).toEqual([]);
}

function expectSafe({ headers, text }: Page): void {
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("form-action 'self'");
  expect(policy).not.toContain('unsafe');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('set-cookie')).toBeNull();
  expect(text).not.toMatch(/<script|<style|style=|\son[a-z]+=|javascript:/i);
}

describe('the card form', () => {
  it('shows shop, amount and four labelled fields, under strict headers, and says that it is a test', async () => {
    const { id, url } = await cardFields();
    expect(url.startsWith(`${target().baseUrl}/checkout/pay/`)).toBe(true);
    const page = await visit(url);
    expect(page.status).toBe(200);
    expectSafe(page);
    expect(page.text).toContain('Pay Test shop');
    expect(page.text).toContain('49.90');
    expect(page.text).toContain('EUR');
    expect(page.text).toContain('Test payment');
    for (const name of ['number', 'expiry', 'cvc', 'name']) {
      expect(page.text).toContain(`<label for="${name}">`);
      expect(inputOf(page, name)).toMatchObject({
        id: name,
        value: '',
        autocomplete: expect.stringMatching(/^cc-/),
      });
      expect(inputOf(page, name)).not.toHaveProperty('aria-invalid');
    }
    const style = await visit(new URL('/checkout/style.css', url).href);
    expect(style.status).toBe(200);
    expect(style.headers.get('content-type')).toContain('text/css');
    await expectUntouched(id);
  });

  it('offers the way back to the shop, with the payment’s id', async () => {
    const { id, url } = await cardFields();
    const back = linkOf(await visit(url), 'Cancel and return to Test shop');
    expect(back).toBe(`${withQuery.failure_url}&payment_id=${id}`);
    await expectUntouched(id);
  });

  it('names every empty field at its input', async () => {
    const { id, url } = await cardFields();
    const page = await submit(await visit(url), {});
    expect(page.status).toBe(422);
    expectSafe(page);
    expect(page.text).toContain('role="alert"');
    expect(page.text).toContain('No money has been taken');
    for (const name of ['number', 'expiry', 'cvc', 'name']) {
      const input = inputOf(page, name);
      expect(input['aria-invalid']).toBe('true');
      expect(textOf(page, input['aria-describedby'] ?? '')).toMatch(/\S/);
      expect(page.text).toContain(`<a href="#${name}">`);
    }
    await expectUntouched(id);
  });

  it.each([
    ['number', { number: '4111111111111112' }],
    ['number', { number: '4111' }],
    ['number', { number: 'four' }],
    ['expiry', { expiry: '13/32' }],
    ['expiry', { expiry: '03/20' }],
    ['expiry', { expiry: 'soon' }],
    ['cvc', { cvc: '73' }],
    ['cvc', { cvc: 'abc' }],
    ['cvc', { number: '370000000000002', cvc: '737' }],
    ['name', { name: '4111111111111111' }],
    ['name', { name: '737' }],
  ])('names a wrong %s at its input and at no other: %o', async (wrong, changes) => {
    const { id, url } = await cardFields();
    const page = await submit(await visit(url), { ...goodCard, ...changes });
    expect(page.status).toBe(422);
    for (const name of ['number', 'expiry', 'cvc', 'name'])
      expect([name, 'aria-invalid' in inputOf(page, name)]).toEqual([name, name === wrong]);
    expect(textOf(page, `${wrong}-problem`)).toMatch(/\S/);
    await expectUntouched(id);
  });

  it('fills in the name again, escaped, and never number and security code', async () => {
    const { url } = await cardFields();
    const name = '"><script>alert(1)</script>';
    const form = { ...goodCard, cvc: '9385', name };
    const page = await submit(await visit(url), form);
    expect(page.status).toBe(422);
    expectSafe(page);
    expect(inputOf(page, 'name').value).toBe(name);
    expect(inputOf(page, 'number').value).toBe('');
    expect(inputOf(page, 'cvc').value).toBe('');
    expect(page.text).not.toContain('9385');
    expect(page.text.replaceAll(' ', '')).not.toContain('4111111111111111');
  });

  it('can be filled in rightly after a mistake', async () => {
    const { id, url } = await cardFields();
    const again = await submit(await visit(url), { ...goodCard, cvc: '' });
    await submit(again, goodCard);
    expect((await read(id)).status).toBe('succeeded');
    expect(await chargesOf(id)).toHaveLength(1);
  });
});

describe('a card that is sent', () => {
  it('is charged once, and the browser leaves for success_url with its query kept and payment_id added', async () => {
    const { id, url } = await cardFields();
    const page = await submit(await visit(url), goodCard);
    expect(page.status).toBe(200);
    expectSafe(page);
    expect(page.text).toContain('Your payment is complete');
    expect(onwards(page)).toBe(`${withQuery.success_url}&payment_id=${id}`);
    expect(linkOf(page, 'Continue')).toBe(onwards(page));
    expect(await read(id)).toMatchObject({
      status: 'succeeded',
      payment_method: { type: 'card_fields', brand: 'visa', last4: '1111', exp_month: 3, exp_year: 2032 },
    });
    expect(await chargesOf(id)).toEqual([
      { reference: id, amount: 4990, currency: 'EUR', status: 'captured' },
    ]);
    const events = await shop.get('/api/v1/events?type=payment.succeeded&per_page=100');
    expect(
      events.body.data.filter((event: { data: { object: { id: string } } }) => event.data.object.id === id),
    ).toHaveLength(1);
  });

  it('is not charged again by a reload, a second visit or the form sent again', async () => {
    const { id, url } = await cardFields();
    const form = await visit(url);
    await submit(form, goodCard);
    for (const page of [
      await submit(form, goodCard),
      await submit(form, {}),
      await visit(url),
      await visit(`${url}/continue`),
    ]) {
      expect(page.status).toBe(200);
      expect(page.text).toContain('Your payment is complete');
      expect(page.text).not.toContain('<form');
      expect(onwards(page)).toBe(`${withQuery.success_url}&payment_id=${id}`);
    }
    expect(await chargesOf(id)).toHaveLength(1);
  });

  it('is charged once by a double click', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, url } = await cardFields();
      const form = await visit(url);
      const pages = await Promise.all([submit(form, goodCard), submit(form, goodCard)]);
      for (const page of pages) expect(page.status).toBe(200);
      for (const page of pages) expect(page.text).toContain('Your payment is complete');
      expect(await chargesOf(id)).toHaveLength(1);
    }
  });

  it('is held where manual capture was asked for', async () => {
    const { id, url } = await cardFields({ capture_method: 'manual' });
    const page = await submit(await visit(url), goodCard);
    expect(page.text).toContain('Your payment is authorized');
    expect(onwards(page)).toBe(`${withQuery.success_url}&payment_id=${id}`);
    expect((await read(id)).status).toBe('authorized');
  });

  it('and declined brings the buyer to failure_url with the issuer’s reason on the payment', async () => {
    const { id, url } = await cardFields();
    const page = await submit(await visit(url), { ...goodCard, name: 'CCREJECT-REFUSED' });
    expectSafe(page);
    expect(page.text).toContain('No money has been taken');
    expect(onwards(page)).toBe(`${withQuery.failure_url}&payment_id=${id}`);
    expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'do_not_honor' } });
    const reload = await visit(url);
    expect(onwards(reload)).toBe(onwards(page));
    expect(reload.text).not.toContain('<form');
    expect((await chargesOf(id)).filter(({ status }) => status === 'captured')).toEqual([]);
  });

  it.each([
    [goodCard, 'succeeded', 'Your payment is complete'],
    [{ ...goodCard, name: 'CCREJECT-REFUSED' }, 'failed', 'No money has been taken'],
  ])('shows the outcome on the page where there is no address: %o', async (card, status, text) => {
    const { id, url } = await cardFields({ success_url: null, failure_url: null });
    const page = await submit(await visit(url), card);
    expect(page.status).toBe(200);
    expect(onwards(page)).toBeUndefined();
    expect(page.text).toContain(text);
    expect((await read(id)).status).toBe(status);
    const reload = await visit(url);
    expect(onwards(reload)).toBeUndefined();
    expect(reload.text).toContain(text);
  });
});

describe('an address that is not, or no longer, a payment’s', () => {
  it('is answered by a page of 404 that says that no money was taken', async () => {
    const { id, url } = await cardFields();
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
        { ...(await visit(url)), url: wrong, text: `<form method="post" action="">` },
        goodCard,
      );
      expect(sent.status).toBe(404);
    }
    await expectUntouched(id);
  });

  it.each([
    ['with addresses', withQuery],
    ['without', { success_url: null, failure_url: null }],
  ])('says after the 15 minutes that it has expired, and takes no card: %s', async (_name, addresses) => {
    const merchant = await Merchant.open('processor_b');
    const { id, url } = await cardFields(addresses, merchant);
    const form = await visit(url);
    await till('clock', 'advance', '--account', merchant.id, '--seconds', '901');
    for (const page of [await submit(form, goodCard), await visit(url)]) {
      expect(page.text).toContain('This payment link has expired');
      expect(page.text).toContain('No money has been taken');
      expect(page.text).not.toContain('<form');
      const back = `${withQuery.failure_url}&payment_id=${id}`;
      expect(onwards(page)).toBe(addresses === withQuery ? back : undefined);
    }
    expect(await read(id, merchant)).toMatchObject({
      status: 'failed',
      failure: { code: 'confirmation_expired' },
    });
    expect((await merchant.ledger()).charges).toEqual([]);
  });
});

describe('a merchant’s name with HTML in it', () => {
  it('is shown as text', async () => {
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
    const { url } = await cardFields({}, merchant);
    const escaped = '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;Sons&#39;';
    const form = await visit(url);
    for (const page of [form, await submit(form, {}), await submit(form, goodCard), await visit(url)]) {
      expectSafe(page);
      expect(page.text).toContain(escaped);
    }
  });
});
