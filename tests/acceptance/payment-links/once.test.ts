import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { heldSeconds, holdNotifications } from '../../support/late-notifications.ts';
import { Merchant, till } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';
import { linkOf, shown, submit, visit } from '../checkout/browser.ts';
import { expectSafe, expectUntouched, goodCard, openCardFields } from '../checkout/kit.ts';
import { Buyer } from './buyer.ts';
import { card, chargesOf, countOf, openLink, path, payByCard, paymentsOf } from './kit.ts';

const cleanUp = new CleanUp();
let shopA: Merchant;
let shopB: Merchant;

beforeAll(async () => {
  shopA = await Merchant.open('processor_a', '--three-d-secure', 'off');
  shopB = await Merchant.open('processor_b');
});
afterAll(cleanUp.run);

describe('nothing is charged twice', () => {
  it('when a form is sent twice at once, and again later', async () => {
    const { id, url } = await openLink(shopA);
    const buyer = new Buyer();
    const form = await buyer.open(url);
    const ends = await Promise.all([buyer.send(form, card), buyer.send(form, card)]);
    for (const end of ends) expect(shown(end)).toMatch(/Payment complete|Do not pay again/);
    expect(shown(await buyer.send(form, card))).toContain('You have not been charged twice');
    expect(await chargesOf(shopA, id)).toBe(1);
    expect(await countOf(shopA, id)).toBe(1);
  });

  it.each([
    ['says so', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['is old', { origin: 'https://other.example' }],
  ])('by the form of another site, whose browser %s', async (_which, from) => {
    const { id, url } = await openLink(shopA);
    const form = await new Buyer().open(url);
    const refused = await submit(form, card, from);
    expect(refused.status).toBe(403);
    expectSafe(refused);
    expect(shown(refused)).toContain('This payment was not carried out. No money has been taken.');
    expect(refused.headers.get('set-cookie')).toBeNull();
    expect(new URL(linkOf(refused, 'Try again')).pathname).toBe(new URL(url).pathname);
    const again = { ...form, text: `<form method="post" action="${new URL(url).pathname}/again">` };
    expect((await submit(again, {}, from)).status).toBe(403);
    expect(await countOf(shopA, id)).toBe(0);
    const begun = await openCardFields(shopB);
    expect((await submit(await visit(begun.url), goodCard, from)).status).toBe(403);
    await expectUntouched(shopB, begun.id);
  });

  it('in two tabs of one browser, nor after the back button', async () => {
    const { id, url } = await openLink(shopA);
    const buyer = new Buyer();
    await buyer.open(url);
    const [one, other] = [await buyer.open(url), await buyer.open(url)];
    await buyer.send(one, card);
    expect(shown(await buyer.send(other, card))).toContain('You have not been charged twice');
    const back = await buyer.open(url);
    expect(shown(back)).toContain('You have paid €49.90 with this link');
    expect(back.text).not.toContain('name="number"');
    expect(await chargesOf(shopA, id)).toBe(1);
    const again = await buyer.open(linkOf(back, 'Make another payment'));
    await buyer.send(again, card);
    expect(await chargesOf(shopA, id)).toBe(2);
  });

  it.each([
    ['one after the other', false],
    ['at once', true],
  ])('in two tabs that were opened before the browser had its cookie, sent %s', async (_how, isAtOnce) => {
    const { id, url } = await openLink(shopA);
    const buyer = new Buyer();
    const [one, other] = await Promise.all([buyer.open(url), buyer.open(url)]);
    const first = buyer.send(one, card);
    if (!isAtOnce) await first;
    const [paid, again] = await Promise.all([first, buyer.send(other, card)]);
    const texts = [shown(paid), shown(again)];
    for (const text of texts)
      expect(text).toMatch(
        /Payment complete|not been charged twice|You have paid €49.90 with|Do not pay again/,
      );
    expect(await chargesOf(shopA, id)).toBe(1);
    expect(await countOf(shopA, id)).toBe(1);
  });

  it('when the page is opened again while the bank asks: the buyer goes on there, or gives it up', async () => {
    const { id, url } = await openLink(shopB, { max_payments: 1 });
    const buyer = new Buyer();
    const form = await buyer.send(await buyer.open(url), { way: 'card_fields' });
    expect((await buyer.open(url)).url).toBe(form.url);
    const asked = await buyer.open(linkOf(form, 'Start again'));
    expect(shown(asked)).toContain('You have begun a payment of €49.90. No money has been taken yet.');
    const anew = await buyer.send(asked);
    expect(shown(anew)).toContain('Pay by card');
    expect(await paymentsOf(shopB, id)).toMatchObject([{ status: 'failed' }]);
    const paid = await buyer.send(await buyer.send(anew, { way: 'card_fields' }), goodCard);
    expect(shown(paid)).toContain('Payment complete');
    expect(shown(await buyer.send(form, goodCard))).toContain('No money has been taken');
    expect(await chargesOf(shopB, id)).toBe(1);
  });
});

describe('a link that is paid once', () => {
  it('lets one of two buyers at the same moment pay, and shows the others why not', async () => {
    const { id, url } = await openLink(shopA, { max_payments: 1 });
    const buyers = Array.from({ length: 6 }, () => new Buyer());
    const ready = await Promise.all(buyers.map(async (buyer) => ({ buyer, form: await buyer.open(url) })));
    const texts = await Promise.all(
      ready.map(async ({ buyer, form }) => shown(await buyer.send(form, card))),
    );
    expect(texts.filter((text) => text.includes('Payment complete'))).toHaveLength(1);
    const others = texts.filter((text) => !text.includes('Payment complete'));
    for (const text of others) expect(text).toMatch(/Somebody is paying|Already paid/);
    expect(await chargesOf(shopA, id)).toBe(1);
    expect((await shopA.get(`${path}/${id}`)).body).toMatchObject({ status: 'completed', payments_count: 1 });
  });

  it('says so once it is paid, with 410', async () => {
    const { url } = await openLink(shopA, { max_payments: 1 });
    const buyer = new Buyer();
    await payByCard(buyer, url);
    const late = await new Buyer().open(url);
    expect(late.status).toBe(410);
    expect(shown(late)).toContain('This payment link has been paid and takes no further payment.');
    expect(shown(await buyer.open(url))).toContain('You have not been charged twice');
  });

  it('is held by a buyer at the bank, and free again when the payment fails', async () => {
    const shop = await Merchant.open('processor_b');
    const { id, url } = await openLink(shop, { max_payments: 1 });
    const first = new Buyer();
    const form = await first.send(await first.open(url), { way: 'card_fields' });
    const second = new Buyer();
    const busy = await second.open(url);
    expect(busy.status).toBe(409);
    expect(shown(busy)).toContain('Somebody is paying at this moment');
    await till('clock', 'advance', '--account', shop.id, '--seconds', '901');
    expect(shown(await second.open(url))).toContain('Pay by card');
    expect(await paymentsOf(shop, id)).toMatchObject([{ status: 'failed' }]);
    const over = await first.send(form, goodCard);
    // The link itself can still be paid.
    expect(shown(over)).toContain('This payment was not completed. No money has been taken.');
    expect(new URL(linkOf(over, 'Try again')).pathname).toBe(new URL(url).pathname);
  });

  it('is free for another buyer five minutes after one who sent nothing, and charges one of them', async () => {
    const shop = await Merchant.open('processor_b');
    const { id, url } = await openLink(shop, { max_payments: 1 });
    const left = new Buyer();
    const form = await left.send(await left.open(url), { way: 'card_fields' });
    await till('clock', 'advance', '--account', shop.id, '--seconds', '300');
    const other = new Buyer();
    const page = await other.open(url);
    expect(await paymentsOf(shop, id)).toMatchObject([{ status: 'requires_action' }]);
    const fields = await other.send(page, { way: 'card_fields' });
    expect(shown(await other.send(fields, goodCard))).toContain('Payment complete');
    expect(shown(await left.send(form, goodCard))).toContain('No money has been taken');
    expect(await paymentsOf(shop, id)).toMatchObject([{ status: 'succeeded' }, { status: 'failed' }]);
    expect(await chargesOf(shop, id)).toBe(1);
  });

  it('is not taken from a buyer whose bank asks', async () => {
    const shop = await Merchant.open('processor_b', '--three-d-secure', 'enabled');
    const { url } = await openLink(shop, { max_payments: 1 });
    const first = new Buyer();
    const fields = await first.send(await first.open(url), { way: 'card_fields' });
    const bank = await first.send(fields, { ...goodCard, number: '4212 3456 7891 0006' });
    expect(shown(bank)).toContain('Your bank is checking your details');
    await till('clock', 'advance', '--account', shop.id, '--seconds', '300');
    expect((await new Buyer().open(url)).status).toBe(409);
  });

  it('is not taken from a buyer of whom nobody knows yet what the processor did', async () => {
    const shop = await Merchant.open('processor_b');
    const { url } = await openLink(shop, { max_payments: 1 });
    const first = new Buyer();
    const fields = await first.send(await first.open(url), { way: 'card_fields' });
    await till('clock', 'advance', '--account', shop.id, '--seconds', '300');
    await holdNotifications(cleanUp, shop);
    await first.send(fields, { ...goodCard, name: 'SIM-500-DONE' });
    expect((await new Buyer().open(url)).status).toBe(409);
  });

  it('is not taken from a buyer who sent a card in the last five minutes', async () => {
    const shop = await Merchant.open('processor_b', '--three-d-secure', 'enabled');
    const { url } = await openLink(shop, { max_payments: 1 });
    const first = new Buyer();
    const fields = await first.send(await first.open(url), { way: 'card_fields' });
    await till('clock', 'advance', '--account', shop.id, '--seconds', '300');
    await first.send(fields, { ...goodCard, number: '4868719158130060' });
    expect((await new Buyer().open(url)).status).toBe(409);
    expect(shown(await first.send(fields, goodCard))).toContain('Payment complete');
  });

  it('is not taken by a buyer whose own payment cannot begin', async () => {
    const shop = await Merchant.open('processor_b');
    const bounds = { currency: 'HUF', amount: undefined, amount_range: { min: 1, max: 1_000_000 } };
    const { url } = await openLink(shop, { max_payments: 1, ...bounds });
    const first = new Buyer();
    const fields = await first.send(await first.open(url), { way: 'card_fields', amount: '1000' });
    await till('clock', 'advance', '--account', shop.id, '--seconds', '300');
    const other = new Buyer();
    const refused = await other.send(await other.open(url), { way: 'card_fields', amount: '10.01' });
    expect(refused.status).toBe(422);
    expect(linkOf(refused, 'Change what you entered')).toBe(`${url}?lang=en`);
    expect(shown(await first.send(fields, goodCard))).toContain('Payment complete');
  });

  it('keeps the place of a payment in doubt, and is paid once that is known', async () => {
    const shop = await Merchant.open('processor_a', '--three-d-secure', 'off');
    await holdNotifications(cleanUp, shop);
    const { id, url } = await openLink(shop, { max_payments: 1 });
    const buyer = new Buyer();
    const form = await buyer.open(url);
    const doubtful = await buyer.send(form, { ...card, name: 'SIM-500-DONE' });
    expect(shown(doubtful)).toContain('Processing. Do not pay again.');
    for (const page of [await buyer.open(url), await buyer.send(form, card)]) {
      expect(shown(page)).toContain('Processing. Do not pay again.');
      const [, state = '', after = ''] = /data-state="([^"]*)" data-after="([^"]*)"/.exec(page.text) ?? [];
      expect(after).toMatch(/\?lang=en$/);
      expect(JSON.parse((await buyer.open(new URL(state, url).href)).text)).toEqual({ state: 'processing' });
      expect(shown(await buyer.open(new URL(after, url).href))).toContain('Processing. Do not pay again.');
    }
    const other = await new Buyer().open(url);
    expect(other.status).toBe(409);
    expect(await countOf(shop, id)).toBe(0);
    await till('clock', 'advance', '--account', shop.id, '--seconds', String(heldSeconds));
    await until('it is known', async () => (await countOf(shop, id)) === 1);
    expect(shown(await buyer.open(url))).toContain('You have not been charged twice');
    expect((await new Buyer().open(url)).status).toBe(410);
    expect(await chargesOf(shop, id)).toBe(1);
  });
});

describe('a link that is over', () => {
  it.each([
    ['switched off', { status: 'inactive' }, 'has switched this payment link off. No money has been taken.'],
  ])('%s answers 410 with the reason, also to a form that was open', async (_name, changes, text) => {
    const { id, url } = await openLink(shopA);
    const buyer = new Buyer();
    const form = await buyer.open(url);
    await shopA.call('PATCH', `${path}/${id}`, { body: changes });
    for (const page of [await buyer.open(url), await buyer.send(form, card)]) {
      expect(page.status).toBe(410);
      expect(shown(page)).toContain(text);
      expectSafe(page);
    }
    expect(await paymentsOf(shopA, id)).toEqual([]);
  });

  it('expired answers 410 with the reason, by the account’s clock', async () => {
    const shop = await Merchant.open();
    const { id, url } = await openLink(shop, { expires_at: '2030-01-01T00:00:00Z' });
    expect((await new Buyer().open(url)).status).toBe(200);
    await till('clock', 'advance', '--account', shop.id, '--seconds', String(9 * 365 * 86_400));
    const page = await new Buyer().open(url);
    expect(page.status).toBe(410);
    expect(shown(page)).toContain('This payment link has expired. No money has been taken.');
    expect((await shop.get(`${path}/${id}`)).body.status).toBe('expired');
  });

  it('unknown is a 404 that says that no money was taken', async () => {
    const { url } = await openLink(shopA);
    for (const wrong of [
      `${url}x`,
      url.slice(0, -24).concat('0'.repeat(24)),
      url.replace('/pay/', '/pay/x'),
    ]) {
      const page = await visit(wrong);
      expect(page.status).toBe(404);
      expectSafe(page);
      expect(shown(page)).toContain('No money has been taken');
    }
  });
});
