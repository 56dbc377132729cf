import { WebhookReceiver } from '../../acceptance/webhooks/webhooks-receiver.ts';
import type { CleanUp } from '../../support/clean-up.ts';
import { addStaff, Browser } from '../../support/dashboard.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { Merchant, type Target } from '../../support/merchant.ts';
import { commandJson, startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { addCustomers, tradeFor } from './dashboard-trade.ts';

/** A shop with objects in every state, on its own server. */
export interface DashboardShop {
  readonly place: Target;
  readonly shop: Merchant;
  readonly owner: Browser;
  /** The ids for the pages of single objects. */
  readonly ids: Readonly<
    Record<'paid' | 'held' | 'failed' | 'customer' | 'dispute' | 'endpoint' | 'payout' | 'link', string>
  >;
}

export const ownerEmail = 'ada@harbour.example';

const staff = [
  [ownerEmail, 'owner'],
  ['mira@harbour.example', 'admin'],
  ['jo@harbour.example', 'developer'],
  ['sam@harbour.example', 'support'],
  ['ines@harbour.example', 'viewer'],
] as const;

/** Opens the shop. `days` of trade fill its charts and move its clock forward. */
export async function openDashboardShop(cleanUp: CleanUp, days: number): Promise<DashboardShop> {
  const place = await startPlace(cleanUp);
  const shop = await Merchant.openAt(place, 'processor_b', '--name', 'Harbour Coffee');
  for (const [email, role] of staff) await addStaff(place, shop.id, email, role);
  const owner = new Browser(place);
  await owner.signIn(ownerEmail);
  await owner.post(`/accounts/${shop.id}/team/invitations`, {
    email: 'nora@harbour.example',
    role: 'support',
  });
  await owner.post(`/accounts/${shop.id}/api_keys`, { name: 'Shop server' });
  const bot = await owner.post(`/accounts/${shop.id}/api_keys`, {
    name: 'Support bot',
    restriction: { permissions: ['payments:read', 'refunds:*'], max_daily: 20_000, approval_above: 0 },
  });
  const { endpoint, isToldOf } = await openReceivers(cleanUp, place, shop);
  const customers = await addCustomers(shop);
  await tradeFor(shop, customers, days, earlier(shop, owner));
  const ids = await today(shop, customers[0] ?? '');
  await mistakes(shop);
  const link = await addLinks(shop);
  const request = { amount: 100, reason: 'requested_by_customer', note: 'The cup was broken' };
  await shop.post(`/api/v1/payments/${ids.paid}/refunds`, request, { key: bot.body.secret_key });
  await owner.post(`/accounts/${shop.id}/home/checklist`, { hidden: true });
  await until('the webhooks are sent', () => isToldOf(ids.paid));
  await until('the figures are counted', () => isCounted(shop, owner));
  return { place, shop, owner, ids: { ...ids, endpoint, link, payout: await payOut(shop, owner) } };
}

/** Makes the simulator pay out the captured amounts. @returns the id of the first payout */
async function payOut(shop: Merchant, owner: Browser): Promise<string> {
  await owner.post(`/accounts/${shop.id}/sandbox/payouts`);
  const { body } = await owner.get(`/accounts/${shop.id}/payouts`);
  return body.data[0].id;
}

/** Creates payment links and starts to pay one of them. @returns its id */
async function addLinks(shop: Merchant): Promise<string> {
  const make = async (fields: object) =>
    (await shop.post('/api/v1/payment_links', { currency: 'EUR', ...fields })).body;
  const invoice = await make({ title: 'Invoice 2026-117', amount: 129_000, max_payments: 1 });
  await shop.call('PATCH', `/api/v1/payment_links/${invoice.id}`, { body: { status: 'inactive' } });
  await make({ title: 'Tip for the roastery', amount_range: { min: 100, max: 10_000, suggested: 500 } });
  const { id, url } = await make({
    title: 'Barista course',
    description: 'Two evenings, with coffee.',
    amount: 8900,
    reference_label: 'Name of the participant',
    expires_at: '2040-12-31T23:59:59Z',
  });
  const form = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ reference: 'Ada', way: 'wallet' }),
  });
  if (!form.ok) throw new Error(`the link was answered with ${form.status}`);
  return id;
}

/** Whether the sums of the home page include all payments in euro. */
async function isCounted(shop: Merchant, owner: Browser): Promise<boolean> {
  const [{ body: charts }, { body: payments }] = await Promise.all([
    owner.get(`/accounts/${shop.id}/charts?range=90&time_zone=UTC&currency=EUR`),
    owner.get(`/accounts/${shop.id}/payments?status=succeeded&currency=EUR&per_page=1`),
  ]);
  const counted: readonly number[] = charts.volume.payments;
  return counted.reduce((sum, count) => sum + count, 0) === payments.total_count;
}

async function startPlace(cleanUp: CleanUp): Promise<Target> {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1,::1',
    TILL_RATE_LIMIT_RPS: '0',
  });
  cleanUp.add(() => server.stop());
  return server;
}

