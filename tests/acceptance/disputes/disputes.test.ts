import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { expectError } from '../../support/expect-error.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { Merchant, till, tillRaw } from '../../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const disputes = '/api/v1/disputes';
const files = '/api/v1/files';
const day = 24 * 3600;
const pdf = '%PDF-1.7\nreceipt';

const cleanUp = new CleanUp();
/** A server with the disputes API turned on. The shared server has it off, as the contract says. */
let server: RunningServer;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const url = await migratedDatabase(cleanUp);
  server = await startServer({
    DATABASE_URL: url,
    TILL_DATA_DIR: folder.path,
    TILL_DISPUTES_API: 'on',
    TILL_RATE_LIMIT_RPS: '0',
  });
  cleanUp.add(() => server.stop());
});
afterAll(cleanUp.run);

const openShop = (processor: 'processor_a' | 'processor_b' = 'processor_a') =>
  Merchant.openAt(server, processor);

/** The fields of a retrieved dispute that these tests read. */
interface Shown {
  readonly id: string;
  readonly payment: string;
  readonly status: string;
  readonly created: number;
}

async function dispute(
  shop: Merchant,
  options: object = {},
  payment: Record<string, unknown> = {},
): Promise<Shown> {
  const { body } = await shop.pay(payment);
  expect(body.status).toBe('succeeded');
  const reply = await shop.post(`/api/v1/test_helpers/payments/${body.id}/dispute`, options);
  expect({ status: reply.status, error: reply.body.error }).toEqual({ status: 201, error: undefined });
  return reply.body;
}

const advance = (shop: Merchant, seconds: number) =>
  shop.post('/api/v1/test_helpers/clock/advance', { seconds });
const show = async (shop: Merchant, id: string) => (await shop.get(`${disputes}/${id}`)).body;
const reaches = (shop: Merchant, id: string, position: object) =>
  until(`${id} is ${JSON.stringify(position)}`, async () => {
    const body = await show(shop, id);
    return Object.entries(position).every(([name, value]) => body[name] === value) ? body : undefined;
  });

const eventsOf = async (shop: Merchant, id: string) =>
  (await shop.get('/api/v1/events?per_page=100')).body.data
    .filter((event: { data: { object: { id: string } } }) => event.data.object.id === id)
    .toReversed();

