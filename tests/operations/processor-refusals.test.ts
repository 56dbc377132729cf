import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { runConnections } from '../support/connections.ts';
import { expectError } from '../support/expect-error.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { freshEmail, Merchant } from '../support/merchant.ts';
import { type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import {
  type Interception,
  type SimulatedProcessor,
  serveProcessorA,
  serveProcessorB,
} from '../support/simulated-processor.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
const merchantAccount = 'MERCHANTONE';
const credentials = {
  processor_a: {
    api_key: 'AQE-key-of-the-shop',
    merchant_account: merchantAccount,
    hmac_key: 'ab'.repeat(32),
    notification_user: 'till',
    notification_password: 'a-long-password-for-notifications',
  },
  processor_b: {
    client_id: merchantAccount,
    client_secret: 'secret-of-the-app',
    merchant_id: merchantAccount,
    webhook_id: '1JE4291016473214C',
  },
};

interface Place {
  readonly processor: SimulatedProcessor;
  readonly shop: Merchant;
}
const places: Partial<Record<keyof typeof credentials, Place>> = {};
const at = (name: keyof typeof credentials): Place => {
  const place = places[name];
  if (place === undefined) throw new Error(`${name} was not opened`);
  return place;
};
let server: RunningServer;

async function open(name: keyof typeof credentials, processor: SimulatedProcessor): Promise<Place> {
  const shop = await Merchant.openAt(server, name, '--three-d-secure', 'off');
  const baseUrl = `${processor.baseUrl}${name === 'processor_a' ? '/v71' : ''}`;
  const place = ['--account', shop.id, '--base-url', baseUrl, '--no-check'];
  expect((await runConnections(server, credentials[name], 'set', ...place)).exitCode).toBe(0);
  await until('the server asks this processor', async () => {
    const paid = await shop.pay({ amount: 100 });
    const { charges } = await processor.ledger(merchantAccount);
    return charges.some(({ reference }) => reference === paid.body.id);
  });
  return { processor, shop };
}

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_PROCESSOR_TIMEOUT_MS: '5000',
  });
  cleanUp.add(() => server.stop('SIGKILL'));
  places.processor_a = await open('processor_a', await serveProcessorA(cleanUp));
  places.processor_b = await open('processor_b', await serveProcessorB(cleanUp));
});
afterEach(() => {
  for (const { processor } of Object.values(places)) processor.intercept(null);
});
afterAll(cleanUp.run);

/** Refusals in each processor's format: of the request, of its currency, and of the credentials. */
const refusals = {
  processor_a: {
    path: /\/payments$/,
    request: { status: 422, body: { status: 422, errorCode: '14_018', errorType: 'validation' } },
    code: '14_018',
    currency: { status: 422, body: { status: 422, errorCode: '138', errorType: 'validation' } },
    caller: { status: 403, body: { status: 403, errorCode: '901', errorType: 'security' } },
  },
  processor_b: {
    path: /\/v2\/checkout\/orders$/,
    request: {
      status: 422,
      body: { name: 'UNPROCESSABLE_ENTITY', details: [{ issue: 'PAYEE_ACCOUNT_RESTRICTED' }] },
    },
    code: 'PAYEE_ACCOUNT_RESTRICTED',
    currency: {
      status: 422,
      body: {
        name: 'UNPROCESSABLE_ENTITY',
        details: [{ issue: 'INVALID_CURRENCY_CODE', field: '/purchase_units/0/amount/currency_code' }],
      },
    },
    caller: { status: 403, body: { name: 'NOT_AUTHORIZED', details: [{ issue: 'PERMISSION_DENIED' }] } },
  },
};

const answering =
  (path: RegExp, answer: NonNullable<ReturnType<Interception>>): Interception =>
  (request) =>
    request.method === 'POST' && path.test(request.path.split('?')[0] ?? '') ? answer : undefined;

/** The totals of a merchant's lists in the API. */
async function seen(shop: Merchant) {
  const totals = ['payments', 'customers', 'events'].map(
    async (list) => (await shop.get(`/api/v1/${list}?per_page=1`)).body.total_count as number,
  );
  return Promise.all(totals);
}

