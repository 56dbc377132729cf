import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { Merchant, till } from '../../support/merchant.ts';
import { linkOf, shown, submit, visit } from './browser.ts';
import { expectUntouched, goodCard, openCardFields, withQuery } from './kit.ts';

const refusedCard = { ...goodCard, number: '4868719158130060' };
const never = { slow_after: null, refuse_after: null };

let shop: Merchant;
let owner: Browser;
beforeAll(async () => {
  shop = await Merchant.open('processor_b', '--three-d-secure', 'enabled');
  owner = await Browser.of(shop, 'owner');
});

const at = (rest: string) => `/accounts/${shop.id}${rest}`;
const limit = (changes: object) =>
  owner.call('PATCH', at('/settings/card_testing'), {
    body: { address: never, card: never, link: never, account: never, ...changes },
  });

describe('cards that are tried on checkout pages', () => {
  it('are refused after the limit of their address, in the buyer’s language, without being sent', async () => {
    expect((await limit({ address: { slow_after: null, refuse_after: 2 } })).status).toBe(200);
    const first = await openCardFields(shop);
    const form = await visit(first.url);
    for (let card = 0; card < 2; card += 1) expect((await submit(form, refusedCard)).status).toBe(422);
    // A different payment and a different, valid card, but the same IP address.
    const second = await openCardFields(shop);
    const page = await submit(await visit(second.url), goodCard);
    expect(page.status).toBe(429);
    expect(shown(page)).toContain(
      'Too many cards were declined here in the last hour. No money has been taken.',
    );
    expect(linkOf(page, 'Return to Test shop')).toBe(`${withQuery.failure_url}&payment_id=${second.id}`);
    const german = await submit(await visit(second.url, { 'accept-language': 'de' }), goodCard, {
      'accept-language': 'de',
    });
    expect(shown(german)).toContain('In der letzten Stunde wurden hier zu viele Karten abgelehnt.');
    await expectUntouched(shop, second.id);

    const { body } = await owner.get(at(`/payments/${second.id}`));
    expect(body.card_testing).toMatchObject([{ effect: 'refused', because: 'address', times: 2 }]);
    expect(body.timeline.map(({ kind }: { kind: string }) => kind)).toContain('card_testing.refused');
    const home = (await owner.get(at('/home'))).body;
    expect(home.attention.card_testing).toEqual({ slowed: 0, refused: 2, payments: 1 });
    // The merchant API returns the same fields as before, and still accepts cards.
    expect(Object.keys((await shop.get(`/api/v1/payments/${second.id}`)).body)).not.toContain('card_testing');
    expect((await shop.pay()).status).toBe(201);

    await till('clock', 'advance', '--account', shop.id, '--seconds', '3600');
    const third = await openCardFields(shop);
    expect((await submit(await visit(third.url), goodCard)).status).toBe(200);
  });

  it('are refused after the limit of the card, whatever the address', async () => {
    await limit({ card: { slow_after: null, refuse_after: 1 } });
    const { url } = await openCardFields(shop);
    expect((await submit(await visit(url), refusedCard)).status).toBe(422);
    const next = await openCardFields(shop);
    const form = await visit(next.url);
    expect((await submit(form, refusedCard)).status).toBe(429);
    expect((await submit(form, goodCard)).status).toBe(200);
  });
});

describe('the limits', () => {
  it('are changed by owners and admins, with an entry in the audit log', async () => {
    const support = await Browser.of(shop, 'support');
    const account = { slow_after: 50, refuse_after: null };
    const body = { address: never, card: never, link: { slow_after: 5, refuse_after: 9 }, account };
    const refused = await support.call('PATCH', at('/settings/card_testing'), { body });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden']);
    expect((await limit(body)).status).toBe(200);
    expect((await support.get(at('/settings/card_testing'))).body).toEqual(body);
    for (const kind of ['card', 'link']) {
      const wrong = await limit({ [kind]: { slow_after: 9, refuse_after: 3 } });
      expect([wrong.status, wrong.body.error.param]).toEqual([422, `${kind}.refuse_after`]);
    }
    const { body: log } = await owner.get(at('/audit_log?action=card_testing_limits.changed'));
    expect(log.data[0]).toMatchObject({ after: body });

    const change = (link: object) => owner.call('PATCH', at('/settings/card_testing'), { body: { link } });
    const changed = await change({ refuse_after: 8 });
    expect(changed.body).toEqual({ ...body, link: { slow_after: 5, refuse_after: 8 } });
    const crossed = await change({ refuse_after: 4 });
    expect([crossed.status, crossed.body.error.param]).toEqual([422, 'link.refuse_after']);
  });
});
