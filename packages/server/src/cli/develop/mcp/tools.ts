import { limits } from '@till/contract';
import { systemClock } from '../../../lib/clock.ts';
import { capabilitiesOf } from '../../../processors/registry.ts';
import type { MerchantClient } from '../../lib/merchant-client.ts';
import type { docsSearch } from './docs-search.ts';
import type { Arguments, Property, Tool } from './protocol.ts';
import type { requestLogs } from './request-logs.ts';

const text = (description: string, values?: readonly string[]): Property => ({
  type: 'string',
  description,
  ...(values === undefined ? {} : { enum: values }),
});
const number = (description: string, minimum: number, maximum: number): Property => ({
  type: 'integer',
  description,
  minimum,
  maximum,
});
const limit = number('How many at most, 10 where not said.', 1, 50);

export interface ToolDependencies {
  readonly api: MerchantClient;
  readonly docs: ReturnType<typeof docsSearch>;
  readonly logs: ReturnType<typeof requestLogs>;
}

/** An id as a path segment. @throws Error for text that would lead to another path */
function pathId(args: Arguments, name = 'id'): string {
  const id = String(args[name]);
  if (!/^\w+$/.test(id)) throw new Error(`${name} must be an id`);
  return id;
}

/** The query string of the arguments that were given. @param names the parameter for each argument */
function queryOf(args: Arguments, names: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams();
  for (const [name, parameter] of Object.entries(names)) {
    const value = args[name];
    if (value !== undefined) query.set(parameter, String(value));
  }
  if (!query.has('per_page')) query.set('per_page', '10');
  return query.toString();
}

const retrieve = (
  deps: ToolDependencies,
  name: string,
  what: string,
  path: string,
  example: string,
): Tool => ({
  name,
  description: `Retrieves one ${what} of the account as the API shows it.`,
  properties: { id: text(`Such as ${example}.`) },
  required: ['id'],
  run: (args) => deps.api.call('GET', `${path}/${pathId(args)}`),
});

const lists = (deps: ToolDependencies): Tool[] => [
  {
    name: 'list_payments',
    description: "Lists the account's newest payments.",
    properties: {
      status: text('Only in this status, such as failed.'),
      customer: text('Only of this customer.'),
      reference: text("Only with this reference of the merchant's."),
      limit,
    },
    required: [],
    run: (args) => {
      const names = { status: 'status', customer: 'customer', reference: 'reference', limit: 'per_page' };
      return deps.api.call('GET', `/payments?${queryOf(args, names)}`);
    },
  },
  {
    name: 'list_events',
    description: "Lists the newest events of the account's log.",
    properties: { type: text('Only of this type, such as payment.failed.'), limit },
    required: [],
    run: (args) => deps.api.call('GET', `/events?${queryOf(args, { type: 'type', limit: 'per_page' })}`),
  },
];

const logTools = ({ logs }: ToolDependencies): Tool[] => [
  {
    name: 'search_request_logs',
    offered: async () => (await logs.account())?.isFull === true,
    description:
      "Searches the account's API requests of the last 30 days: what was asked, how it was answered. Without bodies; get_request has them.",
    properties: {
      status: text('Only answers of this class.', ['2xx', '4xx', '5xx']),
      code: text('Only with this error code, such as invalid_params.'),
      payment: text('Only about this payment.'),
      limit,
    },
    required: [],
    run: (args) => logs.search(args),
  },
  {
    name: 'get_request',
    offered: async () => (await logs.account())?.isFull === true,
    description: 'Retrieves one API request with its bodies, without card data.',
    properties: { id: text('The Service-Request-Id, such as req_….') },
    required: ['id'],
    run: (args) => logs.get(String(args.id)),
  },
];

const outcomes: Readonly<Record<string, object>> = {
  succeeds: {},
  is_declined: { holder_name: 'CCREJECT-REFUSED' },
  asks_for_challenge: { number: '4212345678910006' },
};

function testPayment(args: Arguments): object {
  return {
    amount: args.amount,
    currency: args.currency,
    ...(args.reference === undefined ? {} : { reference: args.reference }),
    payment_method: {
      type: 'card',
      number: '4111111111111111',
      exp_month: 3,
      exp_year: systemClock.now().getUTCFullYear() + 4,
      cvc: '737',
      holder_name: 'Jane Smith',
      ...outcomes[String(args.outcome ?? 'succeeds')],
    },
    success_url: 'https://shop.example/ok',
    failure_url: 'https://shop.example/failed',
  };
}

const idempotencyKey = text(
  'Made by you, such as a UUID: a new one for each operation. The same call under the same key repeats its answer and does nothing twice.',
);

/** A tool that changes something, with the API request that it sends. */
interface WriteTool extends Pick<Tool, 'name' | 'description' | 'properties' | 'required' | 'offered'> {
  readonly destructive: boolean;
  readonly path: (args: Arguments) => string;
  readonly body: (args: Arguments) => object;
}

const writeTool = ({ api }: ToolDependencies, { destructive, path, body, ...named }: WriteTool): Tool => ({
  ...named,
  writes: { destructive, idempotent: true },
  properties: { ...named.properties, idempotency_key: idempotencyKey },
  required: [...named.required, 'idempotency_key'],
  run: (args) => api.call('POST', path(args), body(args), String(args.idempotency_key)),
});

