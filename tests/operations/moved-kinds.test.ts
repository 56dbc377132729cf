import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Buyer } from '../acceptance/payment-links/buyer.ts';
import { WebhookReceiver } from '../acceptance/webhooks/webhooks-receiver.ts';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { queryDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { rowsIn } from '../support/rows-in.ts';
import { temporaryFolder } from '../support/server.ts';
import { openTwoCells, type TwoCells, timeoutMs } from '../support/two-cells.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

const card = { number: '4111 1111 1111 1111', expiry: '03/32', cvc: '737', name: 'Jane Smith', way: 'card' };
const declined = { ...card, name: 'CCREJECT-REFUSED' };
const eventsThatAreSentAgain = 8;

/** Tables that must have rows of the account. */
const kinds =
  `payments refunds disputes files approvals api_key_days idempotency_keys payment_links card_declines
   card_testing_limits payouts payout_lines settlement_reports webhook_endpoints events deliveries sandbox.charges`.split(
    /\s+/,
  );

let cells: TwoCells;
let shop: Merchant;
let owner: Browser;
let receiver: WebhookReceiver;

beforeAll(async () => {
  cells = await openTwoCells(cleanUp, { TILL_DISPUTES_API: 'on', TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1' });
  shop = await Merchant.openAt(cells.server, 'processor_a');
  owner = await Browser.of(shop, 'owner', cells.server);
  receiver = await WebhookReceiver.open();
  cleanUp.add(() => receiver.close());
}, 60_000);

const refundsOf = (payment: string) => `/api/v1/payments/${payment}/refunds`;
const keyWith = async (...options: string[]) =>
  (await cells.till<{ secret_key: string }>('keys', 'create', '--account', shop.id, ...options)).secret_key;

async function upload(content: string): Promise<string> {
  const raw = [
    '--b',
    'Content-Disposition: form-data; name="file"; filename="receipt.pdf"',
    'Content-Type: application/octet-stream',
    '',
    content,
    '--b--',
    '',
  ].join('\r\n');
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  return (await shop.call('POST', '/api/v1/files', { raw, headers })).body.id;
}

/** Imports a payout from the simulator's report. @returns the payout as the API shows it */
async function payOut() {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const file = join(folder.path, 'report.csv');
  await cells.till('sandbox', 'settle', '--account', shop.id, '--out', file);
  await cells.till('settlements', 'import', file, '--account', shop.id);
  return (await shop.get('/api/v1/payouts')).body;
}

async function openLink(): Promise<{ id: string; url: string }> {
  const fields = { title: 'Pottery course', currency: 'EUR', amount: 4990 };
  return (await shop.post('/api/v1/payment_links', fields)).body;
}

/** Pays on the page of a payment link. @returns the status of the page that follows */
async function payBy(url: string, fields: Readonly<Record<string, string>>): Promise<number> {
  const buyer = new Buyer();
  return (await buyer.send(await buyer.open(url), fields)).status;
}

/** Creates objects of every kind, most of them unfinished. @returns the data with which the test continues */
async function makeAll() {
  const kept = await shop.pay({}, { idempotencyKey: 'kept' });
  const payout = await payOut();
  const disputed = (await shop.pay()).body.id;
  const dispute = (await shop.post(`/api/v1/test_helpers/payments/${disputed}/dispute`, {})).body.id;
  const file = await upload('%PDF-1.7\nreceipt');
  const never = { slow_after: null, refuse_after: null };
  const limits = { address: never, card: never, account: never, link: { ...never, refuse_after: 1 } };
  const place = `/accounts/${shop.id}/settings/card_testing`;
  expect((await owner.call('PATCH', place, { body: limits })).status).toBe(200);
  const [link, tried] = [await openLink(), await openLink()];
  expect(await payBy(link.url, card)).toBe(200);
  await payBy(tried.url, declined);
  const asking = await keyWith('--permissions', 'refunds:*,approvals:read', '--approval-above', '1000');
  const refund = () =>
    shop.post(refundsOf(kept.body.id), { amount: 2000 }, { key: asking, idempotencyKey: 'asked' });
  const approval = await refund();
  expect(approval.status).toBe(202);
  const limited = await keyWith('--permissions', 'payments:write', '--max-daily', '10000');
  expect((await shop.pay({ amount: 6000 }, { key: limited })).status).toBe(201);
  return { kept, payout, dispute, file, link, tried, refund, approval: approval.body.id, limited };
}

/** Postpones the last pending delivery in a cell, or makes it due. */
async function planLast(cell: keyof TwoCells['urls'], at: 'in an hour' | 'now'): Promise<void> {
  const due = at === 'now' ? 'now()' : "now() + interval '1 hour'";
  const waiting = `select endpoint_id, id from deliveries where account_id = $1 and state = 'pending'
                   order by next_attempt_at desc limit 1`;
  const planned = await queryDatabase(
    cells.urls[cell],
    `update deliveries d set next_attempt_at = ${due} from (${waiting}) w
     where d.account_id = $1 and d.endpoint_id = w.endpoint_id and d.id = w.id returning d.id`,
    [shop.id],
  );
  expect(planned).toHaveLength(1);
}

/** Starts a replay of one event per second. The last delivery is sent when `planLast` makes it due. */
async function beginReplay(payment: string): Promise<{ readonly arrived: () => boolean }> {
  const made = ['--account', shop.id, '--url', receiver.url('/hook')];
  const hook = await cells.till<{ id: string; created_at: string }>('webhooks', 'create', ...made);
  for (let count = 0; count < eventsThatAreSentAgain; count += 1) {
    await shop.post(refundsOf(payment), { amount: 1 });
  }
  const came = () => receiver.at('/hook').map(({ event }) => event.id);
  await until('each has come', () => came().length >= eventsThatAreSentAgain);
  const first = new Set(came());
  const from = new Date(Date.now() - 3_600_000).toISOString();
  await cells.till('webhooks', 'replay', hook.id, '--since', from, '--per-second', '1');
  await planLast('home', 'in an hour');
  return {
    arrived: () => [...first].every((id) => came().filter((other) => other === id).length > 1),
  };
}

it('an account with rows of every kind has all of them in its new cell, and they work', async () => {
  const before = await makeAll();
  const replay = await beginReplay(before.kept.body.id);
  const there = Object.keys(await rowsIn(cells, 'home', shop.id));
  expect(there).toEqual(expect.arrayContaining(kinds));

  await cells.till('accounts', 'move', shop.id, '--to', 'east');

  expect(replay.arrived()).toBe(false);
  await planLast('east', 'now');
  const after = await rowsIn(cells, 'east', shop.id);
  // The last lines of the request log may be written after the account has left.
  const left = there.filter((table) => after[table] === undefined && !table.startsWith('request_logs'));
  expect(left).toEqual([]);
  // Audit entries and mails that are still at home are forwarded within seconds.
  await until('nothing is left behind', async () => {
    const rows = await rowsIn(cells, 'home', shop.id);
    return Object.keys(rows).length === 0;
  });

  const { kept, dispute, file, link, tried, refund, approval, limited } = before;
  expect((await shop.pay({}, { idempotencyKey: 'kept' })).text).toBe(kept.text);
  expect((await shop.get('/api/v1/payouts')).body).toEqual(before.payout);
  const evidence = { evidence: [{ type: 'receipt', file }] };
  expect((await shop.post(`/api/v1/disputes/${dispute}/defend`, evidence)).body).toMatchObject({
    status: 'challenged',
  });
  expect(await payBy(link.url, card)).toBe(200);
  expect((await shop.get(`/api/v1/payment_links/${link.id}`)).body.payments_count).toBe(2);
  expect(await payBy(tried.url, card)).toBe(429);
  expect((await refund()).body).toMatchObject({ id: approval, status: 'pending' });
  const approved = await owner.post(`/accounts/${shop.id}/approvals/${approval}/approve`, {});
  expect(approved.status).toBe(200);
  expect((await refund()).body).toMatchObject({ object: 'refund', amount: 2000 });
  const tooMuch = await shop.pay({ amount: 4001 }, { key: limited });
  expect(tooMuch.body.error).toMatchObject({ code: 'limit_exceeded', param: 'max_daily' });
  expect((await shop.pay({ amount: 4000 }, { key: limited })).status).toBe(201);
  await until('every event came twice', replay.arrived, timeoutMs);
}, 120_000);
