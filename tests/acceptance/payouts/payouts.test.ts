import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { expectError } from '../../support/expect-error.ts';
import { Merchant, till, tillRaw } from '../../support/merchant.ts';
import { advance, changed, importFile, newFile, payoutsOf, settle } from './kit.ts';

/** Like `settle`, but the command may fail. */
const settleTo = (merchant: Merchant, path: string) =>
  tillRaw('sandbox', 'settle', '--account', merchant.id, '--out', path, '--json');

const missing = `po_${'0'.repeat(24)}`;

describe.each(['processor_a', 'processor_b'] as const)('a report of %s', (processor) => {
  let merchant: Merchant;
  let payment: string;
  let refund: string;
  let file: string;
  beforeAll(async () => {
    merchant = await Merchant.open(processor, '--three-d-secure', 'off');
    payment = (await merchant.pay({ amount: 4990 })).body.id;
    refund = (await merchant.post(`/api/v1/payments/${payment}/refunds`, { amount: 500 })).body.id;
    await advance(merchant, 60);
    file = await settle(merchant);
  });

  it('becomes a payout with its payment and refund, gross, fees and net', async () => {
    expect(await importFile(merchant, file)).toMatchObject({ payouts: 1, matched: 2, unmatched: 0 });
    const { body } = await merchant.get('/api/v1/payouts');
    expect(body).toMatchObject({ object: 'list', total_count: 1, has_more: false });
    const [payout] = await payoutsOf(merchant);
    expect(payout).toMatchObject({ object: 'payout', provider: processor, currency: 'EUR', gross: 4490 });
    expect((await merchant.get(`/api/v1/payouts/${payout?.id}`)).body).toEqual(body.data[0]);
    expect(payout?.lines.find(({ type }) => type === 'payment')).toMatchObject({
      object: 'payout_line',
      payout: payout?.id,
      payment,
      gross: 4990,
    });
    expect(payout?.lines.find(({ type }) => type === 'refund')).toMatchObject({
      payment,
      refund,
      gross: -500,
    });
  });

  it("imported by the operator has an entry in the account's audit log", async () => {
    const shop = await Merchant.open(processor, '--three-d-secure', 'off');
    await shop.pay();
    await importFile(shop, await settle(shop));
    const owner = await Browser.of(shop, 'owner');
    const { body: log } = await owner.get(`/accounts/${shop.id}/audit_log`);
    const entry = log.data.find(({ action }: { action: string }) => action === 'settlement_report.imported');
    expect(entry).toMatchObject({
      actor: { type: 'operator' },
      after: { file: 'report.csv', payouts: 1, matched: 1, repeated: false },
    });
  });

  it('imported again changes nothing, byte for byte or written otherwise', async () => {
    const first = await importFile(merchant, file);
    const before = await payoutsOf(merchant);
    expect(await importFile(merchant, file)).toEqual(first);
    const again = await changed(file, (text) => text.replaceAll('\r\n', '\n'));
    expect(await importFile(merchant, again)).toEqual(first);
    expect(await payoutsOf(merchant)).toEqual(before);
  });

  it('that is not whole is refused, and nothing of it kept', async () => {
    const other = await Merchant.open(processor, '--three-d-secure', 'off');
    for (let count = 0; count < 3; count += 1) await other.pay();
    const whole = await settle(other);
    const cut = await changed(whole, (text) => text.split('\r\n').slice(0, 4).join('\r\n'));
    const { exitCode, out } = await tillRaw('settlements', 'import', cut, '--account', other.id, '--json');
    expect(exitCode).toBe(1);
    const { error } = JSON.parse(out);
    expect(error.code).toBe('invalid_report');
    expect(error.message).toMatch(/^line \d+: .*the report is not whole\. Nothing was imported\.$/);
    expect((await other.get('/api/v1/payouts')).body.total_count).toBe(0);
    expect(await importFile(other, whole)).toMatchObject({ matched: 3, unmatched: 0 });
  });

  it('matches nothing where nothing is known of its payments, and says so', async () => {
    const stranger = await Merchant.open(processor);
    const renamed = await changed(file, (text) => text.replaceAll(merchant.id, stranger.id));
    expect(await importFile(stranger, renamed)).toMatchObject({ payouts: 1, matched: 0, unmatched: 2 });
    const [payout] = await payoutsOf(stranger);
    expect(payout?.unmatched_count).toBe(2);
    expect(payout?.lines.map((line) => [line.payment, line.refund, line.dispute])).toEqual(
      payout?.lines.map(() => [null, null, null]),
    );
    const [own] = await payoutsOf(merchant);
    expectError(await stranger.get(`/api/v1/payouts/${own?.id}`), 'not_found');
    expectError(await stranger.get(`/api/v1/payouts/${own?.id}/lines`), 'not_found');
  });
});

