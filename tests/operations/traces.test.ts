import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attributeNames } from '../../packages/server/src/lib/tracing/attributes.ts';
import { WebhookReceiver } from '../acceptance/webhooks/webhooks-receiver.ts';
import { testCard } from '../support/card-payment.ts';
import { CleanUp } from '../support/clean-up.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Tests of the data that a server exports to a collector, configured with OpenTelemetry's variables. */
const cleanUp = new CleanUp();
const challengeCard = '4212345678910006';
const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
let collector: OtlpReceiver;
let hooks: WebhookReceiver;
let server: RunningServer;
let shop: Merchant;

async function start(settings: Record<string, string>): Promise<RunningServer> {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  return startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '100',
    ...settings,
  });
}

beforeAll(async () => {
  collector = await OtlpReceiver.open();
  cleanUp.add(() => collector.close());
  hooks = await WebhookReceiver.open();
  cleanUp.add(() => hooks.close());
  server = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=collector%20key',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  cleanUp.add(() => server.stop());
  shop = await Merchant.openAt(server);
});
afterAll(cleanUp.run);

/** Waits for the first span that matches. */
const arrives = (what: string, fits: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> =>
  until(what, () => collector.spans().find(fits));

const ofRequest = (reply: { headers: Headers }) =>
  arrives(
    'the request',
    ({ attributes }) => attributes['till.request.id'] === reply.headers.get('service-request-id'),
  );

describe('traces', () => {
  it('show a create and the confirm of its challenge, each statement and each call to the processor', async () => {
    const created = await shop.pay({ card: { number: challengeCard } });
    const create = await ofRequest(created);
    expect(create).toMatchObject({
      name: 'POST /api/v1/payments',
      kind: 2,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/payments',
        'http.response.status_code': '201',
      },
    });
    expect(create).not.toHaveProperty('parentSpanId');
    expect(collector.tree(create.traceId)).toEqual([
      'POST /api/v1/payments',
      '  batch',
      '    authenticate',
      '  batch',
      '    begin_payments',
      '  processor_a charge',
      '    POST',
      '  batch',
      '    insert_payments_and_more',
    ]);
    const { id } = created.body;
    await shop.post(`/api/v1/test_helpers/payments/${id}/approve`, { outcome: 'approved' });
    const confirm = await ofRequest(await shop.post(`/api/v1/payments/${id}/confirm`));
    const tree = collector.tree(confirm.traceId);
    expect(tree[0]).toBe('POST /api/v1/payments/:id/confirm');
    expect(tree).toEqual(expect.arrayContaining(['    POST']));
    const call = collector
      .spans()
      .find((span) => span.traceId === create.traceId && span.name === 'POST' && span.kind === 3);
    expect(call?.attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': 'processor-a.sandbox.invalid',
      'server.port': '443',
      'http.response.status_code': '200',
    });
    const charge = collector.spans().find((span) => span.spanId === call?.parentSpanId);
    expect(charge?.attributes).toEqual({
      'till.processor': 'processor_a',
      'till.operation': 'charge',
      'till.outcome': 'requires_action',
    });
  });

  it('show a refund, the notification about it, its delivery and the jobs, each as a trace of its own', async () => {
    const path = '/secret-path-of-the-receiver';
    const asked = ['webhooks', 'create', '--account', shop.id, '--url', hooks.url(path)];
    const endpoint = await commandJson<{ id: string }>(server.environment, asked);
    const paid = await shop.pay();
    const refund = await ofRequest(await shop.post(`/api/v1/payments/${paid.body.id}/refunds`, {}));
    const tree = collector.tree(refund.traceId).map((name) => name.trim());
    for (const part of ['processor_a refund', 'begin_refunds', 'change_refunds'])
      expect(tree).toContain(part);

    const applied = await arrives(
      'what the notification changed',
      ({ name }) => name === 'mark_notifications_applied',
    );
    expect(collector.tree(applied.traceId)[0]).toMatch(/^(simulated notification|job )/);
    const received = await arrives('a notification', ({ name }) => name === 'simulated notification');
    expect(received).toMatchObject({ kind: 2, attributes: { 'till.processor': 'processor_a' } });

    const delivery = await arrives('a delivery', ({ name }) => name === 'webhook delivery');
    expect(delivery).toMatchObject({ kind: 4, attributes: { 'till.endpoint.id': endpoint.id } });
    const attempt = collector.tree(delivery.traceId);
    expect([attempt[0], attempt.at(-1)]).toEqual(['webhook delivery', '  POST']);
    const sent = hooks.at(path).map(({ headers }) => headers.traceparent);
    expect(sent).toContainEqual(`00-${delivery.traceId}-${delivery.spanId}-01`);

    const job = await arrives(
      'a job that nothing kept from its work',
      ({ name, attributes }) => name === 'job recovery' && attributes['error.type'] === undefined,
    );
    expect(job.attributes).toEqual({ 'till.job': 'recovery' });
    expect(collector.tree(job.traceId)[1]).toBe('  release_abandoned_operations');
    const statement = collector.spans().find(({ parentSpanId }) => parentSpanId === job.spanId);
    expect(statement?.attributes).toEqual({
      'db.system.name': 'postgresql',
      'db.operation.name': 'release_abandoned_operations',
    });
  });

  it('belong to the trace that a merchant names, and the lines of the log name it', async () => {
    const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;
    const reply = await shop.call('GET', '/api/v1/payments', { headers: { traceparent } });
    const span = await ofRequest(reply);
    expect([span.traceId, span.parentSpanId]).toEqual([caller.traceId, caller.spanId]);
    const lineOf = (id: string | null) =>
      until('its line', () =>
        server
          .printed()
          .err.split('\n')
          .find((line) => line.includes(String(id))),
      );
    const line = JSON.parse(await lineOf(reply.headers.get('service-request-id'))) as object;
    expect(line).toMatchObject({ msg: 'request', trace_id: caller.traceId, span_id: span.spanId });

    // The caller does not record this trace, so Till does not either. The log line still has the trace id.
    const silent = { traceparent: `00-${'a'.repeat(32)}-${caller.spanId}-00` };
    const unrecorded = await shop.call('GET', '/api/v1/payments', { headers: silent });
    const other = JSON.parse(await lineOf(unrecorded.headers.get('service-request-id'))) as object;
    expect(other).toMatchObject({ trace_id: 'a'.repeat(32) });
    expect(other).not.toHaveProperty('span_id');
    await ofRequest(await shop.get('/api/v1/refunds/re_unknown'));
    expect(collector.spans().filter(({ traceId }) => traceId === 'a'.repeat(32))).toEqual([]);
  });
});