const createTestPayment: WriteTool = {
  name: 'create_test_payment',
  description: 'Charges a test card on the sandbox account.',
  destructive: false,
  properties: {
    amount: number('In minor units.', 1, limits.amountMax),
    currency: text('ISO 4217, such as EUR.'),
    outcome: text('How it is to end; succeeds where not said.', Object.keys(outcomes)),
    reference: text("The merchant's own reference."),
  },
  required: ['amount', 'currency'],
  path: () => '/payments',
  body: testPayment,
};

const refundPayment: WriteTool = {
  name: 'refund_payment',
  description:
    'Refunds a payment, all of it or a part. Above the limits of the key it is refused, or waits for a person: then the answer is an approval.',
  destructive: true,
  properties: {
    payment: text('Such as pay_….'),
    amount: number('In minor units; what is left where not said.', 1, limits.amountMax),
  },
  required: ['payment'],
  path: (args) => `/payments/${pathId(args, 'payment')}/refunds`,
  body: ({ amount }) => (amount === undefined ? {} : { amount }),
};

/** A tool that ends a hold. It is only offered on the processor that has holds. */
const endHold = ({ logs }: ToolDependencies, name: 'capture' | 'void', does: string): WriteTool => ({
  name: `${name}_payment`,
  description: `${does} the money of an authorized payment.`,
  destructive: true,
  properties: { payment: text('Such as pay_….') },
  required: ['payment'],
  async offered() {
    const account = await logs.account();
    return account === undefined || capabilitiesOf(account.processor).holds;
  },
  path: (args) => `/payments/${pathId(args, 'payment')}/${name}`,
  body: () => ({}),
});

const chargeSavedMethod: WriteTool = {
  name: 'charge_saved_method',
  description: "Charges a customer's saved card or wallet without the customer being present.",
  destructive: true,
  properties: {
    amount: number('In minor units.', 1, limits.amountMax),
    currency: text('ISO 4217, such as EUR.'),
    customer: text('Such as cus_….'),
    payment_method: text('Such as pm_….'),
    reference: text("The merchant's own reference."),
  },
  required: ['amount', 'currency', 'customer', 'payment_method'],
  path: () => '/payments',
  body: ({ amount, currency, customer, payment_method: method, reference }) => ({
    amount,
    currency,
    customer,
    stored_payment_method: method,
    merchant_initiated: true,
    ...(reference === undefined ? {} : { reference }),
  }),
};

const createPaymentLink: WriteTool = {
  name: 'create_payment_link',
  description:
    'Makes an address at which buyers pay. Above the limits of the key it is refused, or waits for a person: then the answer is an approval, and the link is made when somebody agrees.',
  destructive: false,
  properties: {
    title: text('What is paid for, as the page says first of all.'),
    description: text('More about it, on the page only.'),
    amount: number(
      'In minor units. Or min_amount and max_amount, where the buyer enters it.',
      1,
      limits.amountMax,
    ),
    min_amount: number('The least that the buyer may enter, in minor units.', 1, limits.amountMax),
    max_amount: number('The most that the buyer may enter, in minor units.', 1, limits.amountMax),
    currency: text('ISO 4217, such as EUR.'),
    max_payments: number(
      'How often it can be paid, 1 for an invoice; any number of times where not said.',
      1,
      1_000_000,
    ),
    expires_at: text('From then on nobody can pay: a time in UTC such as 2026-12-31T23:59:59Z.'),
  },
  required: ['title', 'currency'],
  path: () => '/payment_links',
  body: ({ title, description, amount, min_amount: min, max_amount: max, ...more }) => ({
    title,
    description,
    amount,
    ...(min === undefined && max === undefined ? {} : { amount_range: { min, max } }),
    currency: more.currency,
    max_payments: more.max_payments,
    expires_at: more.expires_at,
  }),
};

/** The key of the tools and its limits. */
export interface ToolOptions {
  readonly apiKey: string;
  /** Also offers tools that change something. Requires a restricted key. */
  readonly allowWrites: boolean;
}

/** Whether a key is restricted: it has its own permissions and limits. */
export const isRestricted = (apiKey: string) => apiKey.startsWith('rk_');

const changes = (deps: ToolDependencies, apiKey: string): Tool[] =>
  [
    ...(/^.k_test_/.test(apiKey) ? [createTestPayment] : []),
    chargeSavedMethod,
    refundPayment,
    createPaymentLink,
    endHold(deps, 'capture', 'Collects'),
    endHold(deps, 'void', 'Releases'),
  ].map((one) => writeTool(deps, one));

/** The tools that an agent may call. */
export function mcpTools(deps: ToolDependencies, { apiKey, allowWrites }: ToolOptions): Tool[] {
  return [
    {
      name: 'search_docs',
      description: 'Searches the documentation of this payments service. Read it before you guess.',
      properties: { query: text('A few words.'), limit },
      required: ['query'],
      run: (args) => deps.docs(String(args.query), Number(args.limit ?? 5)),
    },
    retrieve(deps, 'get_payment', 'payment', '/payments', 'pay_…'),
    retrieve(deps, 'get_refund', 'refund', '/refunds', 're_…'),
    retrieve(deps, 'get_customer', 'customer', '/customers', 'cus_…'),
    retrieve(deps, 'get_event', 'event', '/events', 'evt_…'),
    ...lists(deps),
    ...logTools(deps),
    ...(isRestricted(apiKey) ? [retrieve(deps, 'get_approval', 'approval', '/approvals', 'apr_…')] : []),
    ...(allowWrites ? changes(deps, apiKey) : []),
  ];
}