describe('a report', () => {
  let merchant: Merchant;
  let file: string;
  beforeAll(async () => {
    merchant = await Merchant.open('processor_a', '--three-d-secure', 'off');
    await merchant.pay({ amount: 1000 });
    await merchant.pay({ amount: 2000 });
    file = await settle(merchant);
  });

  it('of another merchant is refused with the name of its merchant account', async () => {
    const stranger = await Merchant.open('processor_a');
    const { exitCode, out } = await tillRaw(
      'settlements',
      'import',
      file,
      '--account',
      stranger.id,
      '--json',
    );
    const { error } = JSON.parse(out);
    expect([exitCode, error.code]).toEqual([1, 'invalid_report']);
    expect(error.message).toContain(`it is of the merchant account ${merchant.id}`);
    expect(error.message).toContain(stranger.id);
    expect(await payoutsOf(stranger)).toEqual([]);
  });

  it('with an amount that is none names line and column', async () => {
    const wrong = await changed(file, (text) => text.replace('19.82', 'nineteen'));
    const { out } = await tillRaw('settlements', 'import', wrong, '--account', merchant.id, '--json');
    expect(JSON.parse(out).error.message).toContain(
      'line 3, column Net Credit (NC): expected an amount of EUR',
    );
  });

  it('that is of something else is refused', async () => {
    const other = await changed(file, () => 'a,b\n1,2\n');
    const { out } = await tillRaw('settlements', 'import', other, '--account', merchant.id, '--json');
    expect(JSON.parse(out).error.message).toContain('this is no Settlement details report');
  });

  it('that corrects an earlier one takes its place under the same id', async () => {
    await importFile(merchant, file);
    const [before] = await payoutsOf(merchant);
    // Takes one cent from the first payment and from the paid-out sum.
    const corrected = await changed(file, (text) =>
      text
        .replace('10.00,1,EUR,,9.91', '9.99,1,EUR,,9.90')
        .replace(/MerchantPayout,([^,]*),,,,,EUR,29\.51/, 'MerchantPayout,$1,,,,,EUR,29.50'),
    );
    expect(await importFile(merchant, corrected)).toMatchObject({ payouts: 1, matched: 1, unmatched: 1 });
    const [after, ...others] = await payoutsOf(merchant);
    expect(others).toEqual([]);
    expect(after).toMatchObject({ id: before?.id, net: (before?.net ?? 0) - 1, unmatched_count: 1 });
  });

  it('that names a dispute which comes later is matched with it when it is imported again', async () => {
    const shop = await Merchant.open('processor_a', '--three-d-secure', 'off');
    const { id: payment } = (await shop.pay({ amount: 1000 })).body;
    await shop.pay({ amount: 2000 });
    const early = await changed(await settle(shop), (text) => {
      const [, charge = ''] = text.split('\r\n');
      const back = charge
        .replace(',Settled,', ',Chargeback,')
        .replace(/EUR,,10\.00,1,EUR,,9\.91(,[^,]*){4}/, 'EUR,10.00,,1,EUR,10.00,,,,,');
      return text
        .replace(charge, `${charge}\r\n${back}`)
        .replace(/(MerchantPayout,[^,]*,,,,,EUR,)29\.51/, '$119.51');
    });
    expect(await importFile(shop, early)).toMatchObject({ lines: 4, matched: 2, unmatched: 1 });
    const [before] = await payoutsOf(shop);
    const dispute = await till<{ id: string }>('disputes', 'open', '--payment', payment);
    expect(await importFile(shop, early)).toMatchObject({ lines: 4, matched: 3, unmatched: 0 });
    const [after, ...others] = await payoutsOf(shop);
    expect(others).toEqual([]);
    expect(after).toMatchObject({ id: before?.id, net: before?.net, unmatched_count: 0 });
    expect(after?.lines.find(({ type }) => type === 'chargeback')).toMatchObject({
      payment,
      dispute: dispute.id,
    });
  });

  it('is paged like other lists, and refuses pages that are none', async () => {
    const [payout] = await payoutsOf(merchant);
    const { body } = await merchant.get(`/api/v1/payouts/${payout?.id}/lines?per_page=2&page=2`);
    expect(body).toMatchObject({ has_more: false, total_count: 3 });
    expect(body.data).toHaveLength(1);
    expectError(await merchant.get('/api/v1/payouts?page=0'), 'invalid_params');
    expectError(await merchant.get(`/api/v1/payouts/${missing}`), 'not_found');
  });
});

