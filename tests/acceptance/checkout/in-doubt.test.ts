import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { holdNotifications } from '../../support/late-notifications.ts';
import { Merchant } from '../../support/merchant.ts';
import { Buyer } from '../payment-links/buyer.ts';
import { openLink } from '../payment-links/kit.ts';
import { shown, submit, visit } from './browser.ts';
import { chargesOf, goodCard, openCardFields } from './kit.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);
let shop: Merchant;

/** The charge of this card succeeds, but its response never arrives. */
const unanswered = { ...goodCard, name: 'SIM-500-DONE' };
const falseWords = /No money has been taken/;

beforeEach(async () => {
  shop = await Merchant.open('processor_b');
  await holdNotifications(cleanUp, shop);
});

describe('while it is not known whether a card was charged', () => {
  it.each([
    ['cancel', 'a failure_url', {}],
    ['cancel', 'no failure_url', { success_url: null, failure_url: null }],
    ['return', 'a success_url', {}],
  ])('the address of a %s, with %s, does not say that nothing was taken', async (address, _, urls) => {
    const { id, url } = await openCardFields(shop, urls);
    await submit(await visit(url), unanswered);
    expect(await chargesOf(shop, id)).toHaveLength(1);
    const page = await visit(url.replace('/checkout/pay/', `/checkout/${address}/`));
    expect(shown(page)).not.toMatch(falseWords);
    expect(page.headers.get('refresh') ?? '').not.toContain('shop.example/failed');
  });

  it('a payment link that is opened once more says so neither, and offers no second start', async () => {
    const link = await openLink(shop);
    const buyer = new Buyer();
    const details = await buyer.open(link.url);
    const cardPage = await buyer.send(details, { way: 'card' });
    await buyer.send(cardPage, unanswered);
    for (const page of [
      await buyer.open(`${link.url}?again=1`),
      await buyer.send(details, { way: 'card' }),
    ]) {
      expect(shown(page)).not.toMatch(falseWords);
      expect(shown(page)).not.toContain('Start again');
    }
  });
});
