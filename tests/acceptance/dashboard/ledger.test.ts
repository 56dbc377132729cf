import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { Browser } from '../../support/dashboard.ts';
import { Merchant, till, tillRaw } from '../../support/merchant.ts';
import { temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const cleanUp = new CleanUp();
let shop: Merchant;
let owner: Browser;
let month: string;

interface Sum {
  readonly currency: string;
  readonly type: string;
  readonly count: number;
  readonly amount: number;
}

beforeAll(async () => {
  shop = await Merchant.open('processor_b');
  owner = await Browser.of(shop, 'owner');
  month = new Date().toISOString().slice(0, 7);
});
afterAll(cleanUp.run);

const at = (path: string, merchant = shop) => `/accounts/${merchant.id}${path}`;
const sumsOf = async (of = month): Promise<Sum[]> => (await owner.get(at(`/ledger?month=${of}`))).body.sums;
const csv = async (of = month) => (await owner.get(at(`/ledger/export?month=${of}`))).text;
const rowsOf = (text: string) =>
  text
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(','));

describe('the ledger of a month', () => {
  it('has every movement of money, and lines that add up to the sums of the page', async () => {
    const { body: payment } = await shop.pay({ reference: 'order-1' });
    const { body: yen } = await shop.pay({ currency: 'JPY', amount: 5000 });
    const { body: hold } = await shop.pay({ capture_method: 'manual' });
    await shop.post(`/api/v1/payments/${hold.id}/capture`);
    await shop.pay({ capture_method: 'manual' });
    await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } });
    const refunds = `/api/v1/payments/${payment.id}/refunds`;
    await shop.post(refunds, { amount: 1000 });
    await shop.post(refunds, { amount: 500, note: 'SIM-REFUND-FAIL-SYNC' });
    await shop.post(`/api/v1/test_helpers/payments/${yen.id}/dispute`, {});
    const expected = [
      { currency: 'EUR', type: 'payment', count: 1, amount: 4990 },
      { currency: 'EUR', type: 'capture', count: 1, amount: 4990 },
      { currency: 'EUR', type: 'refund', count: 1, amount: -1000 },
      { currency: 'JPY', type: 'payment', count: 1, amount: 5000 },
      { currency: 'JPY', type: 'chargeback', count: 1, amount: -5000 },
    ];
    await until('the refund has settled', async () => (await sumsOf()).length === expected.length);
    expect(await sumsOf()).toEqual(expected);

    const text = await csv();
    expect(
      text.startsWith('date,time,time_zone,type,amount,currency,amount_minor,payment,object,reference\r\n'),
    ).toBe(true);
    const rows = rowsOf(text);
    expect(rows).toHaveLength(5);
    for (const { currency, type, amount } of expected) {
      const minor = rows.filter((row) => row[5] === currency && row[3] === type).map((row) => Number(row[6]));
      expect(minor.reduce((sum, one) => sum + one, 0)).toBe(amount);
    }
    expect(rows.find((row) => row[3] === 'refund')?.slice(4, 8)).toEqual([
      '-10.00',
      'EUR',
      '-1000',
      payment.id,
    ]);
    expect(rows.find((row) => row[3] === 'payment' && row[5] === 'EUR')?.at(-1)).toBe('order-1');
  });

  it('is counted by the days of the account’s time zone, which staff choose', async () => {
    const viewer = await Browser.of(shop, 'viewer');
    const path = at('/settings/business');
    const change = (browser: Browser, zone: string) =>
      browser.call('PATCH', path, { body: { name: 'Shop', time_zone: zone } });
    expect((await change(viewer, 'Asia/Tokyo')).status).toBe(403);
    const refused = await change(owner, 'Berlin');
    expect([refused.status, refused.body.error.param]).toEqual([422, 'time_zone']);
    expect((await change(owner, 'Pacific/Kiritimati')).body.time_zone).toBe('Pacific/Kiritimati');
    const { body } = await owner.get(at('/ledger?month=2026-11'));
    expect(body).toMatchObject({
      time_zone: 'Pacific/Kiritimati',
      from: '2026-10-31T10:00:00Z',
      to: '2026-11-30T10:00:00Z',
    });
    expect(await till('accounts', 'get', shop.id)).toMatchObject({ time_zone: 'Pacific/Kiritimati' });
    await till('accounts', 'update', shop.id, '--time-zone', 'UTC');
    expect((await owner.get(at('/ledger?month=2026-11'))).body.time_zone).toBe('UTC');
  });

  it('is written by the command line, for a schedule', async () => {
    const folder = await temporaryFolder();
    cleanUp.add(folder.remove);
    const out = join(folder.path, 'books.csv');
    const written = await till('ledger', 'export', '--account', shop.id, '--month', month, '--out', out);
    expect(written).toEqual({ file: out, month, time_zone: 'UTC', movements: 5 });
    const nowhere = join(folder.path, 'missing', 'books.csv');
    const failed = await tillRaw('ledger', 'export', '--account', shop.id, '--out', nowhere, '--json');
    expect(JSON.parse(failed.out).error).toMatchObject({
      code: 'file_not_written',
      message: expect.stringContaining(nowhere),
    });
    // Reading the response as text drops the byte order mark.
    expect(await readFile(out, 'utf8')).toBe(`\u{FEFF}${await csv()}`);
  });

  it('is of one account and mode alone, and of a month that exists', async () => {
    const stranger = await Browser.of(await Merchant.open(), 'owner');
    expect((await stranger.get(at(`/ledger?month=${month}`))).status).toBe(404);
    expect((await stranger.get(at(`/ledger/export?month=${month}`))).status).toBe(404);
    expect((await owner.get(at('/ledger?month=2026-13'))).status).toBe(422);
    expect(await sumsOf('2020-01')).toEqual([]);
    const other = await Merchant.open();
    const foreign = await Browser.of(other, 'viewer');
    expect((await foreign.get(at(`/ledger?month=${month}`, other))).body.sums).toEqual([]);
  });
});
