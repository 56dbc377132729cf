import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { Merchant, type Reply, target } from '../../support/merchant.ts';
import { advance, settle } from '../payouts/kit.ts';

let shop: Merchant;
let owner: Browser;
let payment: string;
beforeAll(async () => {
  shop = await Merchant.open('processor_a', '--three-d-secure', 'off');
  owner = await Browser.of(shop, 'owner');
  payment = (await shop.pay({ amount: 4990 })).body.id;
  await shop.post(`/api/v1/payments/${payment}/refunds`, { amount: 500 });
  await shop.pay({ amount: 2000 });
  await advance(shop, 60);
});

const at = (rest: string, merchant = shop) => `/accounts/${merchant.id}${rest}`;

/** Uploads a file the way the page does. */
async function upload(browser: Browser, path: string, content: string): Promise<Reply> {
  const { baseUrl } = target();
  const form = new FormData();
  form.set('report', new Blob([content], { type: 'text/csv' }), 'report.csv');
  const response = await fetch(`${baseUrl}/dashboard/api${path}`, {
    method: 'POST',
    headers: {
      cookie: browser.cookie ?? '',
      origin: new URL(baseUrl).origin,
      'x-csrf-token': browser.csrf ?? '',
    },
    body: form,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** The lines of a CSV file as objects, by column title. */
function rowsOf(text: string): Record<string, string>[] {
  const [titles = [], ...lines] = text
    .replace('\u{FEFF}', '')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(',').map((cell) => cell.replaceAll('"', '')));
  return lines.map((cells) => Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? ''])));
}

describe('a payout in the dashboard', () => {
  it('of the sandbox is made by one call, and leads to its payments and back', async () => {
    const paid = await owner.post(at('/sandbox/payouts'));
    expect(paid.status).toBe(200);
    expect(paid.body).toMatchObject({ payouts: 1, matched: 3, unmatched: 0, repeated: false });
    const { body } = await owner.get(at('/payouts'));
    expect(body.total_count).toBe(1);
    const [payout] = body.data;
    const detail = (await owner.get(at(`/payouts/${payout.id}`))).body;
    expect(detail).toMatchObject({ payout, merchant_account: shop.id, reference: '1', corrections: 0 });
    const lines = detail.lines.data as { line: { payment: string | null; net: number }; unmatched: null }[];
    const own = lines.filter(({ line }) => line.payment === payment);
    expect(own).toHaveLength(2);
    const net = own.reduce((sum, { line }) => sum + line.net, 0);
    const { payouts } = (await owner.get(at(`/payments/${payment}`))).body;
    expect(payouts).toEqual([{ id: payout.id, arrival_date: payout.arrival_date, currency: 'EUR', net }]);
    const again = await owner.post(at('/sandbox/payouts'));
    expect([again.status, again.body.error.message]).toEqual([
      422,
      'Nothing was charged since the last payout.',
    ]);
  });

  it('shows the lines that do not match, each with its reason', async () => {
    const other = await Merchant.open('processor_a', '--three-d-secure', 'off');
    await other.pay();
    const theirs = await readFile(await settle(other), 'utf8');
    const own = await Merchant.open('processor_a');
    const admin = await Browser.of(own, 'admin');
    const importing = (content: string) => upload(admin, at('/payouts/import', own), content);
    const refused = await importing(theirs);
    expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining(other.id)]);
    expect((await importing(theirs.replaceAll(other.id, own.id))).body).toMatchObject({ unmatched: 1 });
    const { body } = await admin.get(at('/payouts', own));
    const path = `/payouts/${body.data[0].id}`;
    const { lines } = (await admin.get(at(`${path}?lines=unmatched`, own))).body;
    expect(lines).toMatchObject({
      total_count: 1,
      data: [{ unmatched: 'unknown', line: { payment: null } }],
    });
    // Another account has no access to it.
    const stranger = await Browser.of(other, 'owner');
    expect((await stranger.get(at(path, other))).status).toBe(404);
  });
});

