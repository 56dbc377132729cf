import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { expectError } from '../../support/expect-error.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { Merchant } from '../../support/merchant.ts';
import {
  commandJson,
  type RunningServer,
  runCommand,
  startServer,
  temporaryFolder,
} from '../../support/server.ts';

const disputes = '/api/v1/disputes';
const processors = ['processor_a', 'processor_b'] as const;
const evidenceTypes = [
  'receipt',
  'proof_of_delivery',
  'shipping_documentation',
  'customer_communication',
  'customer_signature',
  'service_documentation',
  'refund_policy',
  'cancellation_policy',
  'proof_of_refund',
  'recurring_agreement',
  'duplicate_charge_documentation',
  'access_activity_log',
  'other',
];

const cleanUp = new CleanUp();
let server: RunningServer;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_DISPUTES_API: 'on',
    TILL_RATE_LIMIT_RPS: '0',
  });
  cleanUp.add(() => server.stop());
});
afterAll(cleanUp.run);

const openIn = (shop: Merchant, payment: string, options: object) =>
  shop.post(`/api/v1/test_helpers/payments/${payment}/dispute`, options);

async function dispute(shop: Merchant, options: object = {}): Promise<{ id: string; payment: string }> {
  const reply = await openIn(shop, (await shop.pay()).body.id, options);
  expect(reply.status).toBe(201);
  return reply.body;
}

const defend = (shop: Merchant, id: string, body: object = { statement: 'Delivered', evidence: [] }) =>
  shop.post(`${disputes}/${id}/defend`, body);

/**
 * Makes the simulated issuer decide. Not usable after a defence, on which the issuer decides by itself a few seconds
 * later.
 * @returns the resulting state of the dispute
 */
async function move(id: string, status: string, ...state: string[]): Promise<string> {
  const parameters = [
    'disputes',
    'move',
    id,
    '--status',
    status,
    ...state.flatMap((one) => ['--state', one]),
  ];
  const moved = await commandJson<{ state: string; status: string }>(server.environment, parameters);
  return `${moved.state} ${moved.status}`;
}

