import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { Merchant, target } from '../../support/merchant.ts';
import { commandJson, runCommand } from '../../support/server.ts';
import { visit } from '../checkout/browser.ts';
import { addressOf } from '../payment-links/buyer.ts';

interface Link {
  readonly id: string;
  readonly url: string;
  readonly status: string;
}

let shop: Merchant;
beforeAll(async () => {
  shop = await Merchant.open();
});

/** The shared server chooses its own port, so its commands get its address explicitly. */
const environment = () => ({ ...target().environment, BASE_URL: target().baseUrl });
const till = <T = object>(...words: string[]) => commandJson<T>(environment(), words);
const tillRaw = (...words: string[]) => runCommand(environment(), words);

const create = (...more: string[]) =>
  till<Link>('links', 'create', '--account', shop.id, '--title', 'Course', '--currency', 'EUR', ...more);

describe('till links', () => {
  it('makes a link that buyers can open, with its event and an audit entry', async () => {
    const link = await create('--amount', '4990', '--max-payments', '1');
    expect(link).toMatchObject({ status: 'active', amount: 4990, max_payments: 1, paid_amount: 0 });
    expect((await visit(addressOf(link.url))).status).toBe(200);
    const { paid_amount: _paid, ...same } = link as Link & { paid_amount: number };
    expect((await shop.get(`/api/v1/payment_links/${link.id}`)).body).toEqual(same);
    const { body: events } = await shop.get('/api/v1/events?type=payment_link.created');
    expect(events.data[0].data.object).toEqual(same);
    const owner = await Browser.of(shop, 'owner');
    const { body: log } = await owner.get(`/accounts/${shop.id}/audit_log`);
    const entry = log.data.find(({ action }: { action: string }) => action === 'payment_link.created');
    expect(entry).toMatchObject({ object_id: link.id, actor: { type: 'operator' } });
  });

  it('lists, shows, changes and switches them off', async () => {
    const link = await create('--min', '500', '--max', '50000', '--suggested', '2000');
    expect(await till('links', 'list', '--account', shop.id, '--status', 'active')).toMatchObject({
      data: [{ id: link.id, amount_range: { min: 500, max: 50_000, suggested: 2000 } }, {}],
    });
    const changed = await till('links', 'update', link.id, '--title', 'Donation', '--max-payments', '3');
    expect(changed).toMatchObject({ title: 'Donation', max_payments: 3 });
    expect(await till('links', 'update', link.id, '--max-payments', '')).toMatchObject({
      max_payments: null,
    });
    expect(await till('links', 'deactivate', link.id)).toMatchObject({ id: link.id, status: 'inactive' });
    expect(await till('links', 'show', link.id)).toMatchObject({ title: 'Donation', status: 'inactive' });
    expect((await visit(addressOf(link.url))).status).toBe(410);
    expect(await till('links', 'list', '--account', shop.id, '--status', 'inactive')).toMatchObject({
      data: [{ id: link.id }],
    });
  });

  it.each([
    ['no price', [], 'amount or amount_range is required.'],
    ['half a range', ['--min', '5'], 'amount_range.max is required.'],
    ['an end that is over', ['--amount', '5', '--expires-at', '2020-01-01T00:00:00Z'], 'in the future'],
    ['an address that is none', ['--amount', '5', '--success-url', 'shop'], 'success_url must be'],
  ])('refuses %s as the API does', async (_what, more, message) => {
    const words = ['links', 'create', '--account', shop.id, '--title', 'Course', '--currency', 'EUR'];
    const { exitCode, out } = await tillRaw(...words, ...more, '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(out).error).toMatchObject({
      code: 'invalid_link',
      message: expect.stringContaining(message),
    });
  });

  it.each(['show', 'deactivate', 'update'])('%s does not know others', async (command) => {
    const { exitCode, out } = await tillRaw('links', command, 'pl_000000000000000000000000', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(out).error.code).toBe('link_not_found');
  });
});
