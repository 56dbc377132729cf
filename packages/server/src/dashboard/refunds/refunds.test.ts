import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findTenant } from '../../vault/test-database.ts';
import { createPaymentsKit, type PaymentsKit } from '../payments/test-kit.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever fields they name
type Body = any; // oxlint-disable-line typescript/no-explicit-any

let kit: PaymentsKit;
let account: string;
let get: (path: string) => Promise<{ status: number; body: Body; text: string; headers: Body }>;
const ids: Record<string, string> = {};

beforeAll(async () => {
  kit = await createPaymentsKit();
  account = await kit.openAccount();
  const euro = await kit.addPayment(account, { reference: 'order-1', last4: '4242' });
  const yen = await kit.addPayment(account, { currency: 'JPY' });
  ids.euro = euro;
  ids.first = await kit.addRefund(account, euro, {
    reason: 'duplicate',
    upstream_id: 'UP1',
    metadata: { case: 'C-7' },
  });
  kit.clock.move(3_600_000);
  ids.pending = await kit.addRefund(account, euro, { status: 'pending' });
  kit.clock.move(86_400_000);
  ids.yen = await kit.addRefund(account, yen, {
    status: 'failed',
    failure_code: 'refused',
    currency: 'JPY',
    amount: 5,
  });
  await kit.addRefund(account, await kit.addPayment(account, { livemode: true }), { livemode: true });
  const { call } = await kit.signIn(account, 'viewer');
  get = (path) => call('GET', `/accounts/${account}${path}`);
});
afterAll(() => kit.drop());

const namesIn = ({ body }: { body: Body }) =>
  body.data.map(({ refund }: Body) => Object.keys(ids).find((name) => ids[name] === refund.id));

describe('the list of refunds', () => {
  it('shows all of them with their payments, newest first, exactly counted', async () => {
    const reply = await get('/refunds');
    expect(namesIn(reply)).toEqual(['yen', 'pending', 'first']);
    expect(reply.body).toMatchObject({ total_count: 3, total_is_exact: true, has_more: false });
    expect(reply.body.data[2].payment).toMatchObject({
      id: ids.euro,
      amount: 4990,
      reference: 'order-1',
      last4: '4242',
      refunded_amount: 2000,
    });
    expect(namesIn(await get('/refunds?per_page=2&page=2'))).toEqual(['first']);
  });

  it.each<[Record<string, string>, string[]]>([
    [{ status: 'pending,failed' }, ['yen', 'pending']],
    [{ reason: 'duplicate' }, ['first']],
    [{ reason: 'none' }, ['yen', 'pending']],
    [{ currency: 'JPY' }, ['yen']],
    [{ created_gte: '2026-11-20T13:00:00Z', created_lt: '2026-11-21T00:00:00Z' }, ['pending']],
    [{ q: 'UP1' }, ['first']],
    [{ q: 'c-7' }, ['first']],
    [{ q: 'order-1' }, ['pending', 'first']],
    [{ q: '4242' }, ['pending', 'first']],
    [{ q: 'nothing' }, []],
  ])('narrowed by %j shows %j', async (query, names) => {
    const reply = await get(`/refunds?${new URLSearchParams(query).toString()}`);
    expect(namesIn(reply)).toEqual(names);
    expect(reply.body).toMatchObject({ total_count: names.length, total_is_exact: true });
  });

  it('finds by the ids of the refund and its payment', async () => {
    expect(namesIn(await get(`/refunds?q=${ids.first}`))).toEqual(['first']);
    expect(namesIn(await get(`/refunds?q=${ids.euro}`))).toEqual(['pending', 'first']);
    expect(namesIn(await get(`/refunds?payment=${ids.euro}`))).toEqual(['pending', 'first']);
  });
});