function upload(shop: Merchant, content: Buffer) {
  const boundary = 'till-acceptance-boundary';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
  return shop.call('POST', '/api/v1/files', {
    raw: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
}

describe('the list of disputes', () => {
  let shop: Merchant;
  let ids: string[];
  let created: number[];

  beforeAll(async () => {
    shop = await Merchant.openAt(server);
    ids = [];
    created = [];
    for (const state of ['chargeback', 'information_request', 'chargeback']) {
      const { id } = await dispute(shop, { state });
      ids.unshift(id);
      created.unshift((await shop.get(`${disputes}/${id}`)).body.created);
      await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 10 });
    }
    await shop.post(`${disputes}/${ids[2]}/accept`);
  });

  const listed = async (query: string): Promise<string[]> => {
    const { status, body } = await shop.get(`${disputes}?${query}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'list', total_count: body.data.length, has_more: false });
    return body.data.map((one: { id: string }) => one.id);
  };

  it('is newest first, in pages', async () => {
    expect(await listed('')).toEqual(ids);
    const { body } = await shop.get(`${disputes}?page=2&per_page=2`);
    expect(body).toMatchObject({ data: [{ id: ids[2] }], has_more: false, total_count: 3 });
  });

  it('can be filtered by state, status, payment and time', async () => {
    expect(await listed('state=chargeback')).toEqual([ids[0], ids[2]]);
    expect(await listed('status=accepted')).toEqual([ids[2]]);
    expect(await listed('state=chargeback&status=action_required')).toEqual([ids[0]]);
    const { payment } = (await shop.get(`${disputes}/${ids[1]}`)).body;
    expect(await listed(`payment=${payment}`)).toEqual([ids[1]]);
    expect(await listed(`created_gte=${created[1]}`)).toEqual([ids[0], ids[1]]);
    expect(await listed(`created_gte=${created[2]}&created_lt=${created[0]}`)).toEqual([ids[1], ids[2]]);
  });

  it.each(['state=open', 'status=exploded', 'created_gte=x', 'page=0', 'per_page=101'])(
    'refuses %s',
    async (query) => {
      expectError(await shop.get(`${disputes}?${query}`), 'invalid_params', query.split('=')[0]);
    },
  );
});

describe.concurrent.each(processors)('the moves of a dispute on %s', (processor) => {
  let shop: Merchant;
  beforeAll(async () => {
    shop = await Merchant.openAt(server, processor);
  });

  it('lead from a request for information to a chargeback', async () => {
    const { id } = await dispute(shop, { state: 'information_request' });
    expect(await move(id, 'action_required', 'chargeback')).toBe('chargeback action_required');
    expect((await shop.post(`${disputes}/${id}/accept`)).body).toMatchObject({ status: 'accepted' });
  });

  it('lead to pre-arbitration, and on to scheme arbitration', async () => {
    const { id } = await dispute(shop);
    expect(await move(id, 'action_required', 'pre_arbitration')).toBe('pre_arbitration action_required');
    expect(await move(id, 'challenged', 'scheme_arbitration')).toBe('scheme_arbitration challenged');
    expectError(await defend(shop, id), 'invalid_params', 'status');
    expect(await move(id, 'won')).toBe('scheme_arbitration won');
  });

  it('let a won dispute be raised again, and a lost one be recovered', async () => {
    const [raised, lost] = [await dispute(shop), await dispute(shop)];
    const firstMoves = [move(raised.id, 'won'), move(lost.id, 'lost')];
    expect(await Promise.all(firstMoves)).toEqual(['chargeback won', 'chargeback lost']);
    const [first, again] = ['chargeback', 'second_chargeback'];
    const before = (await shop.get(`${disputes}/${raised.id}`)).body;
    expect(before.state).toBe(first);
    expect(await move(raised.id, 'action_required', again ?? '')).toBe('second_chargeback action_required');
    const { body } = await shop.get(`${disputes}/${raised.id}`);
    expect(Date.parse(body.respond_by)).toBeGreaterThan(Date.now());
    expect((await defend(shop, raised.id)).body).toMatchObject({ state: again, status: 'challenged' });
    expect(await move(lost.id, 'recovered')).toBe('chargeback recovered');
  });

  it('end with accepting: nothing follows', async () => {
    const { id } = await dispute(shop);
    await shop.post(`${disputes}/${id}/accept`);
    expectError(await defend(shop, id), 'invalid_params', 'status');
    for (const status of ['won', 'action_required']) {
      const parameters = ['disputes', 'move', id, '--status', status, '--json'];
      const { out } = await runCommand(server.environment, parameters);
      expect(JSON.parse(out)).toMatchObject({ error: { code: 'invalid_move' } });
    }
  });

  it('follow the processor’s later update after an acceptance by the deadline', async () => {
    const own = await Merchant.openAt(server, processor);
    const late = await dispute(own);
    await own.post('/api/v1/test_helpers/clock/advance', { seconds: 10 * 24 * 3600 + 60 });
    expect((await own.get(`${disputes}/${late.id}`)).body.status).toBe('accepted');
    // processor_a reports itself that the deadline has passed, and from then on the dispute is final.
    if (processor === 'processor_a') return;
    expect(await move(late.id, 'won')).toBe('chargeback won');
  });

  it('replay under a key, and refuse another body under it', async () => {
    const { id } = await dispute(shop);
    const idempotencyKey = `defence-${processor}`;
    const send = (statement: string) =>
      shop.post(`${disputes}/${id}/defend`, { statement, evidence: [] }, { idempotencyKey });
    const first = await send('Delivered');
    expect(first).toMatchObject({ status: 200, body: { status: 'challenged' } });
    const second = await send('Delivered');
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expectError(await send('Not delivered'), 'key_reused');
  });
});

describe('evidence', () => {
  const refusals: readonly (readonly [param: string, body: object])[] = [
    ['evidence', {}],
    ['evidence', { evidence: [] }],
    ['evidence[0].type', { evidence: [{ type: 'rumour', text: 'x' }] }],
    ['evidence[0]', { evidence: [{ type: 'receipt' }] }],
    ['evidence[0].file', { evidence: [{ type: 'receipt', file: 'file_000000000000000000000000' }] }],
    ['evidence', { evidence: Array.from({ length: 21 }, () => ({ type: 'other', text: 'x' })) }],
    ['statement', { statement: 'x'.repeat(2001), evidence: [] }],
  ];

  it.each([
    ['processor_a', 'image/jpeg', Buffer.from('ffd8ffe000104a464946', 'hex')],
    ['processor_b', 'image/png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ] as const)('may be of every type, and a file: %s, %s', async (processor, contentType, content) => {
    const shop = await Merchant.openAt(server, processor);
    const { body: file } = await upload(shop, content);
    expect(file).toMatchObject({ object: 'file', content_type: contentType, size: content.length });
    const words = evidenceTypes.map((type) => ({ type, text: `About ${type}` }));
    for (const evidence of [words, [{ type: 'receipt', file: file.id }]]) {
      const { id } = await dispute(shop, { reason: 'product_not_received' });
      const reply = await defend(shop, id, { evidence });
      expect(reply).toMatchObject({ status: 200, body: { status: 'challenged' } });
    }
  });

  it('is refused with the field that is wrong', async () => {
    const shop = await Merchant.openAt(server);
    const { id } = await dispute(shop);
    for (const [param, body] of refusals) {
      expectError(await defend(shop, id, body), 'invalid_params', param);
    }
    expect((await shop.get(`${disputes}/${id}`)).body.status).toBe('action_required');
  });
});

describe.each(processors)('the test helper on %s', (processor) => {
  it.each([
    ['information_request', 'action_required'],
    ['chargeback', 'action_required'],
    ['pre_arbitration', 'action_required'],
    ['second_chargeback', 'action_required'],
    ['scheme_arbitration', 'challenged'],
  ])('opens a dispute in %s, %s, with a deadline where an answer is due', async (state, status) => {
    const shop = await Merchant.openAt(server, processor);
    const { id } = await dispute(shop, { state });
    const { body } = await shop.get(`${disputes}/${id}`);
    expect(body).toMatchObject({ state, status });
    const due = body.respond_by === null ? null : Date.parse(body.respond_by) > Date.now();
    if (status === 'action_required') expect(due).toBe(true);
  });

  it('opens a second chargeback that can be accepted or defended', async () => {
    const shop = await Merchant.openAt(server, processor);
    const [one, other] = [
      await dispute(shop, { state: 'second_chargeback' }),
      await dispute(shop, { state: 'second_chargeback' }),
    ];
    const accepted = await shop.post(`${disputes}/${one.id}/accept`);
    expect(accepted.body).toMatchObject({ state: 'second_chargeback', status: 'accepted' });
    expect((await defend(shop, other.id)).body).toMatchObject({
      state: 'second_chargeback',
      status: 'challenged',
    });
  });

  it('opens one from the command line too', async () => {
    const shop = await Merchant.openAt(server, processor);
    const payment = (await shop.pay()).body.id;
    const parameters = ['disputes', 'open', '--payment', payment, '--state', 'second_chargeback'];
    const opened = await commandJson<{ state: string; status: string; respond_by: string | null }>(
      server.environment,
      parameters,
    );
    expect(opened).toMatchObject({ state: 'second_chargeback', status: 'action_required' });
    expect(opened.respond_by).not.toBeNull();
  });
});

describe('the test helper', () => {
  it('refuses what cannot be disputed', async () => {
    const [shop, other] = [await Merchant.openAt(server), await Merchant.openAt(server)];
    const payment = (await shop.pay({ amount: 1000 })).body.id;
    const declined = (await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } })).body.id;
    expectError(await openIn(shop, declined, {}), 'invalid_params', 'status');
    expectError(await openIn(shop, payment, { amount: 1001 }), 'invalid_params', 'amount');
    expectError(await openIn(shop, payment, { state: 'open' }), 'invalid_params', 'state');
    expectError(await openIn(shop, payment, { reason: 'mood' }), 'invalid_params', 'reason');
    expectError(await openIn(other, payment, {}), 'not_found');
    expectError(await openIn(shop, 'pay_000000000000000000000000', {}), 'not_found');
    expect((await shop.get(disputes)).body.total_count).toBe(0);
  });
});
