import { expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { Merchant } from '../../support/merchant.ts';
import { shown } from '../checkout/browser.ts';
import { goodCard } from '../checkout/kit.ts';
import { Buyer } from './buyer.ts';
import { openLink, payByCard, paymentsOf } from './kit.ts';

const never = { slow_after: null, refuse_after: null };
const tooMany = 'Too many cards were declined here in the last hour. No money has been taken.';

/** Opens an account that limits declines only per payment link. */
async function openShop(processor: 'processor_a' | 'processor_b', link: object) {
  const secured = processor === 'processor_a' ? 'off' : 'enabled';
  const shop = await Merchant.open(processor, '--three-d-secure', secured);
  const owner = await Browser.of(shop, 'owner');
  const at = (rest: string) => `/accounts/${shop.id}${rest}`;
  const body = { address: never, card: never, link, account: never };
  expect((await owner.call('PATCH', at('/settings/card_testing'), { body })).status).toBe(200);
  const detailOf = async (id: string) => (await owner.get(at(`/payments/${id}`))).body;
  const figure = async () => (await owner.get(at('/home'))).body.attention.card_testing;
  return { shop, detailOf, figure };
}

it('declines with one link slow down its card form and then close it, of whomever and with whichever card', async () => {
  const { shop, detailOf, figure } = await openShop('processor_a', { slow_after: 1, refuse_after: 2 });
  const { id, url } = await openLink(shop);
  const declined = { name: 'CCREJECT-REFUSED' };
  await payByCard(new Buyer(), url, declined);
  await payByCard(new Buyer(), url, { ...declined, number: '5555444433331111' });
  const refused = await payByCard(new Buyer('de'), url);
  expect(refused.status).toBe(429);
  expect(shown(refused)).toContain('In der letzten Stunde wurden hier zu viele Karten abgelehnt.');
  expect(shown(refused)).toContain('Noch einmal versuchen');
  expect(shown(refused)).not.toContain('Zurück zu');
  const [slowed, first, ...others] = await paymentsOf(shop, id);
  expect(others).toEqual([]);
  const detail = await detailOf(slowed?.id ?? '');
  expect(detail.card_testing).toMatchObject([{ effect: 'slowed', because: 'link', times: 1 }]);
  expect(detail.timeline.map(({ kind }: { kind: string }) => kind)).toContain('card_testing.slowed');
  expect((await detailOf(first?.id ?? '')).card_testing).toEqual([]);
  expect(await figure()).toEqual({ slowed: 1, refused: 0, payments: 1 });
  const other = await openLink(shop);
  expect(shown(await payByCard(new Buyer(), other.url))).toContain('Payment complete');
});

it('of cards that are sent to one link at the same moment no more reach the processor than its limit', async () => {
  const { shop } = await openShop('processor_a', { slow_after: null, refuse_after: 3 });
  const { id, url } = await openLink(shop);
  const bots = Array.from({ length: 20 }, () => payByCard(new Buyer(), url, { name: 'CCREJECT-REFUSED' }));
  const refused = (await Promise.all(bots)).filter(({ status }) => status === 429);
  expect(refused).toHaveLength(17);
  expect(await paymentsOf(shop, id)).toHaveLength(3);
});

it('declines with one link close the checkout pages that it leads to, and no others', async () => {
  const { shop, detailOf, figure } = await openShop('processor_b', { slow_after: null, refuse_after: 1 });
  const { id, url } = await openLink(shop);
  const cardFields = async (link: string) => {
    const buyer = new Buyer();
    const form = await buyer.send(await buyer.open(link), { way: 'card_fields' });
    return (card: Readonly<Record<string, string>>) => buyer.send(form, card);
  };
  const bot = await cardFields(url);
  expect((await bot({ ...goodCard, number: '4868719158130060' })).status).toBe(422);
  const refused = await (await cardFields(url))(goodCard);
  expect(refused.status).toBe(429);
  expect(shown(refused)).toContain(tooMany);
  const [latest] = await paymentsOf(shop, id);
  const { card_testing: marks } = await detailOf(latest?.id ?? '');
  expect(marks).toMatchObject([{ effect: 'refused', because: 'link', times: 1 }]);
  expect(await figure()).toEqual({ slowed: 0, refused: 1, payments: 1 });
  const other = await openLink(shop);
  expect(shown(await (await cardFields(other.url))(goodCard))).toContain('Payment complete');
});

it('the return address of a declined payment counts nothing, however often it is loaded', async () => {
  const { shop } = await openShop('processor_b', { slow_after: null, refuse_after: 2 });
  const { url } = await openLink(shop);
  const buyer = new Buyer();
  const fields = await buyer.send(await buyer.open(url), { way: 'card_fields' });
  await buyer.send(fields, { ...goodCard, name: 'CCREJECT-REFUSED' });
  const back = fields.url.replace(/\?.*/, '').replace('/checkout/pay/', '/checkout/return/');
  for (let n = 0; n < 5; n += 1) await buyer.open(back);
  const other = new Buyer();
  const form = await other.send(await other.open(url), { way: 'card_fields' });
  expect(shown(await other.send(form, goodCard))).toContain('Payment complete');
});

it('of payments that one network begins with a link and leaves no more than 20 an hour are begun', async () => {
  const shop = await Merchant.open('processor_b', '--three-d-secure', 'off');
  const { url } = await openLink(shop);
  const begin = async (link: string, way: string) => {
    const buyer = new Buyer();
    return buyer.send(await buyer.open(link), { way });
  };
  for (let paid = 0; paid < 2; paid += 1) {
    const buyer = new Buyer();
    const fields = await buyer.send(await buyer.open(url), { way: 'card_fields' });
    expect(shown(await buyer.send(fields, goodCard))).toContain('Payment complete');
  }
  const bots = await Promise.all(Array.from({ length: 30 }, () => begin(url, 'wallet')));
  const begun = bots.filter(({ status }) => status === 200).length;
  // Concurrent payments count twice while they are being created, so these later requests use up the rest of the 20.
  for (let n = begun; n < 20; n += 1) expect((await begin(url, 'wallet')).status).toBe(200);
  const refused = await begin(url, 'wallet');
  expect(refused.status).toBe(429);
  expect(shown(refused)).toContain('Too many payments were begun here in the last hour.');
  expect((await begin(url, 'card_fields')).status).toBe(429);
  expect((await begin((await openLink(shop)).url, 'wallet')).status).toBe(200);
  await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 3601 });
  expect((await begin(url, 'wallet')).status).toBe(200);
});
