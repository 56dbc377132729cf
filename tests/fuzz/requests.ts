import { merchantApi, type Operation } from '@till/contract';
import type { Random } from '../crash/random.ts';
import { cardPayment as anyCardPayment } from '../support/card-payment.ts';
import type { RawRequest } from './mutate.ts';
import { fuzzCard, type World } from './world.ts';

export type OperationName = keyof typeof merchantApi;

/** A valid request of one operation. */
interface Template {
  readonly account?: 'a' | 'b' | 'clock';
  /** Returns the values of the path parameters, in order. */
  readonly path?: (world: World, random: Random) => readonly string[];
  readonly body?: (world: World, random: Random) => unknown;
  readonly query?: readonly string[];
  readonly form?: boolean;
}

const cardPayment = (changes: Record<string, unknown> = {}) => anyCardPayment({ card: fuzzCard, ...changes });

type Made = keyof World['ids'];
const one =
  (kind: Made) =>
  ({ ids }: World, random: Random) => [random.pick(ids[kind])];

const unique = (random: Random) =>
  `${random.below(2 ** 32).toString(36)}${random.below(2 ** 32).toString(36)}`;
const pages = ['', 'page=2&per_page=3', 'page=1&per_page=100'];
const address = {
  line1: '1 High Street',
  line2: '12',
  city: 'Springfield',
  postal_code: '62701',
  state: 'IL',
  country: 'US',
};

const customer = (random: Random) => ({
  email: `${unique(random)}@shop.example`,
  name: 'Jane Smith',
  phone: '+4912345678',
  locale: 'de-DE',
  external_id: unique(random),
  date_of_birth: '1990-02-28',
  billing_address: address,
  delivery_address: { ...address, country: 'DE', state: 'BE' },
  metadata: { order: '1', note: 'two words' },
});

/** A card payment with every possible field. */
const full = (random: Random) =>
  cardPayment({
    amount: 5000,
    reference: 'order-1',
    shopper_statement: 'Société Générale',
    billing_address: address,
    delivery_address: address,
    customer: customer(random),
    line_items: [
      {
        name: 'Shirt',
        unit_amount: 2000,
        quantity: 2,
        sku: 'A-1',
        upc: { type: 'UPC-A', code: '123456789012' },
      },
      { name: 'Cap', unit_amount: 600, url: 'https://shop.example/cap', category: 'DIGITAL_GOODS' },
    ],
    tax_amount: 200,
    shipping_amount: 300,
    handling_amount: 100,
    discount_amount: 200,
    duty_amount: 10,
    invoice_id: 'inv-1',
    description: 'Clothes',
    ships_from_postal_code: '10115',
    save_payment_method: true,
    recurring_processing_model: 'subscription',
    shopper_ip: '203.0.113.9',
    device_fingerprint: 'abc',
    browser_info: {
      user_agent: 'Mozilla/5.0',
      language: 'de-DE',
      screen_height: 900,
      screen_width: 1600,
      time_zone_offset: -60,
    },
    authentication: 'automatic',
    provider: 'processor_a',
  });

const stored = ({ ids }: World, random: Random) => {
  const place = random.below(ids.customers.length);
  const { payment_method: _card, ...rest } = cardPayment({
    customer: ids.customers[place],
    stored_payment_method: ids.methods[place],
    merchant_initiated: true,
    recurring_processing_model: 'card_on_file',
    renews_payment: ids.payments[0],
  });
  return rest;
};

const createPayment = (world: World, random: Random) =>
  random.pick([
    () => cardPayment(),
    () => full(random),
    () => full(random),
    () => stored(world, random),
    () => cardPayment({ customer: random.pick(world.ids.customers), browser_info: {} }),
    () => ({ ...stored(world, random), stored_payment_method: undefined, use_last_payment_method: true }),
  ])();

const link = (_world: World, random: Random) => ({
  title: 'Course',
  description: 'Ten evenings',
  currency: 'EUR',
  ...random.pick([{ amount: 4990 }, { amount_range: { min: 100, max: 9000, suggested: 500 } }]),
  max_payments: 3,
  expires_at: '2100-01-01T00:00:00Z',
  reference_label: 'Participant',
  save_payment_method: true,
  success_url: 'https://shop.example/ok',
  failure_url: 'https://shop.example/failed',
  metadata: { a: 'b' },
});

const defend = ({ ids }: World) => ({
  reason_code: 'delivered',
  statement: 'Delivered on 3 November.',
  evidence: [
    { type: 'proof_of_delivery', text: 'Signed for.' },
    { type: 'receipt', file: ids.files[0] },
  ],
});