describe('the file of the list', () => {
  const lines = async (query: string) => {
    const { text } = await get(`/refunds/export${query}`);
    return text.replace('\u{FEFF}', '').trimEnd().split('\r\n');
  };

  it('has what the view shows, in minor units and the unit of the currency', async () => {
    const [titles, ...rows] = await lines('?currency=JPY');
    expect(titles).toMatch(/^id,created,status,failure_code,amount,amount_minor,currency,.*,filters$/);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain(`${ids.yen},"2026-11-21 13:00:00",failed,refused,5,5,JPY,`);
    const all = await lines('');
    expect(all.slice(1).map((line) => line.split(',')[0])).toEqual([ids.yen, ids.pending, ids.first]);
    expect(all[3]).toContain(`,10.00,1000,EUR,duplicate,,${ids.euro},order-1,49.90,4990,card,visa,4242,UP1,`);
  });

  it('is called by the days of the view', async () => {
    const { headers } = await get('/refunds/export?created_gte=2026-11-01T00:00:00Z');
    expect(headers['content-disposition']).toContain(
      'filename="refunds-shop-2026-11-01-to-2026-11-21-sandbox.csv"',
    );
    expect((await get('/refunds/export?created_gte=yesterday')).status).toBe(422);
  });
});

describe('a search that more match than a list counts', () => {
  const many = 10_001;
  let shop: string;
  const oldest: Record<string, string> = {};
  const read = async (path: string) => {
    const { call } = await kit.signIn(shop, 'viewer');
    return call('GET', `/accounts/${shop}${path}`);
  };
  const fileLines = ({ text }: { text: string }) => text.trimEnd().split('\r\n').slice(1);

  beforeAll(async () => {
    shop = await kit.openAccount();
    const { tenant } = await findTenant(kit.db, shop, false);
    oldest.payment = await kit.addPayment(shop, { last4: '7777', reference: 'lot-1' });
    oldest.refund = await kit.addRefund(shop, oldest.payment, { metadata: { lot: 'A' } });
    const copy = (table: string, changes: string) =>
      kit.db.query({
        text: `insert into ${table} select (jsonb_populate_record(t, ${changes})).* from ${table} t, generate_series(2, $2::int) n
               where t.tenant = $1 and t.seq = 1`,
        values: [tenant, many],
        scope: 'everybody',
      });
    const id = (prefix: string) => `'${prefix}_zzzzzzzz' || lpad(n::text, 16, '0')`;
    await copy('payments', `jsonb_build_object('id', ${id('pay')}, 'seq', n, 'reference', 'lot-' || n)`);
    await copy('refunds', `jsonb_build_object('id', ${id('re')}, 'seq', n, 'payment_id', ${id('pay')})`);
    await kit.db.query({
      text: `update counters set last = $2 where tenant = $1 and list in ('payments', 'refunds')`,
      values: [tenant, many],
      scope: 'everybody',
    });
    await kit.db.query({ text: 'analyze payments, refunds', scope: 'everybody' });
  });

  it.each(['7777', 'lot-', 'A'])('finds the oldest by %s too, in the list and in the file', async (q) => {
    expect(new Set(fileLines(await read(`/refunds/export?q=${q}`))).size).toBe(many);
    const { body } = await read(`/refunds?q=${q}&payment=${oldest.payment}`);
    expect(body.data.map(({ refund }: Body) => refund.id)).toEqual([oldest.refund]);
  });

  it('finds the payments of all refunds with a metadata value', async () => {
    expect(new Set(fileLines(await read('/payments/export?q=A'))).size).toBe(many);
  });
});

describe('one refund', () => {
  it('comes with its payment, the upstream id and what happened', async () => {
    const { body } = await get(`/refunds/${ids.first}`);
    expect(body).toMatchObject({
      refund: { id: ids.first, reason: 'duplicate', metadata: { case: 'C-7' } },
      payment: { id: ids.euro },
      upstream_id: 'UP1',
    });
    expect(body.timeline).toMatchObject([{ kind: 'refund.created', object: ids.first, by: null }]);
  });

  it('of another account is not there', async () => {
    const { call } = await kit.signIn(await kit.openAccount(), 'owner');
    const reply = await call('GET', `/accounts/${account}/refunds/${ids.first}`);
    expect(reply.status).toBe(404);
    expect((await get('/refunds/re_0123456789abcdefghijklmn')).status).toBe(404);
  });
});