describe('a report that is uploaded', () => {
  it('is imported by owners and admins, with an entry in the audit log', async () => {
    const merchant = await Merchant.open('processor_b');
    const admin = await Browser.of(merchant, 'admin');
    await merchant.pay();
    const content = await readFile(await settle(merchant), 'utf8');
    const support = await Browser.of(merchant, 'support');
    expect((await upload(support, at('/payouts/import', merchant), content)).status).toBe(403);
    const imported = await upload(admin, at('/payouts/import', merchant), content);
    expect([imported.status, imported.body.matched]).toEqual([200, 1]);
    const again = await upload(admin, at('/payouts/import', merchant), content);
    expect(again.body).toEqual({ ...imported.body, repeated: true });
    const { body: log } = await admin.get(at('/audit_log?action=settlement_report.imported', merchant));
    expect(log.data[0]).toMatchObject({ after: { file: 'report.csv', repeated: true } });
  });

  it('and is none names line and column', async () => {
    const wrong = await upload(owner, at('/payouts/import'), 'a,b\r\n');
    expect([wrong.status, wrong.body.error.param]).toEqual([422, 'report']);
    expect(wrong.body.error.message).toMatch(/^line 1, column Merchant Account: .* Nothing was imported\.$/);
  });
});

describe('the file for the books', () => {
  it('debits as much as it credits, and leaves nothing at the processor', async () => {
    const { data } = (await owner.get(at('/payouts'))).body;
    const month = data[0].arrival_date.slice(0, 7);
    const file = await owner.get(at(`/payouts/export?month=${month}`));
    expect(file.headers.get('content-disposition')).toMatch(
      new RegExp(`"payouts-[a-z-]+-${month}-sandbox\\.csv"`),
    );
    const rows = rowsOf(file.text);
    const sums = new Map<string, number>();
    const add = (account = '', amount = 0) => sums.set(account, (sums.get(account) ?? 0) + amount);
    for (const { debit_account: debit, credit_account: credit, amount_minor: minor } of rows) {
      add(debit, Number(minor));
      add(credit, -Number(minor));
    }
    expect([...sums.values()].reduce((sum, amount) => sum + amount, 0)).toBe(0);
    expect(sums.get('Processor')).toBe(0);
    const nets = data.reduce((sum: number, { net }: { net: number }) => sum + net, 0);
    expect(sums.get('Bank')).toBe(nets);
    expect(rows.filter(({ entry }) => entry === 'payout')).toHaveLength(data.length);
    expect(rows).toContainEqual(expect.objectContaining({ payment, entry: 'payment', amount: '49.90' }));
  });

  it('names the accounts that are set in the settings', async () => {
    const path = at('/settings/book_accounts');
    const before = (await owner.get(path)).body;
    expect(before).toMatchObject({ receivable: 'Receivables', bank: 'Bank' });
    const support = await Browser.of(shop, 'support');
    const body = { ...before, bank: ' 1200 ', fees: '4970' };
    expect((await support.call('PATCH', path, { body })).status).toBe(403);
    expect((await owner.call('PATCH', path, { body })).body).toMatchObject({ bank: '1200', fees: '4970' });
    const twice = await owner.call('PATCH', path, { body: { ...body, refunds: '1200' } });
    expect([twice.status, twice.body.error.param]).toEqual([422, 'refunds']);
    const { data } = (await owner.get(at('/payouts'))).body;
    const file = await owner.get(at(`/payouts/export?month=${data[0].arrival_date.slice(0, 7)}`));
    expect(rowsOf(file.text).some(({ debit_account: debit }) => debit === '1200')).toBe(true);
  });
});

it('imports of one account wait for each other without a connection each, and more than four are refused', async () => {
  const merchant = await Merchant.open('processor_a', '--three-d-secure', 'off');
  const staff = await Browser.of(merchant, 'owner');
  await merchant.pay();
  const content = await readFile(await settle(merchant), 'utf8');
  const held = new pg.Client({ connectionString: target().environment.DATABASE_URL });
  await held.connect();
  try {
    await held.query('begin');
    await held.query(
      `select pg_advisory_xact_lock(hashtext('settlements'), tenant) from tenants where account_id = $1 and not livemode`,
      [merchant.id],
    );
    const sent = Array.from({ length: 5 }, () => upload(staff, at('/payouts/import', merchant), content));
    const refused = await Promise.race(sent);
    expect([refused.status, refused.body.error.code]).toEqual([503, 'service_unavailable']);
    const { rows } = await held.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and wait_event = 'advisory' and query like '%settlements%'`,
    );
    expect(rows.length).toBeLessThanOrEqual(1);
    await held.query('rollback');
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 503]);
  } finally {
    await held.end();
  }
});