const templates: Readonly<Record<OperationName, Template>> = {
  createRefund: {
    path: one('payments'),
    body: () => ({ amount: 1, reason: 'other', note: 'A note', metadata: { a: 'b' } }),
  },
  listRefunds: { path: one('payments'), query: pages },
  retrieveRefund: { path: one('refunds') },
  listApprovals: { query: [...pages, 'status=pending'] },
  retrieveApproval: { path: one('approvals') },
  settleRefund: { path: one('refunds'), body: () => ({ outcome: 'succeeded' }) },
  createCustomer: { body: (_world, random) => customer(random) },
  retrieveCustomer: { path: one('customers') },
  updateCustomer: { path: one('customers'), body: (_world, random) => customer(random) },
  listCustomers: { query: [...pages, 'email=jane%40shop.example', 'external_id=a'] },
  createPayment: { body: createPayment },
  retrievePayment: { path: one('payments') },
  listPayments: {
    query: [
      ...pages,
      'status=succeeded',
      'created_gte=1&created_lt=99999999999&payment_method_type=card',
      'reference=a',
    ],
  },
  confirmPayment: { account: 'b', path: one('waiting') },
  capturePayment: { account: 'b', path: one('holds') },
  voidPayment: { account: 'b', path: one('holds') },
  advanceClock: { account: 'clock', body: () => ({ seconds: 1 }) },
  approvePayment: { account: 'b', path: one('waiting'), body: () => ({ outcome: 'approved' }) },
  retrieveEvent: { path: one('events') },
  listEvents: { query: [...pages, 'type=payment.succeeded', 'created_gte=1'] },
  createPaymentLink: { body: link },
  retrievePaymentLink: { path: one('links') },
  updatePaymentLink: {
    path: one('links'),
    body: () => ({ title: 'Course', status: 'active', max_payments: 5, expires_at: '2100-01-01T00:00:00Z' }),
  },
  listPaymentLinks: { query: [...pages, 'status=active', 'status=expired&per_page=1'] },
  listPaymentMethods: { path: one('customers'), query: pages },
  retrievePaymentMethod: { path: one('methods') },
  deletePaymentMethod: { account: 'b', path: one('removable') },
  deleteCustomerPaymentMethod: {
    account: 'b',
    path: ({ ids }, random) => [random.pick(ids.walletCustomers), random.pick(ids.removable)],
  },
  createClientToken: {
    account: 'b',
    body: ({ ids }, random) => ({ customer: random.pick(ids.walletCustomers), domains: ['shop.example'] }),
  },
  listDisputes: { query: [...pages, 'state=chargeback&status=action_required', 'created_gte=1'] },
  retrieveDispute: { path: one('disputes') },
  acceptDispute: { path: one('disputes') },
  defendDispute: { path: one('disputes'), body: defend },
  createFile: { form: true },
  retrieveFile: { path: one('files') },
  listPayouts: { query: pages },
  retrievePayout: { path: one('payouts') },
  listPayoutLines: { path: one('payouts'), query: pages },
  openTestDispute: {
    path: one('disputable'),
    body: () => ({ state: 'chargeback', amount: 1, reason: 'product_not_received' }),
  },
};

export const operationNames = Object.keys(templates) as OperationName[];

const boundary = 'fuzz-boundary';
const form = Buffer.from(
  `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="proof.pdf"\r\n` +
    `content-type: application/pdf\r\n\r\n%PDF-1.4 nothing\r\n--${boundary}--\r\n`,
);

/** Builds a valid request, with the value from which its body was serialized. */
export function goodRequest(
  name: OperationName,
  world: World,
  random: Random,
): { request: RawRequest; body: unknown; operation: Operation } {
  const operation: Operation = merchantApi[name];
  const { account = 'a', path, body, query = [''], form: isForm = false } = templates[name];
  const ids = [...(path?.(world, random) ?? [])];
  const filled = operation.path.replaceAll(/:[a-z_]+/g, () => ids.shift() ?? '');
  const search = random.pick(query);
  const value = body?.(world, random);
  const type = isForm ? `multipart/form-data; boundary=${boundary}` : 'application/json';
  const bytes = isForm ? form : value === undefined ? null : Buffer.from(JSON.stringify(value));
  return {
    operation,
    body: value,
    request: {
      method: operation.method,
      path: search === '' ? filled : `${filled}?${search}`,
      headers: {
        authorization: `Bearer ${world[account].key}`,
        ...(operation.idempotency === 'required' ? { 'idempotency-key': unique(random) } : {}),
        ...(bytes === null ? {} : { 'content-type': type }),
      },
      body: bytes,
    },
  };
}
