import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { cardPayment } from '../support/card-payment.ts';
import { commandJson, type RunningServer, temporaryFolder } from '../support/server.ts';

interface Account {
  readonly id: string;
  readonly key: string;
}

/**
 * Accounts with objects of every kind, so that a request can pass the first checks and fail at later ones.
 */
export interface World {
  readonly a: Account;
  readonly b: Account;
  /** An account for clock changes, which would expire the pending objects of the other accounts. */
  readonly clock: Account;
  readonly ids: Readonly<Record<Made, readonly string[]>>;
}

type Made =
  | 'customers'
  | 'payments'
  | 'holds'
  | 'waiting'
  | 'refunds'
  | 'links'
  | 'methods'
  | 'walletCustomers'
  | 'removable'
  | 'disputes'
  | 'disputable'
  | 'files'
  | 'payouts'
  | 'approvals'
  | 'events';

/**
 * A card that only this test uses: it ends up in every field that accepts a text
 * (`tests/support/leaks/check.ts`).
 */
export const fuzzCard = { number: '4646464646464644', cvc: '914' };

/** More objects than there are concurrent requests, so that these do not wait for each other. */
const each = 10;

async function openAccount(server: RunningServer, processor: string): Promise<Account> {
  const options = ['accounts', 'create', '--name', 'Fuzz', '--processor', processor];
  const opened = await commandJson<{ id: string; secret_key: string }>(server.environment, options);
  return { id: opened.id, key: opened.secret_key };
}

/**
 * Returns a function that calls the API with an account's key.
 * @throws Error if a response is not successful
 */
const callerOf =
  (server: RunningServer) =>
  async (account: Account, path: string, body?: unknown): Promise<{ id: string }> => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${server.baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${account.key}`,
        'idempotency-key': randomUUID(),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${path} answers ${response.status}: ${text}`);
    return JSON.parse(text) as { id: string };
  };

/** Returns the account with a restricted key whose requests all need an approval. */
async function accountNeedingApproval({ environment }: RunningServer, { id }: Account): Promise<Account> {
  const options = ['--account', id, '--permissions', 'refunds:write', '--approval-above', '0'];
  const made = await commandJson<{ secret_key: string }>(environment, ['keys', 'create', ...options]);
  return { id, key: made.secret_key };
}

/**
 * Makes the simulator pay out what was charged, and imports its report.
 * @returns the payouts' ids
 */
async function payOut(server: RunningServer, account: Account): Promise<string[]> {
  const folder = await temporaryFolder();
  const file = join(folder.path, 'report.csv');
  const { environment } = server;
  await commandJson(environment, ['sandbox', 'settle', '--account', account.id, '--out', file]);
  await commandJson(environment, ['settlements', 'import', file, '--account', account.id]);
  await folder.remove();
  const { data } = (await callerOf(server)(account, '/api/v1/payouts')) as unknown as {
    data: { id: string }[];
  };
  return data.map(({ id }) => id);
}

/**
 * Creates the accounts and their objects on a server.
 * @throws Error if the server refuses anything
 */
export async function createWorld(server: RunningServer): Promise<World> {
  const a = await openAccount(server, 'processor_a');
  const b = await openAccount(server, 'processor_b');
  const clock = await openAccount(server, 'processor_a');

  const call = callerOf(server);

  const times = async (make: () => Promise<string>) => {
    const ids: string[] = [];
    for (let count = 0; count < each; count += 1) ids.push(await make());
    return ids;
  };
  const made = async (account: Account, path: string, body: unknown) => (await call(account, path, body)).id;
  const customer = (account: Account) =>
    made(account, '/api/v1/customers', { email: `${randomUUID()}@shop.example`, metadata: { a: 'b' } });
  const pay = (account: Account, changes: Record<string, unknown> = {}) =>
    made(account, '/api/v1/payments', cardPayment({ card: fuzzCard, ...changes }));

  const customers = await times(() => customer(a));
  const methods: string[] = [];
  for (const one of customers) {
    const path = `/api/v1/customers/${one}/payment_methods`;
    await pay(a, { customer: one, save_payment_method: true });
    const { data } = (await call(a, path)) as unknown as { data: { id: string }[] };
    methods.push(data[0]?.id ?? '');
  }
  const payments = await times(() => pay(a));
  const events = (await call(a, '/api/v1/events')) as unknown as { data: { id: string }[] };
  const disputed = async () => {
    const { id } = await call(a, `/api/v1/test_helpers/payments/${await pay(a)}/dispute`, {});
    return id;
  };
  const upload = () => {
    const form = new FormData();
    form.set('file', new Blob(['%PDF-1.4 nothing']), 'proof.pdf');
    return call(a, '/api/v1/files', form).then(({ id }) => id);
  };
  const waits = await accountNeedingApproval(server, a);
  const walletCustomers = await times(() => customer(b));
  return {
    a,
    b,
    clock,
    ids: {
      customers,
      methods,
      payments,
      walletCustomers,
      removable: await times(async () => {
        const card = cardPayment({ card: fuzzCard, customer: walletCustomers[0], save_payment_method: true });
        const paid = (await call(b, '/api/v1/payments', card)) as unknown as { payment_method_id: string };
        return paid.payment_method_id;
      }),
      holds: await times(() => pay(b, { capture_method: 'manual' })),
      waiting: await times(() => pay(b, { payment_method: { type: 'card_fields' } })),
      refunds: await times(async () => made(a, `/api/v1/payments/${await pay(a)}/refunds`, { amount: 1 })),
      links: await times(() =>
        made(a, '/api/v1/payment_links', { title: 'Course', currency: 'EUR', amount: 4990 }),
      ),
      disputable: await times(() => pay(a)),
      disputes: await times(disputed),
      files: await times(upload),
      payouts: await payOut(server, a),
      approvals: await times(async () =>
        made(waits, `/api/v1/payments/${await pay(a)}/refunds`, { amount: 1 }),
      ),
      events: events.data.slice(0, each).map(({ id }) => id),
    },
  };
}
