import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFilter } from '../../payments/search/filter.ts';
import { findPayments } from '../../payments/search/find-payments.ts';
import { findTenant } from '../../vault/test-database.ts';
import { related } from './store.ts';
import { createPaymentsKit, type PaymentsKit } from './test-kit.ts';

let kit: PaymentsKit;
let account: string;
let other: string;
let get: (path: string) => Promise<{ status: number; body: ListBody }>;
const named = new Map<string, string>();

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever fields they name
type ListBody = any; // oxlint-disable-line typescript/no-explicit-any

const at = (day: number) => new Date(Date.UTC(2026, 9, day, 12));

beforeAll(async () => {
  kit = await createPaymentsKit();
  account = await kit.openAccount();
  other = await kit.openAccount();
  const { call } = await kit.signIn(account, 'viewer');
  get = (path) => call('GET', `/accounts/${account}${path}`);
  const ada = await kit.addCustomer(account, {
    email: 'Ada@Shop.example',
    name: 'Ada van Lovelace',
    external_id: 'crm-77',
    metadata: { plan: 'Gold', note: 'x' },
  });
  const rows: Record<string, Parameters<PaymentsKit['addPayment']>[1]> = {
    plain: { created_at: at(1), reference: 'Order-100' },
    ada: { created_at: at(2), customer_id: ada, reference: 'Order-101', last4: '4242', brand: 'mastercard' },
    failed: { created_at: at(3), status: 'failed', failure_code: 'do_not_honor', amount: 100 },
    held: {
      created_at: at(4),
      status: 'authorized',
      capture_method: 'manual',
      upstream: { authorization: 'AUTH1', order: 'ORD1' },
    },
    yen: {
      created_at: at(5),
      currency: 'JPY',
      amount: 5000,
      upstream: { psp: 'PSP1' },
      network_transaction_reference: '403152671831013',
    },
    wallet: {
      created_at: at(6),
      method_type: 'processor_b',
      brand: null,
      last4: null,
      upstream: { capture: 'CAP1' },
    },
  };
  for (const [name, fields] of Object.entries(rows)) named.set(name, await kit.addPayment(account, fields));
  await kit.addRefund(account, named.get('plain') ?? '', {
    metadata: { ticket: 'T-9' },
    upstream_id: 'UPREF1',
  });
  await kit.addPayment(other, { reference: 'Order-100', last4: '4242' });
  await kit.addPayment(account, { livemode: true, reference: 'Order-100' });
  await kit.db.query({
    text: `insert into disputes (tenant, id, seq, payment_id, state, status, arn, upstream_id, version,
             event_count, created_at)
           values ($1, 'dsp_0123456789abcdefghijklmn', 1, $2, 'chargeback', 'lost', 'ARN1', 'D1', 1, 0, $3)`,
    values: [(await findTenant(kit.db, account)).tenant, named.get('yen'), at(8)],
    scope: 'everybody',
  });
});
afterAll(() => kit.drop());

const nameOf = (id: string) => [...named].find(([, known]) => known === id)?.[0];
const namesIn = ({ body }: { body: ListBody }) => body.data.map((item: ListBody) => nameOf(item.payment.id));
const list = async (query: Record<string, string> = {}) =>
  get(`/payments?${new URLSearchParams(query).toString()}`);

