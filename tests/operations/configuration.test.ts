import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../packages/server/src/store/embedded/embedded-postgres.ts';
import { CleanUp } from '../support/clean-up.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { freePort } from '../support/free-port.ts';
import { queryDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { type RunningServer, runProcess, startServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let folder: DataFolder;
let postgres: EmbeddedPostgres;
let server: RunningServer;
let metricsUrl: string;
let shop: Merchant;

/** Starts a PostgreSQL server that this file can stop, and one Till server on it with metrics. */
beforeAll(async () => {
  folder = await dataFolder(cleanUp);
  postgres = await startEmbeddedPostgres({ dataDir: folder.path });
  cleanUp.add(() => postgres.stop());
  const metrics = `127.0.0.1:${await freePort()}`;
  metricsUrl = `http://${metrics}/metrics`;
  server = await folder.start({ DATABASE_URL: postgres.url, TILL_METRICS_ADDR: metrics });
  shop = await Merchant.openAt(server);
});
afterAll(cleanUp.run);

describe('wrong settings', () => {
  const wrong = {
    PORT: '99999',
    HOST: 'not a host',
    BASE_URL: 'ftp://shop.example',
    DATABASE_URL: 'mysql://till:hunter2@localhost/till',
    TILL_MASTER_KEY: 'too-short-secret',
    TILL_LOG_LEVEL: 'loud',
    TILL_METRICS_ADDR: 'nowhere',
    TRUST_PROXY: '10.0.0.0/99',
    TILL_RATE_LIMIT_RPS: '-1',
    TILL_PROCESSOR_TIMEOUT_MS: '1.5',
    TILL_LIVE_SIMULATION: 'yes',
    TILL_DRAIN_SECONDS: 'soon',
  };

  it('exit with code 78 and one message that names every fault, and no secret', async () => {
    const result = await runProcess(wrong, ['serve']);
    expect(result.exitCode).toBe(78);
    expect(result.out).toBe('');
    expect(result.err).toContain('12 settings are wrong');
    for (const name of Object.keys(wrong)) {
      expect(result.err).toMatch(new RegExp(`^ +${name}: got .+, expected .+, for example ${name}=`, 'm'));
    }
    expect(result.err).not.toContain('hunter2');
    expect(result.err).not.toContain('too-short-secret');
    expect(result.err).not.toMatch(/^\s+at /m);
  });

  it('exit a command with code 1 and the same message as JSON', async () => {
    const result = await runProcess(wrong, ['accounts', 'list', '--json']);
    expect(result.exitCode).toBe(1);
    const { error } = JSON.parse(result.out);
    expect(error.code).toBe('invalid_configuration');
    expect(error.message).toContain('12 settings are wrong');
    expect(`${result.out}${result.err}`).not.toContain('hunter2');
  });

  it('such as a port that is taken are refused with the port in the message', async () => {
    const port = new URL(server.baseUrl).port;
    const result = await runProcess({ ...server.environment, PORT: port, TILL_METRICS_ADDR: 'off' }, [
      'serve',
    ]);
    expect(result.exitCode).toBe(1);
    expect(result.err).toContain(port);
    expect(result.err).not.toMatch(/^\s+at /m);
  });

  it('such as a metrics address that is taken are refused too', async () => {
    const result = await runProcess(server.environment, ['serve']);
    expect(result.exitCode).toBe(1);
    expect(result.err).toContain(new URL(metricsUrl).port);
  });
});

describe('metrics', () => {
  it('are served on their own address only', async () => {
    expect((await shop.pay()).status).toBe(201);
    const response = await fetch(metricsUrl);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toMatch(
      /till_http_request_duration_seconds_count\{route="\/api\/v1\/payments",method="POST",status_class="2xx"\} [1-9]/,
    );
    expect(text).toMatch(
      /till_payments_total\{processor="processor_a",mode="test",status="succeeded",failure_code=""\} [1-9]/,
    );
    expect(text).not.toContain(shop.id);
    expect((await fetch(`${server.baseUrl}/metrics`)).status).toBe(404);
  });
});

/** Approved test cards. Each is sent in a different wrong place, so that a leaked number shows its place. */
const pan = {
  body: '4012000033330026',
  holder: '5555555555554444',
  reference: '370000000000002',
  path: '6011601160116611',
  query: '4217651111111119',
  authorization: '4500600000000061',
  key: '4772129056533503',
  agent: '4915805038587737',
  metadata: '2223000048410010',
  external: '5577000055770004',
  unknownField: '5555444433331111',
  malformed: '5103221911199245',
  nul: '3569990010095841',
  email: '3566111111111113',
  socket: '6445644564456445',
  description: '2222400010000008',
  number: '4012888888881881',
} as const;

const spaced = (number: string) => number.replaceAll(/(\d{4})(?=\d)/g, '$1 ');

function sendBroken(text: string): Promise<void> {
  const { hostname, port } = new URL(server.baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.once('close', () => resolve());
    socket.once('error', reject);
    socket.resume();
  });
}

async function misplaceCardNumbers(): Promise<void> {
  await shop.pay({ card: { number: pan.body } });
  await shop.pay({ card: { holder_name: `Jane ${pan.holder}` } });
  await shop.pay({ reference: pan.reference });
  await shop.pay({ reference: spaced(pan.number) });
  await shop.pay({ description: `Card ${spaced(pan.description)}` });
  await shop.get(`/api/v1/payments/${pan.path}`);
  await shop.get(`/${pan.path}`);
  await shop.get(`/api/v1/payments?reference=${pan.query}&page=x`);
  await shop.call('GET', '/api/v1/payments', { key: `sk_test_${pan.authorization}` });
  await shop.pay({}, { idempotencyKey: pan.key });
  await shop.call('GET', '/api/v1/payments', { headers: { 'user-agent': pan.agent, 'x-card': pan.agent } });
  await shop.pay({ [pan.unknownField]: pan.unknownField, amount: pan.unknownField });
  await shop.post('/api/v1/payments', undefined, { raw: `{"number": ${pan.malformed}` });
  await shop.pay({ card: { number: pan.number, exp_month: pan.malformed } });
  await shop.pay({ reference: `nul \u0000 ${pan.nul} \ud800` });
  const customer = {
    email: `${pan.email}@shop.example`,
    external_id: pan.external,
    metadata: { a: pan.metadata },
  };
  await shop.post('/api/v1/customers', customer);
  // These violate two unique constraints. The database quotes the values in its errors.
  await shop.post('/api/v1/customers', customer);
  await shop.post('/api/v1/customers', { ...customer, email: 'other@shop.example' });
  await sendBroken(`GET /${pan.socket} HTTP/1.1\r\nBroken ${pan.socket}\r\n\r\n`);
}

function expectNoCardNumber(text: string, what: string): void {
  const compact = text.replaceAll(/[ -]/g, '');
  const leaked = Object.entries(pan).filter(([, number]) => compact.includes(number));
  expect(
    leaked.map(([place]) => place),
    what,
  ).toEqual([]);
}

describe('logs', () => {
  it('are JSON lines on standard error, with the request id of every request', async () => {
    const reply = await shop.get('/api/v1/payments');
    const id = reply.headers.get('service-request-id') ?? '';
    expect(id).toMatch(/^req_[0-9a-z]{24}$/);
    await until('the request is logged', () => server.printed().err.includes(id));
    const lines = server.printed().err.trim().split('\n');
    const entries = lines.map((line) => JSON.parse(line));
    for (const entry of entries) {
      expect(entry).toMatchObject({ time: expect.stringMatching(/^\d{4}-.*Z$/), level: expect.any(String) });
    }
    const requests = entries.filter((entry) => entry.msg === 'request');
    expect(requests.length).toBeGreaterThan(0);
    for (const entry of requests) expect(entry.request_id).toMatch(/^req_/);
    expect(entries.find((entry) => entry.request_id === id)).toMatchObject({
      method: 'GET',
      route: '/api/v1/payments',
      status: 200,
      account: shop.id,
    });
  });

  it('never show a card number, wherever a client puts one', async () => {
    await misplaceCardNumbers();
    const last = (await shop.get('/api/v1/payments')).headers.get('service-request-id') ?? '';
    await until('the last request is logged', () => server.printed().err.includes(last));
    expectNoCardNumber(server.printed().err, 'standard error');
    expectNoCardNumber(server.printed().out, 'standard output');
    expectNoCardNumber(await folder.logs(), 'log files in the data folder');
    for (const line of server.printed().err.trim().split('\n')) JSON.parse(line);
  });

  it('and the database keeps no number and no security code of a card that was charged', async () => {
    const number = '4400000000000008';
    expect((await shop.pay({ card: { number, cvc: '9173' } })).status).toBeLessThan(500);
    expect((await shop.pay({ card: { number } })).status).toBe(201);
    const tables = await queryDatabase<{ name: string }>(
      postgres.url,
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema in ('public', 'sandbox') and table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables) {
      const rows = await queryDatabase<{ text: string }>(
        postgres.url,
        `select t::text as text from ${name} t where t::text like '%${number}%' or t::text like '%"737"%'`,
      );
      expect(rows, name).toEqual([]);
    }
  });
});

describe('health', () => {
  const health = async (path: string) => {
    const response = await fetch(`${server.baseUrl}${path}`);
    return { status: response.status, body: await response.json() };
  };

  it('is good while everything runs', async () => {
    expect(await health('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await health('/readyz')).toMatchObject({ status: 200, body: { ready: true } });
  });

  it('says that the server lives but is not ready while the database is away, and recovers with it', async () => {
    await postgres.stop();
    const away = await until('not ready', async () => {
      const now = await health('/readyz');
      return now.status === 503 && now;
    });
    expect(away.body).toMatchObject({
      ready: false,
      checks: { database: { ok: false, error: "the database check failed: see the server's log" } },
    });
    expect(JSON.stringify(away.body)).not.toContain(new URL(postgres.url.replace('@/', '@host/')).password);
    expect((await health('/healthz')).status).toBe(200);
    const refused = await shop.pay();
    expect(refused.status).toBe(503);
    expect(refused.body.error).toMatchObject({
      type: 'api_error',
      code: 'service_unavailable',
      request_id: refused.headers.get('service-request-id'),
    });
    expect((await fetch(metricsUrl)).status).toBe(200);

    postgres = await startEmbeddedPostgres({ dataDir: folder.path });
    await until('ready again', async () => (await health('/readyz')).status === 200);
    expect((await shop.pay()).status).toBe(201);
  });
});

describe('the default metrics address', () => {
  it('that is taken already: the server takes another port and says so', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => {
      // The port is taken, whether by this test or by another program on the machine.
      holder.once('error', () => resolve());
      holder.listen(9464, '127.0.0.1', () => resolve());
    });
    cleanUp.add(() => holder.close());
    const other = await startServer({
      ...server.environment,
      TILL_METRICS_ADDR: '',
      TILL_DATA_DIR: folder.path,
    });
    cleanUp.add(() => other.stop('SIGKILL'));
    const line = await until('the warning', () =>
      other
        .printed()
        .err.split('\n')
        .find((text) => text.includes('the metrics port is taken')),
    );
    const { address } = JSON.parse(line);
    expect((await fetch(`http://${address}/metrics`)).status).toBe(200);
  });
});
