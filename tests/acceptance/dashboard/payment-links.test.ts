import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { freshEmail, Merchant } from '../../support/merchant.ts';
import { addressOf, Buyer } from '../payment-links/buyer.ts';
import { payByCard } from '../payment-links/kit.ts';

const course = { title: 'Pottery course', currency: 'EUR', amount: 4990 };

let shop: Merchant;
let owner: Browser;
beforeAll(async () => {
  shop = await Merchant.open('processor_a', '--three-d-secure', 'off');
  owner = await Browser.of(shop, 'owner');
});

const at = (rest = '') => `/accounts/${shop.id}/payment_links${rest}`;
const make = (fields: object = course, staff = owner, idempotencyKey: string = randomUUID()) =>
  staff.post(at(), fields, { idempotencyKey });
const audited = async (action: string) =>
  (await owner.get(`/accounts/${shop.id}/audit_log?action=${action}`)).body.data;

it('payment links are made by the same function as by the API, once under a key, with an audit entry', async () => {
  const key = randomUUID();
  const made = await make(course, owner, key);
  expect(made.status).toBe(201);
  expect((await make(course, owner, key)).text).toBe(made.text);
  expect((await shop.get(`/api/v1/payment_links/${made.body.id}`)).body).toEqual(made.body);
  const wrong = await make({ ...course, amount: 0 });
  expect([wrong.status, wrong.body.error.param]).toEqual([422, 'amount']);
  const [entry] = await audited('payment_link.created');
  expect(entry).toMatchObject({
    object_id: made.body.id,
    after: { title: course.title, amount: 4990, currency: 'EUR', status: 'active' },
  });
});

it('the list shows what came in, and the payments of a link', async () => {
  const { body: link } = await make({ ...course, title: 'With payments' });
  for (let paid = 0; paid < 2; paid += 1) await payByCard(new Buyer(), addressOf(link.url));
  await payByCard(new Buyer(), addressOf(link.url), { name: 'CCREJECT-REFUSED' });
  const { data } = (await owner.get(at('?status=active,completed'))).body;
  expect(data[0]).toMatchObject({
    link: { id: link.id, payments_count: 2 },
    paid_amount: 9980,
    open_count: 0,
  });
  expect((await owner.get(at(`/${link.id}`))).body).toEqual(data[0]);
  const payments = (await owner.get(`/accounts/${shop.id}/payments?payment_link=${link.id}`)).body.data;
  expect(payments.map(({ payment }: { payment: { status: string } }) => payment.status)).toEqual([
    'failed',
    'succeeded',
    'succeeded',
  ]);
  const file = (await owner.get(at('/export?status=active'))).text;
  expect(file).toContain(`With payments`);
  expect(file).toContain('99.80');
  expect(file).toContain(link.url);
});

it('a link is changed and switched off with what it was and is in the audit log, and not where nothing changes', async () => {
  const { id } = (await make()).body;
  const change = (body: object) => owner.call('PATCH', at(`/${id}`), { body });
  expect((await change({ status: 'inactive', max_payments: 3 })).body.link).toMatchObject({
    status: 'inactive',
    max_payments: 3,
  });
  expect((await change({ status: 'inactive' })).status).toBe(200);
  const entries = (await audited('payment_link.updated')).filter(
    (entry: { object_id: string }) => entry.object_id === id,
  );
  expect(entries).toMatchObject([
    {
      before: { status: 'active', max_payments: null },
      after: { status: 'inactive', max_payments: 3 },
    },
  ]);
});

const mailLink = (id: string, to: string, idempotencyKey = randomUUID()) =>
  owner.call('POST', at(`/${id}/mail`), { body: { to }, idempotencyKey });

it('a mail with a link is sent once for each idempotency key, and five times at most to one address on a day', async () => {
  const { id } = (await make()).body;
  const to = freshEmail();
  const without = await owner.post(at(`/${id}/mail`), { to });
  expect([without.status, without.body.error.code]).toEqual([400, 'missing_idempotency_key']);
  const key = randomUUID();
  const both = await Promise.all([mailLink(id, to, key), mailLink(id, to, key)]);
  expect(both.map(({ status }) => status)).toEqual([201, 201]);
  const more = await Promise.all(Array.from({ length: 6 }, () => mailLink(id, to.toUpperCase())));
  expect(more.filter(({ status }) => status === 201)).toHaveLength(4);
  const refused = more.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(2);
  for (const { body } of refused) {
    expect(body.error).toMatchObject({
      code: 'rate_limited',
      message: 'One address gets at most 5 mails with payment links on one UTC day.',
    });
  }
  expect((await mailLink(id, to, key)).status).toBe(201);
  const mails = (await owner.get(`/accounts/${shop.id}/mails`)).body.data;
  expect(mails.filter((one: { to: string }) => one.to.toLowerCase() === to.toLowerCase())).toHaveLength(5);
});

it('a link is mailed to one address through the outbox, and to nothing else', async () => {
  const { id, url } = (await make()).body;
  const to = freshEmail();
  for (const wrong of ['nobody', `${to},${freshEmail()}`, '']) {
    const refused = await mailLink(id, wrong);
    expect([refused.status, refused.body.error.param]).toEqual([422, 'to']);
  }
  expect((await mailLink(id, to)).status).toBe(201);
  const mails = (await owner.get(`/accounts/${shop.id}/mails`)).body.data;
  const mail = mails.find((one: { to: string }) => one.to === to);
  expect(mail.subject).toBe('[Test] Pay Test shop: Pottery course');
  expect((await owner.get(`/accounts/${shop.id}/mails/${mail.id}`)).body.text).toContain(url);
  expect((await audited('payment_link.mailed'))[0]).toMatchObject({ object_id: id, after: { to } });
});

it('another account’s link is not there', async () => {
  const { id } = (await make()).body;
  const other = await Merchant.open();
  const stranger = await Browser.of(other, 'owner');
  const below = `/accounts/${other.id}/payment_links/${id}`;
  expect((await stranger.get(below)).status).toBe(404);
  expect((await stranger.call('PATCH', below, { body: { title: 'Mine' } })).status).toBe(404);
  expect(
    (
      await stranger.call('POST', `${below}/mail`, {
        body: { to: freshEmail() },
        idempotencyKey: randomUUID(),
      })
    ).status,
  ).toBe(404);
});