describe('the command line', () => {
  it('lists payouts, and the lines of one that do not match', async () => {
    const [merchant, other] = await Promise.all([Merchant.open(), Merchant.open()]);
    await other.pay();
    const unknown = await changed(await settle(other), (text) => text.replaceAll(other.id, merchant.id));
    await importFile(merchant, unknown);
    const { data } = (await merchant.get('/api/v1/payouts')).body;
    const [{ id }] = data;
    expect(await till('settlements', 'list', '--account', merchant.id)).toEqual({ data });
    expect(await till('settlements', 'unmatched', id, '--account', merchant.id)).toMatchObject({
      data: [{ reason: 'unknown', type: 'payment', payment: null, payout: id }],
    });
    const theirs = await tillRaw('settlements', 'unmatched', id, '--account', other.id, '--json');
    expect(JSON.parse(theirs.out).error.code).toBe('payout_not_found');
    expect(await till('settlements', 'list', '--account', other.id)).toEqual({ data: [] });
  });

  it('writes the file for the books as the dashboard does, of the last whole month where none is named', async () => {
    const merchant = await Merchant.open();
    const owner = await Browser.of(merchant, 'owner');
    await merchant.pay();
    await importFile(merchant, await settle(merchant));
    const { data } = (await merchant.get('/api/v1/payouts')).body;
    const month = data[0].arrival_date.slice(0, 7);
    const out = await newFile('books.csv');
    const to = ['--account', merchant.id, '--out', out];
    const write = (...options: string[]) =>
      till<{ month: string; movements: number }>('settlements', 'export', ...to, ...options);
    const { text } = await owner.get(`/accounts/${merchant.id}/payouts/export?month=${month}`);
    const lines = text.trimEnd().split('\r\n').length;
    expect(lines).toBeGreaterThan(3);
    expect(await write('--month', month)).toEqual({ file: out, month, movements: lines - 1 });
    expect((await readFile(out, 'utf8')).replace('\uFEFF', '')).toBe(text.replace('\uFEFF', ''));
    const last = await write();
    expect(last.movements).toBe(0);
    expect(last.month < month).toBe(true);
  });
});

describe('the sandbox', () => {
  it('pays each movement out once, one payout for each currency', async () => {
    const merchant = await Merchant.open('processor_a', '--three-d-secure', 'off');
    await merchant.pay({ amount: 1000 });
    await merchant.pay({ amount: 1000, currency: 'USD' });
    expect(await importFile(merchant, await settle(merchant))).toMatchObject({ payouts: 2, matched: 2 });
    const nothing = await settleTo(merchant, await newFile());
    expect(JSON.parse(nothing.out).error.code).toBe('nothing_to_pay_out');
    await merchant.pay({ amount: 300 });
    await importFile(merchant, await settle(merchant));
    const payouts = await payoutsOf(merchant);
    expect(payouts.map(({ currency, gross }) => [currency, gross])).toEqual([
      ['EUR', 300],
      ['USD', 1000],
      ['EUR', 1000],
    ]);
  });

  it('pays out nothing where its report cannot be written, and names the file', async () => {
    const merchant = await Merchant.open('processor_b');
    await merchant.pay({ amount: 1000 });
    const nowhere = join(await newFile('missing'), 'report.csv');
    // A path that can be opened may still be on a full disk.
    for (const path of [nowhere, '/dev/full']) {
      const { exitCode, out } = await settleTo(merchant, path);
      expect([exitCode, JSON.parse(out).error.code]).toEqual([1, 'file_not_written']);
      expect(JSON.parse(out).error.message).toContain(path);
    }
    expect(await importFile(merchant, await settle(merchant))).toMatchObject({ payouts: 1, matched: 1 });
  });

  it('leaves a file as it was where there is nothing to pay out, and makes none', async () => {
    const merchant = await Merchant.open();
    const [kept, none] = [await newFile(), await newFile()];
    await writeFile(kept, 'of the last month');
    for (const path of [kept, none]) {
      const { out } = await settleTo(merchant, path);
      expect(JSON.parse(out).error.code).toBe('nothing_to_pay_out');
    }
    expect(await readFile(kept, 'utf8')).toBe('of the last month');
    await expect(readFile(none)).rejects.toThrow('ENOENT');
    await merchant.pay();
    expect((await settleTo(merchant, kept)).exitCode).toBe(0);
    expect(await readFile(kept, 'utf8')).toMatch(/^Company Account,/);
  });
});