describe('the list of payments', () => {
  it('shows the newest first, with an exact count, without those that have no answer', async () => {
    const reply = await list();
    expect(namesIn(reply)).toEqual(['wallet', 'yen', 'held', 'failed', 'ada', 'plain']);
    expect(reply.body).toMatchObject({
      total_count: 6,
      total_is_exact: true,
      has_more: false,
      searched_back_to: null,
    });
  });

  it('shows the customer, what is refunded and whether it is disputed', async () => {
    const { body } = await list();
    const item = (name: string) => body.data.find((one: ListBody) => one.payment.id === named.get(name));
    expect(item('ada').customer).toMatchObject({ email: 'Ada@Shop.example', name: 'Ada van Lovelace' });
    expect(item('plain')).toMatchObject({ customer: null, refunded_amount: 1000, disputed: false });
    expect(item('yen').disputed).toBe(true);
  });

  it.each<[Record<string, string>, string[]]>([
    [{ status: 'failed' }, ['failed']],
    [{ status: 'failed,authorized' }, ['held', 'failed']],
    [{ brand: 'mastercard' }, ['ada']],
    [{ method: 'processor_b' }, ['wallet']],
    [{ capture_method: 'manual' }, ['held']],
    [{ failure_code: 'do_not_honor,refused' }, ['failed']],
    [{ currency: 'JPY' }, ['yen']],
    [{ currency: 'EUR', amount_gte: '100', amount_lte: '100' }, ['failed']],
    [{ currency: 'EUR', amount_lte: '4989' }, ['failed']],
    [{ created_gte: '2026-10-02T00:00:00Z', created_lt: '2026-10-04T12:00:00Z' }, ['failed', 'ada']],
    [{ created_lt: '2026-10-02T12:00:00Z' }, ['plain']],
    [{ created_gte: '2026-10-06T12:00:00Z' }, ['wallet']],
    [{ created_gte: '2027-01-01T00:00:00Z' }, []],
    [{ sort: 'created', status: 'succeeded' }, ['plain', 'ada', 'yen', 'wallet']],
    [{ sort: 'amount', currency: 'EUR' }, ['failed', 'wallet', 'held', 'ada', 'plain']],
  ])('narrowed by %j shows %j', async (query, names) => {
    const reply = await list(query);
    expect(namesIn(reply)).toEqual(names);
    expect(reply.body).toMatchObject({ total_count: names.length, total_is_exact: true });
  });

  it.each<[string, string[]]>([
    ['order-10', ['ada', 'plain']],
    ['ORDER-100', ['plain']],
    ['Order-100', ['plain']],
    ['ada@shop', ['ada']],
    ['ADA V', ['ada']],
    ['lovel', ['ada']],
    ['crm-7', ['ada']],
    ['gold', ['ada']],
    ['t-9', ['plain']],
    ['UPREF1', ['plain']],
    ['4242', ['ada']],
    ['•••• 4242', ['ada']],
    ['AUTH1', ['held']],
    ['ORD1', ['held']],
    ['PSP1', ['yen']],
    ['CAP1', ['wallet']],
    ['ARN1', ['yen']],
    ['403152671831013', ['yen']],
    ['1.00', ['failed']],
    ['5000 jpy', ['yen']],
    ['€49,90', ['wallet', 'held', 'ada', 'plain']],
    ['dsp_0123456789abcdefghijklmn', ['yen']],
    ['pay_0123456789abcdefghijklmn', []],
    ["' or 1=1 --", []],
    ['%', []],
  ])('searched for %s finds %j', async (words, names) => {
    expect(namesIn(await list({ q: words }))).toEqual(names);
  });

  it('finds by id, and keeps the filters while it searches', async () => {
    const ada = named.get('ada') ?? '';
    expect(namesIn(await list({ q: ada }))).toEqual(['ada']);
    expect(namesIn(await list({ q: ada, status: 'failed' }))).toEqual([]);
    expect(namesIn(await list({ q: '1111', currency: 'JPY' }))).toEqual(['yen']);
  });

  it('looks through the newest only where no index helps, and says how far', async () => {
    const context = await findTenant(kit.db, account);
    const page = { offset: 0, limit: 50, searchedRows: 2 };
    const found = await findPayments(
      kit.db,
      context,
      { filter: readFilter({ brand: 'visa,mastercard' }), related },
      page,
    );
    expect(found.ids.map(nameOf)).toEqual(['yen']);
    expect(found).toMatchObject({ total: 1, isExact: false, searchedBackTo: at(5) });
    const older = readFilter({ brand: 'visa,mastercard', created_lt: '2026-10-03T12:00:00Z' });
    expect(
      await findPayments(kit.db, context, { filter: older, related }, { ...page, searchedRows: 3 }),
    ).toMatchObject({ total: 2 });
    const indexed = await findPayments(
      kit.db,
      context,
      { filter: readFilter({ status: 'failed' }), related },
      page,
    );
    expect(indexed).toMatchObject({ total: 1, isExact: true, searchedBackTo: null });
  });

  it('shows the first few of what words name while somebody types', async () => {
    const found = async (words: string) => (await get(`/search?q=${encodeURIComponent(words)}`)).body;
    const yen = await found('ARN1');
    expect(yen).toMatchObject({
      customers: [],
      disputes: [{ id: 'dsp_0123456789abcdefghijklmn', status: 'lost' }],
    });
    expect(namesIn({ body: { data: yen.payments } })).toEqual(['yen']);
    const ada = await found('ada@');
    expect(ada.customers).toMatchObject([{ customer: { email: 'Ada@Shop.example' }, payments: 1 }]);
    expect(namesIn({ body: { data: ada.payments } })).toEqual(['ada']);
    expect((await found('49.90')).payments).toHaveLength(4);
    expect(await found(' ')).toEqual({ payments: [], customers: [], disputes: [] });
  });

  it('has pages', async () => {
    const first = await list({ per_page: '2', status: 'succeeded' });
    const second = await list({ per_page: '2', page: '2', status: 'succeeded' });
    expect([...namesIn(first), ...namesIn(second)]).toEqual(['wallet', 'yen', 'ada', 'plain']);
    expect([first.body.has_more, second.body.has_more]).toEqual([true, false]);
    expect(namesIn(await list({ per_page: '4', page: '2' }))).toEqual(['ada', 'plain']);
  });

  it.each([
    [{ amount_gte: '1' }, 'currency'],
    [{ sort: '-amount' }, 'currency'],
    [{ status: 'paid' }, 'status'],
    [{ created_gte: '2026-13-45T00:00:00Z' }, 'created_gte'],
    [{ status: 'failed', page: '201' }, 'page'],
  ])('refuses %j', async (query, param) => {
    const { status, body } = await list(query);
    expect([status, body.error.code, body.error.param]).toEqual([422, 'invalid_params', param]);
  });
});
