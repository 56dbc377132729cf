import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { Merchant } from '../../support/merchant.ts';
import { inputOf, linkOf, shown, visit } from '../checkout/browser.ts';
import { expectSafe, goodCard } from '../checkout/kit.ts';
import { Buyer } from './buyer.ts';
import { card, chargesOf, countOf, openLink, payByCard, paymentsOf } from './kit.ts';

let shopA: Merchant;
let shopB: Merchant;

beforeAll(async () => {
  shopA = await Merchant.open('processor_a', '--three-d-secure', 'off');
  shopB = await Merchant.open('processor_b');
});

describe('paying with a link', () => {
  it('on processor_a takes the card on the page, and the payment names its link', async () => {
    const { id, url } = await openLink(shopA);
    const buyer = new Buyer();
    const form = await buyer.open(url);
    expectSafe(form);
    expect(shown(form)).toContain('Pay Test shop');
    expect(shown(form)).toContain('€49.90');
    expect(shown(form)).toContain('Pottery course');
    expect(form.text).toContain('Test payment. No money will be taken.');
    const end = await buyer.send(form, card);
    expect(shown(end)).toContain('Payment complete');
    expect(shown(end)).toContain('Pottery course');
    expect(await paymentsOf(shopA, id)).toMatchObject([
      { status: 'succeeded', amount: 4990, payment_link: id, reference: null, customer: null },
    ]);
    expect(await countOf(shopA, id)).toBe(1);
    expect(await chargesOf(shopA, id)).toBe(1);
    const { data } = (await shopA.get('/api/v1/events?type=payment.succeeded')).body;
    expect(data[0].data.object.payment_link).toBe(id);
  });

  it('on processor_b offers card and wallet, and goes on as the ordinary page', async () => {
    const { id, url } = await openLink(shopB);
    const buyer = new Buyer();
    const first = await buyer.open(url);
    expect(shown(first)).toContain('Pay by card');
    expect(shown(first)).toContain('Pay with PayPal');
    const form = await buyer.send(first, { way: 'card_fields' });
    expect(new URL(form.url).pathname).toMatch(/^\/checkout\/pay\//);
    expect(shown(form)).toContain('Pottery course');
    expect(shown(await buyer.send(form, goodCard))).toContain('Payment complete');
    expect(await paymentsOf(shopB, id)).toMatchObject([{ status: 'succeeded', payment_link: id }]);
    expect(await countOf(shopB, id)).toBe(1);
  });

  it('on processor_b by wallet waits for the approval there', async () => {
    const { id, url } = await openLink(shopB);
    const buyer = new Buyer();
    const way = await buyer.send(await buyer.open(url), { way: 'wallet' });
    expect(shown(way)).toContain('Continue to PayPal');
    const [payment] = await paymentsOf(shopB, id);
    expect(payment).toMatchObject({ status: 'requires_action', payment_link: id });
  });

  it('asks for amount and reference first, and says what is wrong with them without taking a card', async () => {
    const { id, url } = await openLink(shopA, {
      amount: undefined,
      amount_range: { min: 500, max: 10_000, suggested: 2000 },
      reference_label: 'Invoice number',
    });
    const buyer = new Buyer();
    const form = await buyer.open(url);
    expect(inputOf(form, 'amount').value).toBe('20.00');
    expect(form.text).not.toContain('name="cvc"');
    for (const amount of ['', '4.99', '100.01', 'ten', '1e3', '-5', '12.345']) {
      const wrong = await buyer.send(form, { way: 'typed', amount, reference: 'R-1' });
      expect(wrong.status).toBe(422);
      expect(wrong.text).toContain('<title>Error: Pay Test shop</title>');
      expect(shown(wrong)).toContain('Enter an amount from €5.00 to €100.00');
      expect(inputOf(wrong, 'amount')).toMatchObject({ 'aria-invalid': 'true' });
      expect(inputOf(wrong, 'reference').value).toBe('R-1');
    }
    const blank = await buyer.send(form, { way: 'typed', amount: '12,50', reference: '  ' });
    expect(shown(blank)).toContain('Fill in “Invoice number”');
    const leak = await buyer.send(form, { way: 'typed', amount: '12,50', reference: '4111 1111 1111 1111' });
    expect(shown(leak)).toContain('Do not enter a card number here');
    const cardForm = await buyer.send(form, { way: 'typed', amount: '12,50', reference: 'R-<1>' });
    expect(cardForm.status).toBe(200);
    expect(shown(cardForm)).toContain('€12.50');
    expect(cardForm.text).toContain('R-&lt;1&gt;');
    expect(await paymentsOf(shopA, id)).toEqual([]);
    const refused = await buyer.send(cardForm, { ...card, cvc: '' });
    expect(refused.status).toBe(422);
    expect(shown(refused)).toContain('Enter the 3 digits on the back');
    expect(refused.text).not.toContain('4111');
    expect(shown(await buyer.send(refused, card))).toContain('Payment complete');
    expect(await paymentsOf(shopA, id)).toMatchObject([{ amount: 1250, reference: 'R-<1>' }]);
  });

  it('never charges another amount than a fixed one, whatever the form says', async () => {
    const { id, url } = await openLink(shopA);
    await payByCard(new Buyer(), url, { amount: '0.01', reference: 'sent anyway' });
    expect(await paymentsOf(shopA, id)).toMatchObject([{ amount: 4990, reference: null }]);
  });

  it('goes to the shop’s own addresses where it has some', async () => {
    const { url } = await openLink(shopA, {
      success_url: 'https://shop.example/ok',
      failure_url: 'https://shop.example/failed',
    });
    const paid = await payByCard(new Buyer(), url);
    expect(paid.headers.get('refresh')).toMatch(/^0; url=https:\/\/shop\.example\/ok\?payment_id=pay_/);
    const declined = await payByCard(new Buyer(), url, { name: 'CCREJECT-REFUSED' });
    expect(declined.headers.get('refresh')).toMatch(
      /^0; url=https:\/\/shop\.example\/failed\?payment_id=pay_/,
    );
  });

  it('says that the bank declined, and begins anew', async () => {
    const { id, url } = await openLink(shopA);
    const buyer = new Buyer();
    const declined = await payByCard(buyer, url, { name: 'CCREJECT-REFUSED' });
    expect(shown(declined)).toContain('Your bank declined this payment. No money has been taken.');
    const form = await buyer.open(linkOf(declined, 'Try again'));
    expect(shown(await buyer.send(form, card))).toContain('Payment complete');
    expect((await paymentsOf(shopA, id)).map(({ status }) => status)).toEqual(['succeeded', 'failed']);
    expect(await countOf(shopA, id)).toBe(1);
  });

  it('of which one payment tried too many cards can begin another', async () => {
    const shop = await Merchant.open('processor_b', '--three-d-secure', 'enabled');
    const { url } = await openLink(shop);
    const buyer = new Buyer();
    const fields = await buyer.send(await buyer.open(url), { way: 'card_fields' });
    const refused = { ...goodCard, number: '4868719158130060' };
    for (let cards = 0; cards < 5; cards += 1) await buyer.send(fields, refused);
    const closed = await buyer.send(fields, goodCard);
    expect(shown(closed)).toMatch(/Too many cards were tried\. No money has been taken\. Start again/);
    const begun = await buyer.open(linkOf(closed, 'Start again'));
    const form = await buyer.send(await buyer.send(begun), { way: 'card_fields' });
    expect(shown(await buyer.send(form, goodCard))).toContain('Payment complete');
  });

  it('refuses a card that was declined too often, without sending it', async () => {
    const shop = await Merchant.open('processor_a', '--three-d-secure', 'off');
    const owner = await Browser.of(shop, 'owner');
    const never = { slow_after: null, refuse_after: null };
    const once = { slow_after: null, refuse_after: 1 };
    const body = { address: never, card: once, link: never, account: never };
    await owner.call('PATCH', `/accounts/${shop.id}/settings/card_testing`, { body });
    const { id, url } = await openLink(shop);
    const declined = { name: 'CCREJECT-REFUSED' };
    await payByCard(new Buyer(), url, declined);
    const refused = await payByCard(new Buyer(), url, declined);
    expect(refused.status).toBe(429);
    expect(shown(refused)).toContain('Too many cards were declined here in the last hour.');
    expect(await paymentsOf(shop, id)).toHaveLength(1);
  });

  it('asks the bank where it wants to be asked, without addresses of the shop', async () => {
    const shop = await Merchant.open('processor_a');
    const { id, url } = await openLink(shop);
    const buyer = new Buyer();
    const bank = await payByCard(buyer, url, { number: '4212345678910006' });
    expect(shown(bank)).toContain('Your bank is checking your details');
    const [payment] = await paymentsOf(shop, id);
    expect(payment?.status).toBe('requires_action');
    await shop.post(`/api/v1/test_helpers/payments/${payment?.id}/approve`, {});
    await shop.post(`/api/v1/payments/${payment?.id}/confirm`);
    expect(shown(await buyer.open(url))).toContain('You have paid €49.90 with this link');
    expect(await countOf(shop, id)).toBe(1);
  });

  it('speaks the buyer’s language, and keeps the one that was chosen', async () => {
    const { url } = await openLink(shopB, { amount: undefined, amount_range: { min: 100, max: 9000 } });
    const german = await new Buyer('de').open(url);
    expect(shown(german)).toContain('Mit Karte zahlen');
    const arabic = await new Buyer().open(`${url}?lang=ar`);
    expect(arabic.text).toContain('<html lang="ar" dir="rtl">');
    const buyer = new Buyer();
    const next = await buyer.send(await buyer.open(`${url}?lang=de`), { way: 'card_fields', amount: '5' });
    expect(next.text).toContain('<html lang="de"');
    const anew = await buyer.open(linkOf(next, 'Neu beginnen'));
    expect(anew.text).toContain('<html lang="de"');
    const bank = await openLink(shopA);
    const declined = await payByCard(new Buyer(), `${bank.url}?lang=de`, { name: 'CCREJECT-REFUSED' });
    expect((await visit(linkOf(declined, 'Noch einmal versuchen'))).text).toContain('<html lang="de"');
    const paying = new Buyer();
    await payByCard(paying, `${bank.url}?lang=de`);
    const paid = await paying.open(`${bank.url}?lang=de`);
    expect((await paying.open(linkOf(paid, 'Weitere Zahlung vornehmen'))).text).toContain('<html lang="de"');
  });
});