it('metrics are exported as /metrics has them', async () => {
  await shop.pay();
  const of = (name: string) =>
    until(name, () => (collector.points(name).length > 0 ? collector.points(name) : undefined));
  await until('the payment is counted', () =>
    collector.points('till_payments_total').some((point) => Number(point.asDouble) > 0),
  );
  const [histogram] = await of('till_http_request_duration_seconds');
  const { bucketCounts, explicitBounds, count } = histogram as {
    bucketCounts: string[];
    explicitBounds: number[];
    count: string;
  };
  expect(bucketCounts).toHaveLength(explicitBounds.length + 1);
  expect(bucketCounts.reduce((sum, one) => sum + Number(one), 0)).toBe(Number(count));
  expect(await of('till_db_pool_in_use')).toHaveLength(1);
});

it('nothing that is exported holds a card, a secret, a person or an address with its parameters', async () => {
  const traceparent = `00-${testCard.number}${'0'.repeat(16)}-${caller.spanId}-01`;
  const customer = { email: 'jane.smith@shop.example', name: 'Jane Smith' };
  const body = { headers: { traceparent, 'user-agent': 'secret-agent' } };
  const last = await shop.pay({ customer, reference: 'secret reference' }, body);
  await shop.get(`/api/v1/payments/${testCard.number}?secret=query`);
  await ofRequest(last);
  const bodies = collector.received.map((one) => one.body.toString('utf8'));
  const secrets = [
    testCard.number,
    challengeCard,
    testCard.holder_name,
    customer.email,
    shop.key,
    'whsec_',
    'secret-path-of-the-receiver',
    'secret reference',
    'secret=query',
    'secret-agent',
    'collector key',
  ];
  for (const secret of secrets) {
    expect(
      bodies.filter((text) => text.includes(secret)),
      secret,
    ).toEqual([]);
  }
  expect(
    bodies.filter(
      (text) => /"stringValue":"(?:127\.0\.0\.1|::1)"/.test(text) && text.includes('client.address'),
    ),
  ).toEqual([]);
  const names = new Set(collector.spans().flatMap(({ attributes }) => Object.keys(attributes)));
  expect([...names].filter((name) => !attributeNames.has(name))).toEqual([]);
  expect(collector.received.every(({ headers }) => headers['x-collector-key'] === 'collector key')).toBe(
    true,
  );
  expect(bodies[0]).toContain('"deployment.environment.name"');
});

it('a collector that is away or hangs delays no request, and the server ends within seconds', async () => {
  const hanging = await OtlpReceiver.open();
  hanging.status = null;
  cleanUp.add(() => hanging.close());
  const own = await start({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${hanging.url}/v1/traces`,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:9/v1/metrics',
    OTEL_BSP_MAX_QUEUE_SIZE: '16',
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
  });
  const other = await Merchant.openAt(own);
  for (let n = 0; n < 3; n += 1) expect((await other.pay()).status).toBe(201);
  await until('the collector hangs', () => hanging.received.length > 0);
  expect((await other.pay()).status).toBe(201);
  expect(await own.stop()).toBe(0);
  const { err } = own.printed();
  expect(err).toContain('traces are not exported: the collector does not take them');
  expect(err).toContain('metrics are not exported: the collector does not take them');
  expect(err).toContain('spans were dropped');
});
