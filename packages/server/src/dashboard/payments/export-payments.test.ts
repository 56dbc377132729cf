import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPaymentsKit, type PaymentsKit } from './test-kit.ts';

let kit: PaymentsKit;
let account: string;

beforeAll(async () => {
  kit = await createPaymentsKit();
  account = await kit.openAccount();
});
afterAll(() => kit.drop());

const linesOf = (text: string) =>
  text
    .replace(/^\u{FEFF}/u, '')
    .trimEnd()
    .split('\r\n');

async function download(query: Record<string, string>) {
  const { call, user } = await kit.signIn(account, 'viewer');
  const reply = await call(
    'GET',
    `/accounts/${account}/payments/export?${new URLSearchParams(query).toString()}`,
  );
  return { ...reply, user };
}

it('writes what the view shows, with its filters, exact amounts, and no formula', async () => {
  const customer = await kit.addCustomer(account, { email: 'eve@shop.example', name: '=cmd|calc' });
  const id = await kit.addPayment(account, {
    currency: 'KWD',
    amount: 1234,
    reference: '+1,"x"',
    customer_id: customer,
  });
  await kit.addPayment(account, { currency: 'JPY', amount: 500 });
  await kit.addRefund(account, id, { amount: 234, currency: 'KWD' });
  const { status, text, headers, user } = await download({ currency: 'KWD' });
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(headers['content-disposition']).toContain(
    'attachment; filename="payments-shop-2026-11-20-sandbox.csv"',
  );
  const [titles, ...rows] = linesOf(text);
  expect(titles).toMatch(
    /^id,created,status,failure_code,amount,amount_minor,currency,.*,time_zone,filters$/,
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain(
    `${id},"2026-11-20 12:00:00",succeeded,,1.234,1234,KWD,0.234,234,no,card,visa,1111,`,
  );
  expect(rows[0]).toMatch(/,2026-11-20T12:00:00Z,UTC,"currency=KWD"$/);
  expect(rows[0]).toContain(`,"'=cmd|calc","'+1,""x""",`);
  expect(await kit.audit(account)).toEqual([
    {
      action: 'payments.exported',
      email: user.email,
      object_id: null,
      before: null,
      after: { filters: { currency: 'KWD' } },
    },
  ]);
});

it('writes all pages, each payment once, also while new ones come in', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 520; n += 1) ids.push(await kit.addPayment(account, { currency: 'SEK' }));
  const [first, second] = await Promise.all([
    download({ currency: 'SEK' }),
    download({ currency: 'SEK', sort: 'created' }),
  ]);
  const idsIn = (text: string) =>
    linesOf(text)
      .slice(1)
      .map((line) => line.split(',')[0]);
  expect(idsIn(first.text)).toEqual(ids.toReversed());
  expect(idsIn(second.text)).toEqual(ids);
});

it('refuses filters that make no sense before it begins', async () => {
  expect((await download({ amount_gte: '5' })).status).toBe(422);
});

it.each(['4111111111111111', ' 4111 1111 1111 1111'])(
  'keeps four digits of the card number %s that somebody looks for, in file and audit entry',
  async (q) => {
    await kit.addPayment(account, { currency: 'EUR' });
    const { text } = await download({ q });
    expect(linesOf(text)[1]).toContain('q=1111');
    const audit = JSON.stringify(await kit.audit(account));
    expect(audit).toContain('"q":"1111"');
    expect(text + audit).not.toMatch(/4111 ?1111/);
  },
);
