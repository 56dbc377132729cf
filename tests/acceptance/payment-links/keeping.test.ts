import { beforeAll, describe, expect, it } from 'vitest';
import { freshEmail, Merchant } from '../../support/merchant.ts';
import { type Page, shown } from '../checkout/browser.ts';
import { goodCard } from '../checkout/kit.ts';
import { Buyer } from './buyer.ts';
import { card, openLink, paymentsOf } from './kit.ts';

let shopA: Merchant;
let shopB: Merchant;

beforeAll(async () => {
  shopA = await Merchant.open('processor_a', '--three-d-secure', 'off');
  shopB = await Merchant.open('processor_b');
});

const mastercard = { ...card, number: '5555444433331111' };
const keptOf = async (shop: Merchant, customer: string) =>
  (await shop.get(`/api/v1/customers/${customer}/payment_methods`)).body.data;

/** Pays with a new link of processor_a that saves cards. */
async function payWith(email: string, fields = card) {
  const { id, url } = await openLink(shopA, { save_payment_method: true });
  const buyer = new Buyer();
  await buyer.send(await buyer.send(await buyer.open(url), { way: 'typed', email }), fields);
  const [payment] = await paymentsOf(shopA, id);
  if (payment === undefined) throw new Error('nothing was paid');
  return payment;
}

/** A customer that was created by a link. */
async function ofLink() {
  const email = freshEmail();
  const { customer } = await payWith(email);
  return { email, customer: customer ?? '' };
}

/** The text of a page, without the time of this buyer's visit. */
const timeless = (page: Page) => shown(page).replaceAll(/\d\d:\d\d UTC/g, '…');

describe('a link that keeps what buyers pay with', () => {
  it('keeps it under the address that the buyer enters', async () => {
    const { url } = await openLink(shopA, { save_payment_method: true });
    const buyer = new Buyer();
    const wrong = await buyer.send(await buyer.open(url), { way: 'typed', email: 'nobody' });
    expect(shown(wrong)).toContain('Enter an email address');
    const email = freshEmail();
    const payment = await payWith(email);
    expect(payment.payment_method_id).toMatch(/^pm_/);
    expect((await shopA.get(`/api/v1/customers/${payment.customer}`)).body.email).toBe(email);
    expect((await payWith(email.toUpperCase(), mastercard)).customer).toBe(payment.customer);
    expect(await keptOf(shopA, payment.customer ?? '')).toHaveLength(2);
  });

  it.each([
    ['the address only', {}],
    ['an external_id and metadata', { external_id: 'user-1', metadata: { plan: 'gold' } }],
    ['a name', { name: 'Jane Smith' }],
  ])('keeps nothing with a customer of the merchant’s own, of whom is known: %s', async (_what, fields) => {
    const { body: own } = await shopA.post('/api/v1/customers', { email: freshEmail(), ...fields });
    await shopA.pay({ customer: own.id, save_payment_method: true });
    const kept = await keptOf(shopA, own.id);
    expect(await payWith(own.email.toUpperCase(), mastercard)).toMatchObject({
      status: 'succeeded',
      customer: null,
      payment_method_id: null,
    });
    expect(await keptOf(shopA, own.id)).toEqual(kept);
    const renewal = { customer: own.id, use_last_payment_method: true, merchant_initiated: true };
    const { body: charged } = await shopA.pay({ ...renewal, payment_method: undefined });
    expect(charged).toMatchObject({ status: 'succeeded', payment_method_id: kept[0].id });
  });

  it.each([
    [
      'changed',
      (id: string) =>
        shopA.call('PATCH', `/api/v1/customers/${id}`, { body: { metadata: { plan: 'gold' } } }),
    ],
    [
      'charged',
      (customer: string) => shopA.pay({ customer, use_last_payment_method: true, payment_method: undefined }),
    ],
    ['given another card', (customer: string) => shopA.pay({ customer, save_payment_method: true })],
  ])('uses a customer that it made no more once the merchant has %s it', async (_what, use) => {
    const { email, customer } = await ofLink();
    expect((await use(customer)).status).toBeLessThan(300);
    const kept = await keptOf(shopA, customer);
    expect(await payWith(email, mastercard)).toMatchObject({ customer: null, payment_method_id: null });
    expect(await keptOf(shopA, customer)).toEqual(kept);
  });

  it.each([
    ['processor_a', 'typed', 'Test shop may keep this card for your later payments.'],
    ['processor_b', 'card_fields', 'Test shop may keep this card for your later payments.'],
    ['processor_b', 'wallet', 'Test shop may keep your PayPal account for your later payments.'],
  ])('says the same to everybody on %s (%s), whether it keeps the method or not', async (name, way, note) => {
    const shop = name === 'processor_a' ? shopA : shopB;
    const own = freshEmail();
    const named = freshEmail();
    await shop.post('/api/v1/customers', { email: own });
    await shop.post('/api/v1/customers', { email: named, name: 'Jane Smith', locale: 'de-DE' });
    const { url } = await openLink(shop, { save_payment_method: true });
    const pages = [];
    for (const email of [freshEmail(), own, named]) {
      const buyer = new Buyer();
      const first = await buyer.open(url);
      expect(shown(first)).toContain('Test shop may keep what you pay with under this address.');
      pages.push(timeless(await buyer.send(first, { way, email })));
    }
    expect(pages[0]).toContain(note);
    expect(pages[0]).not.toContain('will keep');
    expect(pages).toEqual([pages[0], pages[0], pages[0]]);
  });

  it('says nothing of keeping where it keeps nothing', async () => {
    const { url } = await openLink(shopB);
    const buyer = new Buyer();
    const form = await buyer.send(await buyer.open(url), { way: 'card_fields' });
    expect(shown(form)).not.toMatch(/(will|may) keep/);
  });

  it('uses a customer that it made no more once the merchant has opened the wallet for it', async () => {
    const { id, url } = await openLink(shopB, { save_payment_method: true });
    const email = freshEmail();
    const pay = async () => {
      const buyer = new Buyer();
      const form = await buyer.send(await buyer.open(url), { way: 'card_fields', email });
      expect(shown(await buyer.send(form, goodCard))).toContain('Payment complete');
      const [payment] = await paymentsOf(shopB, id);
      return payment?.customer ?? null;
    };
    const customer = await pay();
    expect(customer).toMatch(/^cus_/);
    expect(await pay()).toBe(customer);
    expect((await shopB.post('/api/v1/client_tokens', { customer })).status).toBe(201);
    expect(await pay()).toBeNull();
  });
});
