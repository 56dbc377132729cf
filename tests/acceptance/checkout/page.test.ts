import { beforeAll, describe, expect, it } from 'vitest';
import { Merchant, target } from '../../support/merchant.ts';
import { inputOf, linkOf, onwards, shown, submit, textOf, visit } from './browser.ts';
import { chargesOf, expectSafe, expectUntouched, goodCard, openCardFields, read, withQuery } from './kit.ts';

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open('processor_b');
});

describe('the card form', () => {
  it('shows shop, amount and four labelled fields, under strict headers, and says that it is a test', async () => {
    const { id, url } = await openCardFields(shop);
    expect(url.startsWith(`${target().baseUrl}/checkout/pay/`)).toBe(true);
    const page = await visit(url);
    expect(page.status).toBe(200);
    expectSafe(page);
    expect(shown(page)).toContain('Pay Test shop');
    expect(shown(page)).toContain('€49.90 EUR');
    expect(shown(page)).toContain('Complete by');
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
    await expectUntouched(shop, id);
  });

  it('shows what is paid for and which cards are accepted, before anything is typed', async () => {
    const { id, url } = await openCardFields(shop, {
      amount: 6190,
      reference: 'order-1001',
      description: '<b>Spring</b> order',
      line_items: [
        { name: 'Mug & saucer', unit_amount: 2000, quantity: 2, tax: 380 },
        { name: 'Tea', unit_amount: 1000, tax: 70 },
      ],
      shipping_amount: 500,
      discount_amount: 140,
    });
    const page = await visit(url);
    expectSafe(page);
    expect(shown(page)).toContain(
      '<b>Spring</b> order Your order Mug & saucer × 2€40.00 Tea€10.00 Tax€8.30 Shipping€5.00 Discount-€1.40 Total€61.90 Reference order-1001',
    );
    expect(textOf(page, 'number-hint')).toBe('We accept ');
    expect(shown(page)).toContain('We accept Visa, Mastercard, American Express, Discover.');
    const end = await submit(page, goodCard);
    expect(shown(end)).toContain('Mug & saucer × 2€40.00');
    expect((await read(shop, id)).status).toBe('succeeded');
  });

  it('offers the way back to the shop, with the payment’s id', async () => {
    const { id, url } = await openCardFields(shop);
    const back = linkOf(await visit(url), 'Cancel and return to Test shop');
    expect(back).toBe(`${withQuery.failure_url}&payment_id=${id}`);
    await expectUntouched(shop, id);
  });

  it('names every empty field at its input', async () => {
    const { id, url } = await openCardFields(shop);
    const page = await submit(await visit(url), {});
    expect(page.status).toBe(422);
    expectSafe(page);
    expect(page.text).toContain('role="alert"');
    expect(page.text).toContain('No money has been taken');
    for (const name of ['number', 'expiry', 'cvc', 'name']) {
      const input = inputOf(page, name);
      expect(input['aria-invalid']).toBe('true');
      const described = (input['aria-describedby'] ?? '').split(' ');
      expect(described.at(-1)).toBe(`${name}-problem`);
      for (const text of described) expect(textOf(page, text)).toMatch(/\S/);
      expect(page.text).toContain(`<a href="#${name}">`);
    }
    await expectUntouched(shop, id);
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
    const { id, url } = await openCardFields(shop);
    const page = await submit(await visit(url), { ...goodCard, ...changes });
    expect(page.status).toBe(422);
    for (const name of ['number', 'expiry', 'cvc', 'name'])
      expect([name, 'aria-invalid' in inputOf(page, name)]).toEqual([name, name === wrong]);
    expect(textOf(page, `${wrong}-problem`)).toMatch(/\S/);
    await expectUntouched(shop, id);
  });

  it('keeps the name, escaped, and never the number or the security code', async () => {
    const { url } = await openCardFields(shop);
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

  it('can be corrected after a mistake', async () => {
    const { id, url } = await openCardFields(shop);
    const again = await submit(await visit(url), { ...goodCard, cvc: '' });
    await submit(again, goodCard);
    expect((await read(shop, id)).status).toBe('succeeded');
    expect(await chargesOf(shop, id)).toHaveLength(1);
  });
});

describe('a card that is sent', () => {
  it('is charged once and redirects to success_url with its query and payment_id', async () => {
    const { id, url } = await openCardFields(shop);
    const page = await submit(await visit(url), goodCard);
    expect(page.status).toBe(200);
    expectSafe(page);
    expect(shown(page)).toContain('Your payment is complete. Returning to Test shop.');
    expect(onwards(page)).toBe(`${withQuery.success_url}&payment_id=${id}`);
    expect(linkOf(page, 'Return to Test shop')).toBe(onwards(page));
    expect(await read(shop, id)).toMatchObject({
      status: 'succeeded',
      payment_method: { type: 'card_fields', brand: 'visa', last4: '1111', exp_month: 3, exp_year: 2032 },
    });
    expect(await chargesOf(shop, id)).toEqual([
      { reference: id, amount: 4990, currency: 'EUR', status: 'captured' },
    ]);
    const events = await shop.get('/api/v1/events?type=payment.succeeded&per_page=100');
    expect(
      events.body.data.filter((event: { data: { object: { id: string } } }) => event.data.object.id === id),
    ).toHaveLength(1);
  });

  it('is not charged again by a reload, a second visit or the form sent again', async () => {
    const { id, url } = await openCardFields(shop);
    const form = await visit(url);
    await submit(form, goodCard);
    for (const page of [
      await submit(form, goodCard),
      await submit(form, {}),
      await visit(url),
      await visit(`${url}/continue`),
    ]) {
      expect(page.status).toBe(200);
      expect(shown(page)).toContain('This payment is already complete. You have not been charged twice.');
      expect(page.text).not.toContain('<form');
      // A page that a buyer opens to check the state of a payment does not redirect.
      expect(onwards(page)).toBeUndefined();
      expect(linkOf(page, 'Return to Test shop')).toBe(`${withQuery.success_url}&payment_id=${id}`);
    }
    expect(await chargesOf(shop, id)).toHaveLength(1);
  });

  it('is charged once by a double click', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, url } = await openCardFields(shop);
      const form = await visit(url);
      const pages = await Promise.all([submit(form, goodCard), submit(form, goodCard)]);
      for (const page of pages) {
        expect(page.status).toBe(200);
        expect(shown(page)).toMatch(
          /Your payment is complete|already complete|Processing\. Do not pay again\./,
        );
      }
      expect(pages.filter((page) => shown(page).includes('Your payment is complete'))).toHaveLength(1);
      const after = await visit(`${url}/wait`);
      expect(onwards(after)).toBe(`${withQuery.success_url}&payment_id=${id}`);
      expect(await chargesOf(shop, id)).toHaveLength(1);
    }
  });

  it('is held where manual capture was asked for', async () => {
    const { id, url } = await openCardFields(shop, { capture_method: 'manual' });
    const page = await submit(await visit(url), goodCard);
    expect(page.text).toContain('Your payment is authorized');
    expect(onwards(page)).toBe(`${withQuery.success_url}&payment_id=${id}`);
    expect((await read(shop, id)).status).toBe('authorized');
  });

  it('and declined redirects to failure_url with the issuer’s reason on the payment', async () => {
    const { id, url } = await openCardFields(shop);
    const page = await submit(await visit(url), { ...goodCard, name: 'CCREJECT-REFUSED' });
    expectSafe(page);
    expect(page.text).toContain('No money has been taken');
    expect(onwards(page)).toBe(`${withQuery.failure_url}&payment_id=${id}`);
    expect(await read(shop, id)).toMatchObject({ status: 'failed', failure: { code: 'do_not_honor' } });
    const reload = await visit(url);
    expect(shown(reload)).toContain('Your bank declined this payment. No money has been taken.');
    expect(linkOf(reload, 'Return to Test shop')).toBe(onwards(page));
    expect(reload.text).not.toContain('<form');
    expect((await chargesOf(shop, id)).filter(({ status }) => status === 'captured')).toEqual([]);
  });

  it.each([
    [goodCard, 'succeeded', 'Your payment is complete', 'This payment is already complete'],
    [
      { ...goodCard, name: 'CCREJECT-REFUSED' },
      'failed',
      'No money has been taken',
      'No money has been taken',
    ],
  ])('shows the outcome on the page where there is no address: %o', async (card, status, text, again) => {
    const { id, url } = await openCardFields(shop, { success_url: null, failure_url: null });
    const page = await submit(await visit(url), card);
    expect(page.status).toBe(200);
    expect(onwards(page)).toBeUndefined();
    expect(shown(page)).toContain(text);
    expect((await read(shop, id)).status).toBe(status);
    const reload = await visit(url);
    expect(onwards(reload)).toBeUndefined();
    expect(shown(reload)).toContain(again);
    const next = 'If you still want to pay, go back to Test shop and start again.';
    expect(shown(reload).includes(next)).toBe(status === 'failed');
    // No mail server is configured.
    expect(reload.text).not.toContain('<form');
  });
});