describe.each(['processor_a', 'processor_b'] as const)('a charge that %s refuses', (name) => {
  const { path, request, code, currency, caller } = refusals[name];

  it('is a 502 with its code and leaves nothing; a changed body may use the key', async () => {
    const { processor, shop } = at(name);
    const before = await seen(shop);
    processor.intercept(answering(path, request));
    const options = { idempotencyKey: randomUUID() };
    const customer = { email: freshEmail() };
    const refused = await shop.pay({ customer }, options);
    expectError(refused, 'provider_error');
    expect(refused.body.error.message).toContain(`refused the request (status 422, code ${code})`);
    expect(refused.body.error.message).not.toContain('did not answer');
    expect(await seen(shop)).toEqual(before);
    processor.intercept(null);
    const paid = await shop.pay({ customer, amount: 1200 }, options);
    expect(paid).toMatchObject({ status: 201, body: { status: 'succeeded', amount: 1200 } });
  });

  it('is a 422 on the field where its code means one', async () => {
    const { processor, shop } = at(name);
    const before = await seen(shop);
    processor.intercept(answering(path, currency));
    const refused = await shop.pay({ currency: 'USD' });
    expectError(refused, 'invalid_params', 'currency');
    expect(refused.body.error.message).toContain('not accepted by the processor');
    expect(await seen(shop)).toEqual(before);
  });

  it('for the credentials asks for a retry with the same key, and says that nothing was charged', async () => {
    const { processor, shop } = at(name);
    processor.intercept(answering(path, caller));
    const options = { idempotencyKey: randomUUID() };
    const refused = await shop.pay({}, options);
    expectError(refused, 'provider_error');
    expect(refused.body.error.message).toMatch(/status 403, code \w+\).*retry with the same Idempotency-Key/);
    processor.intercept(null);
    expect((await shop.pay({}, options)).status).toBe(201);
  });

  it('without a code stays in doubt and is not reported as no answer', async () => {
    const { processor, shop } = at(name);
    processor.intercept(answering(path, { status: 404, body: '<html>Not Found</html>' }));
    const options = { idempotencyKey: randomUUID() };
    const first = await shop.pay({}, options);
    expectError(first, 'provider_error');
    expect(first.body.error.message).toContain('answered with an error (status 404)');
    expect(first.body.error.message).not.toContain('Nothing was charged');
    processor.intercept(null);
    const paid = await shop.pay({}, options);
    expect(paid.status).toBe(201);
    const { charges } = await processor.ledger(merchantAccount);
    expect(charges.filter(({ reference }) => reference === paid.body.id)).toHaveLength(1);
  });

  it('at a retry after no answer is reported too, while the first attempt is in doubt', async () => {
    const { processor, shop } = at(name);
    const options = { idempotencyKey: randomUUID() };
    const lost = { card: { holder_name: 'SIM-DROP' } };
    expectError(await shop.pay(lost, options), 'provider_unavailable');
    processor.intercept(answering(path, request));
    const refused = await shop.pay(lost, options);
    expectError(refused, 'provider_error');
    expect(refused.body.error.message).toMatch(new RegExp(`code ${code}\\)\\. What was asked before`));
    processor.intercept(null);
    expect((await shop.pay(lost, options)).status).toBe(201);
  });
});

