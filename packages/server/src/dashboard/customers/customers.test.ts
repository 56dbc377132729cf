import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findTenant } from '../../vault/test-database.ts';
import { createPaymentsKit, type PaymentsKit } from '../payments/test-kit.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever fields they name
type Body = any; // oxlint-disable-line typescript/no-explicit-any

let kit: PaymentsKit;
let account: string;
let get: (path: string) => Promise<{ status: number; body: Body }>;
const ids: Record<string, string> = {};

beforeAll(async () => {
  kit = await createPaymentsKit();
  account = await kit.openAccount();
  const { call } = await kit.signIn(account, 'viewer');
  get = (path) => call('GET', `/accounts/${account}${path}`);
  ids.ada = await kit.addCustomer(account, {
    email: 'ada@one.example',
    name: 'Ada Lovelace',
    external_id: 'A-1',
  });
  ids.jan = await kit.addCustomer(account, {
    email: 'jan@two.example',
    name: 'Jan van der Berg',
    metadata: { tier: 'Gold' },
  });
  ids.none = await kit.addCustomer(account, { email: 'adam@three.example' });
  ids.payment = await kit.addPayment(account, { customer_id: ids.ada });
  await kit.addCustomer(account, { email: 'ada@one.example', livemode: true });
});
afterAll(() => kit.drop());

const namesIn = ({ body }: { body: Body }) =>
  body.data.map(({ customer }: Body) => Object.keys(ids).find((name) => ids[name] === customer.id));

describe('the list of customers', () => {
  it('shows the newest first with what they have, exactly counted', async () => {
    const reply = await get('/customers');
    expect(namesIn(reply)).toEqual(['none', 'jan', 'ada']);
    expect(reply.body).toMatchObject({ total_count: 3, total_is_exact: true, has_more: false });
    expect(reply.body.data[2]).toMatchObject({ payments: 1, saved_methods: 0 });
    expect(namesIn(await get('/customers?per_page=2&page=2'))).toEqual(['ada']);
  });

  it.each<[string, string[]]>([
    ['ada', ['none', 'ada']],
    ['ADA@one', ['ada']],
    ['ada love', ['ada']],
    ['love', ['ada']],
    ['berg', ['jan']],
    ['a-1', ['ada']],
    ['gold', ['jan']],
    ['zzz', []],
  ])('searched for %s finds %j', async (words, names) => {
    const reply = await get(`/customers?q=${encodeURIComponent(words)}`);
    expect(namesIn(reply)).toEqual(names);
    expect(reply.body).toMatchObject({ total_count: names.length, total_is_exact: true });
  });

  it('finds by the id of the customer and of their payment', async () => {
    expect(namesIn(await get(`/customers?q=${ids.jan}`))).toEqual(['jan']);
    expect(namesIn(await get(`/customers?q=${ids.payment}`))).toEqual(['ada']);
  });
});

describe('one customer', () => {
  it('comes with saved methods and disputes', async () => {
    await kit.db.query({
      text: `insert into disputes (tenant, id, seq, payment_id, customer_id, state, status, upstream_id,
               version, event_count, created_at)
             values ($1, 'dsp_0123456789abcdefghijklmn', 1, $2, $3, 'chargeback', 'lost', 'D1', 1, 0, $4)`,
      values: [(await findTenant(kit.db, account)).tenant, ids.payment, ids.ada, kit.clock.now()],
      scope: 'everybody',
    });
    const { body } = await get(`/customers/${ids.ada}`);
    expect(body).toMatchObject({
      customer: { id: ids.ada, name: 'Ada Lovelace' },
      payment_methods: [],
      disputes: [{ id: 'dsp_0123456789abcdefghijklmn', amount: 4990, currency: 'EUR' }],
    });
  });

  it('of another account or mode is not there', async () => {
    const { call } = await kit.signIn(await kit.openAccount(), 'owner');
    expect((await call('GET', `/accounts/${account}/customers/${ids.ada}`)).status).toBe(404);
    expect((await get('/customers/cus_0123456789abcdefghijklmn')).status).toBe(404);
  });
});