function upload(shop: Merchant, content: string, filename = 'receipt.pdf') {
  const boundary = 'till-acceptance-boundary';
  const raw = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${filename}"`,
    'Content-Type: application/octet-stream',
    '',
    content,
    `--${boundary}--`,
    '',
  ].join('\r\n');
  return shop.call('POST', files, {
    raw,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
}

describe('where the disputes API is off', () => {
  it.each([
    ['GET', disputes],
    ['GET', `${disputes}/dsp_000000000000000000000000`],
    ['POST', `${disputes}/dsp_000000000000000000000000/accept`],
    ['POST', `${disputes}/dsp_000000000000000000000000/defend`],
    ['POST', files],
    ['GET', `${files}/file_000000000000000000000000`],
  ])('%s %s is not found', async (method, path) => {
    const shop = await Merchant.open();
    expectError(await shop.call(method, path, method === 'POST' ? { body: {} } : {}), 'not_found');
  });

  it('disputes are recorded and have events', async () => {
    const shop = await Merchant.open();
    const opened = await dispute(shop);
    expectError(await shop.get(`${disputes}/${opened.id}`), 'not_found');
    expect(await eventsOf(shop, opened.id)).toMatchObject([
      { type: 'dispute.created', data: { object: opened } },
    ]);
    const listed = await till<{ data: Shown[] }>('disputes', 'list', '--account', shop.id);
    expect(listed.data).toEqual([opened]);
  });
});

describe.each(['processor_a', 'processor_b'] as const)('a dispute on %s', (processor) => {
  it('is shown as the contract says', async () => {
    const shop = await openShop(processor);
    const customer = (await shop.post('/api/v1/customers', { email: 'jane@shop.example' })).body.id;
    const payment = (await shop.pay({ customer, amount: 3000 })).body;
    const { body } = await shop.post(`/api/v1/test_helpers/payments/${payment.id}/dispute`, {
      amount: 1000,
      reason: 'product_not_received',
    });
    expect(body).toEqual({
      id: expect.stringMatching(/^dsp_[a-z0-9]{24}$/),
      object: 'dispute',
      payment: payment.id,
      customer,
      amount: 1000,
      currency: 'EUR',
      state: 'chargeback',
      status: 'action_required',
      reason: 'product_not_received',
      respond_by: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      raised_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      payment_method: payment.payment_method,
      arn: body.arn === null ? null : expect.any(String),
      metadata: {},
      livemode: false,
      created: expect.any(Number),
    });
    expect(await show(shop, body.id)).toEqual(body);
  });

  it('can be accepted, once', async () => {
    const shop = await openShop(processor);
    const { id } = await dispute(shop);
    const accepted = await shop.post(`${disputes}/${id}/accept`);
    expect(accepted).toMatchObject({ status: 200, body: { id, status: 'accepted' } });
    expectError(await shop.post(`${disputes}/${id}/accept`), 'invalid_params', 'status');
    expect((await eventsOf(shop, id)).map(({ type }: { type: string }) => type)).toEqual([
      'dispute.created',
      'dispute.closed',
    ]);
  });

  it.each([
    ['SIM-DISPUTE-CHARGEBACK', 'won'],
    ['SIM-DISPUTE-CHARGEBACK-LOSE', 'lost'],
  ])('can be defended with a file: %s ends %s', async (directive, outcome) => {
    const shop = await openShop(processor);
    const { body: payment } = await shop.pay({ card: { holder_name: directive }, description: directive });
    await advance(shop, 10);
    const opened = await until('the buyer disputes it', async () => {
      const { data } = (await shop.get(`${disputes}?payment=${payment.id}`)).body;
      return data[0];
    });
    expect(opened).toMatchObject({ state: 'chargeback', status: 'action_required', amount: payment.amount });
    const file = (await upload(shop, pdf)).body.id;
    const defended = await shop.post(`${disputes}/${opened.id}/defend`, {
      statement: 'It was delivered.',
      evidence: [
        { type: 'receipt', file },
        { type: 'proof_of_delivery', text: 'Signed for by the buyer' },
      ],
    });
    expect(defended).toMatchObject({ status: 200, body: { status: 'challenged' } });
    await advance(shop, 60);
    await reaches(shop, opened.id, { status: outcome });
    expect((await eventsOf(shop, opened.id)).map(({ type }: { type: string }) => type)).toEqual([
      'dispute.created',
      'dispute.updated',
      'dispute.closed',
    ]);
  });

  it.each([
    ['SIM-DISPUTE-RFI', { state: 'information_request', status: 'action_required', amount: 5000 }],
    ['SIM-DISPUTE-PREARB', { state: 'pre_arbitration', status: 'action_required' }],
    ['SIM-DISPUTE-ARBITRATION', { state: 'scheme_arbitration', status: 'lost' }],
    ['SIM-DISPUTE-SECOND', { state: 'second_chargeback', status: 'action_required' }],
    ['SIM-DISPUTE-RECOVERED', { state: 'chargeback', status: 'recovered' }],
    ['SIM-DISPUTE-PARTIAL', { state: 'chargeback', status: 'action_required', amount: 2500 }],
  ])('moves through the states of %s', async (directive, end) => {
    const shop = await openShop(processor);
    const { body: payment } = await shop.pay({
      amount: 5000,
      card: { holder_name: directive },
      description: directive,
    });
    // In steps, because some processors report only the current state of a dispute.
    for (let step = 0; step < 5; step += 1) await advance(shop, 6);
    const { data } = (await shop.get(`${disputes}?payment=${payment.id}`)).body;
    expect(data).toHaveLength(1);
    await reaches(shop, data[0].id, end);
  });

  it('without an answer is accepted when its deadline passes', async () => {
    const shop = await openShop(processor);
    const { id } = await dispute(shop);
    await advance(shop, 9 * day);
    expect(await show(shop, id)).toMatchObject({ status: 'action_required' });
    await advance(shop, 2 * day);
    expect(await show(shop, id)).toMatchObject({ status: 'accepted' });
    expectError(await shop.post(`${disputes}/${id}/accept`), 'invalid_params', 'status');
  });

  it('is moved from the command line', async () => {
    const shop = await openShop(processor);
    const { body: payment } = await shop.pay();
    const command = <T = Shown>(...parameters: string[]) =>
      commandJson<T>(server.environment, ['disputes', ...parameters]);
    const opened = await command('open', '--payment', payment.id, '--amount', '500', '--reason', 'duplicate');
    expect(opened).toMatchObject({ payment: payment.id, amount: 500, status: 'action_required' });
    expect(await show(shop, opened.id)).toEqual(opened);
    expect(await command('move', opened.id, '--status', 'lost')).toMatchObject({ status: 'lost' });
    await expect(command('move', opened.id, '--status', 'challenged')).rejects.toThrow('invalid_move');
    expect(await command('move', opened.id, '--status', 'recovered')).toMatchObject({ status: 'recovered' });
    const { data } = await command<{ data: Shown[] }>('list', '--account', shop.id);
    expect(data).toEqual([await show(shop, opened.id)]);
  });
});

describe('the command line', () => {
  it.each([
    ['payment_not_found', ['open', '--payment', 'pay_000000000000000000000000']],
    ['dispute_not_found', ['move', 'dsp_000000000000000000000000', '--status', 'won']],
    ['account_not_found', ['list', '--account', 'acct_000000000000000000000000']],
    ['invalid_usage', ['open', '--payment', 'pay_1', '--state', 'exploded']],
  ])('says %s', async (code, parameters) => {
    const { exitCode, out } = await tillRaw('disputes', ...parameters, '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ error: { code } });
  });
});

describe('accept and defend', () => {
  it('concurrently: one wins, the other gets 422', async () => {
    const shop = await openShop();
    const { id } = await dispute(shop);
    const replies = await Promise.all([
      shop.post(`${disputes}/${id}/accept`),
      shop.post(`${disputes}/${id}/defend`, { statement: 'x', evidence: [] }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(await eventsOf(shop, id)).toHaveLength(2);
  });

  it('are 404 for another merchant’s disputes and files', async () => {
    const [shop, other] = await Promise.all([openShop(), openShop()]);
    const { id } = await dispute(shop);
    const file = (await upload(other, pdf)).body.id;
    expectError(await other.get(`${disputes}/${id}`), 'not_found');
    expectError(await other.post(`${disputes}/${id}/accept`), 'not_found');
    expectError(await shop.get(`${files}/${file}`), 'not_found');
    const body = { evidence: [{ type: 'receipt', file }] };
    expectError(await shop.post(`${disputes}/${id}/defend`, body), 'invalid_params', 'evidence[0].file');
    expect((await other.get(disputes)).body.total_count).toBe(0);
  });
});

describe('the test helper', () => {
  it('does not exist for a live key', async () => {
    const shop = await Merchant.open('processor_a', '--environment', 'live');
    await till('accounts', 'update', shop.id, '--activation', 'active');
    const { body } = await shop.pay();
    expectError(await shop.post(`/api/v1/test_helpers/payments/${body.id}/dispute`, {}), 'not_found');
  });
});

describe('files', () => {
  it('have the type that their first bytes say, and are shown without their content', async () => {
    const shop = await openShop();
    const uploaded = await upload(shop, pdf, '../receipt.pdf');
    expect(uploaded.status).toBe(201);
    expect(uploaded.body).toEqual({
      id: expect.stringMatching(/^file_[a-z0-9]{24}$/),
      object: 'file',
      name: 'receipt.pdf',
      content_type: 'application/pdf',
      size: pdf.length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      livemode: false,
      created: expect.any(Number),
    });
    expect((await shop.get(`${files}/${uploaded.body.id}`)).body).toEqual(uploaded.body);
    expectError(await upload(shop, 'hello'), 'invalid_params', 'file');
    expectError(await upload(shop, pdf + 'x'.repeat(5 * 1024 * 1024)), 'body_too_large');
    expectError(await shop.post(files, { file: 'x' }), 'missing_field', 'file');
  });
});