/** The shop's server accepts every webhook, its accounting server only every other one. */
async function openReceivers(cleanUp: CleanUp, place: Target, shop: Merchant) {
  const receiver = await WebhookReceiver.open();
  cleanUp.add(() => receiver.close());
  receiver.answer = ({ path, event }) =>
    path === '/accounting' && event.type !== 'payment.succeeded'
      ? { status: 503, body: 'down for maintenance' }
      : { status: 200, body: 'ok' };
  const add = async (url: string) => {
    const parameters = ['webhooks', 'create', '--account', shop.id, '--url', url];
    return (await commandJson<{ id: string }>(place.environment, parameters)).id;
  };
  await add(receiver.url('/accounting').replace('127.0.0.1', 'localhost'));
  return {
    endpoint: await add(receiver.url('/orders')),
    isToldOf: (payment: string) => receiver.at('/orders').some(({ body }) => body.includes(payment)),
  };
}

const disputeOf = async (
  shop: Merchant,
  payment: string,
  options: Record<string, unknown>,
): Promise<string> => (await shop.post(`/api/v1/test_helpers/payments/${payment}/dispute`, options)).body.id;

const pay = async (shop: Merchant, changes: Record<string, unknown>): Promise<string> =>
  (await shop.pay(changes)).body.id;

/** Events that have to happen before today, by the number of days before the end. */
function earlier(shop: Merchant, owner: Browser): ReadonlyMap<number, () => Promise<unknown>> {
  const move = (dispute: string, state: string, status: string) =>
    owner.post(`/accounts/${shop.id}/sandbox/disputes/${dispute}/move`, { state, status });
  const disputed = async (amount: number, reference: string, options: Record<string, unknown>) =>
    disputeOf(shop, await pay(shop, { amount, reference }), options);
  return new Map<number, () => Promise<unknown>>([
    [27, () => pay(shop, { capture_method: 'manual', amount: 12_900, reference: 'event-7' })],
    [
      20,
      async () => {
        const dispute = await disputed(8900, 'order-10377', { reason: 'duplicate' });
        await move(dispute, 'chargeback', 'won');
        await move(dispute, 'scheme_arbitration', 'challenged');
      },
    ],
    [12, async () => move(await disputed(5400, 'order-10378', {}), 'chargeback', 'lost')],
    [11, async () => move(await disputed(3290, 'order-10379', {}), 'chargeback', 'won')],
    [8, () => disputed(7450, 'order-10380', { state: 'information_request', reason: 'general' })],
  ]);
}

/** Creates one object of every kind that a page can show or that needs attention. */
async function today(shop: Merchant, customer: string) {
  const held = await pay(shop, {
    capture_method: 'manual',
    amount: 21_500,
    customer,
    reference: 'event-8',
    card: { holder_name: 'Ada Lindqvist' },
  });
  const voided = await pay(shop, { capture_method: 'manual', amount: 4990, reference: 'order-10381' });
  await shop.post(`/api/v1/payments/${voided}/void`);
  const failed = await pay(shop, {
    card: { holder_name: 'CCREJECT-IF' },
    customer,
    amount: 7450,
    reference: 'order-10382',
  });
  await pay(shop, { payment_method: { type: 'processor_b' }, amount: 3290, reference: 'order-10383' });
  const paid = await pay(shop, richPayment(customer));
  const refund = (payment: string, options: Record<string, unknown>) =>
    shop.post(`/api/v1/payments/${payment}/refunds`, options);
  await refund(paid, { amount: 1290, reason: 'requested_by_customer' });
  await refund(paid, { amount: 500, note: 'SIM-REFUND-PENDING' });
  const kept = await pay(shop, { amount: 1890, reference: 'order-10385' });
  await refund(kept, { note: 'SIM-REFUND-FAIL-SYNC' });
  const disputed = await pay(shop, { amount: 12_900, customer, reference: 'order-10386' });
  const dispute = await disputeOf(shop, disputed, { reason: 'product_not_received' });
  return { paid, held, failed, customer, dispute };
}

const richPayment = (customer: string) => ({
  amount: 8970,
  customer,
  reference: 'order-10384',
  shopper_statement: 'HARBOUR COFFEE',
  description: 'Two bags of coffee and a grinder',
  authentication: 'automatic',
  card: { number: '4868719196829038' },
  line_items: [
    { name: 'Espresso, 1 kg', sku: 'ESP-1000', unit_amount: 1890, quantity: 2 },
    { name: 'Hand grinder', sku: 'GRD-2', unit_amount: 4700 },
  ],
  shipping_amount: 490,
  billing_address: { line1: 'Harbour Street 3', city: 'Seaport', postal_code: '10115', country: 'SE' },
  delivery_address: { line1: 'Pier 4', city: 'Seaport', postal_code: '10117', country: 'SE' },
  browser_info: { user_agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', language: 'sv-SE' },
  shopper_ip: '203.0.113.7',
  save_payment_method: true,
});

/** Sends invalid requests, for the request log. */
async function mistakes(shop: Merchant): Promise<void> {
  const once = { idempotencyKey: 'order-10387' };
  const order = { amount: 4990, reference: 'order-10387' };
  await shop.pay(order, once);
  await shop.pay(order, once);
  await shop.pay({ ...order, amount: 5990 }, once);
  await shop.pay({ amount: 0 });
  await shop.get('/api/v1/payments/pay_000000000000000000000000');
  await shop.get('/api/v1/customers?per_page=1000');
}