describe('a proxy in front of processor_b that answers 404 with a page of its own', () => {
  const page = { status: 404, body: '<html>Not Found</html>' };
  const everything: Interception = ({ path }) => (path.includes('/oauth2/') ? undefined : page);
  const statusOf = async (id: string) => (await at('processor_b').shop.get(`/api/v1/payments/${id}`)).body;
  const chargesOf = async (id: string) => {
    const { charges } = await at('processor_b').processor.ledger(merchantAccount);
    return charges.filter(({ reference }) => reference === id).map(({ status }) => status);
  };

  it.each([
    ['capture', 'succeeded', 'captured'],
    ['void', 'voided', 'voided'],
  ])('does not end a hold: %s is in doubt, then carried out once', async (operation, status, upstream) => {
    const { processor, shop } = at('processor_b');
    const { body: held } = await shop.pay({ capture_method: 'manual' });
    processor.intercept(everything);
    const options = { idempotencyKey: randomUUID() };
    const refused = await shop.post(`/api/v1/payments/${held.id}/${operation}`, undefined, options);
    expectError(refused, 'provider_error');
    expect(await statusOf(held.id)).toMatchObject({ status: 'authorized' });
    processor.intercept(null);
    const resumed = await until('the operation is resumed', async () => {
      const again = await shop.post(`/api/v1/payments/${held.id}/${operation}`, undefined, options);
      return again.status === 200 ? again.body : undefined;
    });
    expect(resumed).toMatchObject({ status });
    expect(await chargesOf(held.id)).toEqual([upstream]);
  });

  it.each([
    ['reading its order', everything],
    ['completing its order', answering(/\/capture$/, page)],
  ])('does not fail a payment that waits for its confirmation: %s', async (_name, interception) => {
    const { processor, shop } = at('processor_b');
    const { body } = await shop.pay({
      payment_method: { type: 'processor_b' },
      description: 'SIM-WALLET-APPROVE',
    });
    processor.intercept(interception);
    expectError(await shop.post(`/api/v1/payments/${body.id}/confirm`), 'provider_error');
    expect(await statusOf(body.id)).toMatchObject({ status: 'requires_action' });
    processor.intercept(null);
    const confirmed = await until('the payment is confirmed', async () => {
      const reply = await shop.post(`/api/v1/payments/${body.id}/confirm`);
      return reply.status === 200 ? reply.body : undefined;
    });
    expect(confirmed).toMatchObject({ status: 'succeeded' });
    expect(await chargesOf(body.id)).toEqual(['captured']);
  });
});

describe('what processor_b refuses after the charge', () => {
  const restricted = refusals.processor_b.request;

  it.each(['capture', 'void'])('%s: a 502 that names the code and leaves the hold', async (operation) => {
    const { processor, shop } = at('processor_b');
    const { body: held } = await shop.pay({ capture_method: 'manual' });
    processor.intercept(answering(new RegExp(`/${operation}$`), restricted));
    const refused = await shop.post(`/api/v1/payments/${held.id}/${operation}`);
    expectError(refused, 'provider_error');
    expect(refused.body.error.message).toContain('PAYEE_ACCOUNT_RESTRICTED). Nothing has changed.');
    expect((await shop.get(`/api/v1/payments/${held.id}`)).body.status).toBe('authorized');
    processor.intercept(null);
    expect((await shop.post(`/api/v1/payments/${held.id}/${operation}`)).status).toBe(200);
  });

  it('a refund: 201 failed with the code, and its amount can be refunded again', async () => {
    const { processor, shop } = at('processor_b');
    const { body: paid } = await shop.pay();
    const answer = { ...restricted, body: { ...restricted.body, details: [{ issue: 'CURRENCY_MISMATCH' }] } };
    processor.intercept(answering(/\/refund$/, answer));
    const failed = await shop.post(`/api/v1/payments/${paid.id}/refunds`, {});
    expect(failed).toMatchObject({
      status: 201,
      body: {
        status: 'failed',
        failure: { code: 'refused', message: 'The processor refused the refund (code CURRENCY_MISMATCH).' },
      },
    });
    processor.intercept(null);
    const again = await shop.post(`/api/v1/payments/${paid.id}/refunds`, {});
    expect(again).toMatchObject({ status: 201, body: { status: 'pending', amount: paid.amount } });
  });
});

describe('a card that is saved again under another model', () => {
  it.each(['processor_a', 'processor_b'] as const)('sends that model to %s', async (name) => {
    const { processor, shop } = at(name);
    const customer = (await shop.post('/api/v1/customers', { email: freshEmail() })).body.id;
    await shop.pay({ customer });
    const again = await shop.pay({
      customer,
      save_payment_method: true,
      recurring_processing_model: 'subscription',
    });
    const sent: string[] = [];
    processor.intercept(({ method, path, body }) => {
      if (method === 'POST' && refusals[name].path.test(path)) sent.push(body.toString());
      return undefined;
    });
    const rebilled = await shop.post('/api/v1/payments', {
      amount: 900,
      currency: 'EUR',
      customer,
      stored_payment_method: again.body.payment_method_id,
      merchant_initiated: true,
    });
    expect(rebilled.body).toMatchObject({ status: 'succeeded' });
    const model =
      name === 'processor_a' ? '"recurringProcessingModel":"Subscription"' : '"payment_type":"RECURRING"';
    expect(sent).toEqual([expect.stringContaining(model)]);
  });
});
