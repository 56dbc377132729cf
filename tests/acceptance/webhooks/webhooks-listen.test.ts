import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { expectError } from '../../support/expect-error.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { Merchant, target, till, tillRaw } from '../../support/merchant.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { WebhookReceiver } from './webhooks-receiver.ts';

const stream = '/api/v1/events/stream';
const bin = fileURLToPath(new URL('../../../packages/server/bin/till.js', import.meta.url));
const cleanUp = new CleanUp();
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.open();
});
afterEach(cleanUp.run);
afterAll(() => receiver.close());

interface Streamed {
  readonly id: string;
  readonly type: string;
  readonly event: { readonly id: string; readonly data: { readonly object: { readonly id: string } } };
}

/** Opens a stream and collects its events. */
async function follow(shop: Merchant, headers: Record<string, string> = {}, query = ''): Promise<Streamed[]> {
  const ended = new AbortController();
  cleanUp.add(() => ended.abort());
  const answer = await fetch(`${target().baseUrl}${stream}${query}`, {
    headers: { authorization: `Bearer ${shop.key}`, ...headers },
    signal: ended.signal,
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const events: Streamed[] = [];
  const collect = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, id, type, data] = /^id: (\d+)\nevent: (\S+)\ndata: (.+)$/.exec(text.slice(0, end)) ?? [];
        if (data !== undefined) {
          events.push({ id: id ?? '', type: type ?? '', event: JSON.parse(data) as Streamed['event'] });
        }
        text = text.slice(end + 2);
      }
    }
  };
  // The stream ends with the test.
  collect().catch(() => {});
  return events;
}

describe('the stream of events', () => {
  it('sends new events in order', async () => {
    const shop = await Merchant.open();
    await shop.pay();
    const events = await follow(shop);
    const [first, second] = [await shop.pay(), await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } })];
    await until('both came', () => events.length === 2);
    expect(events).toMatchObject([
      { id: '2', type: 'payment.succeeded', event: { data: { object: first.body } } },
      { id: '3', type: 'payment.failed', event: { data: { object: second.body } } },
    ]);
  });

  it('resumes after an event or since a time', async () => {
    const shop = await Merchant.open();
    for (let count = 0; count < 3; count += 1) await shop.pay();
    const [resumed, all, fresh] = [
      await follow(shop, { 'last-event-id': '1' }),
      await follow(shop, {}, '?since=0'),
      await follow(shop),
    ];
    await until('all came', () => resumed.length === 2 && all.length === 3);
    expect(resumed.map(({ id }) => id)).toEqual(['2', '3']);
    expect(all.map(({ id }) => id)).toEqual(['1', '2', '3']);
    await shop.pay();
    await until('the new one came', () => fresh.length === 1);
    expect(fresh[0]?.id).toBe('4');
  });

  it('shows nothing of other accounts', async () => {
    const [shop, other] = [await Merchant.open(), await Merchant.open()];
    const events = await follow(shop, {}, '?since=0');
    await other.pay();
    const own = await shop.pay();
    await until('the own one came', () => events.length > 0);
    expect(events.map(({ event }) => event.data.object.id)).toEqual([own.body.id]);
  });

  it('needs a key and a valid position', async () => {
    const shop = await Merchant.open();
    expectError(await shop.call('GET', stream, { key: null }), 'missing_api_key');
    expectError(await shop.call('GET', stream, { key: 'sk_test_nobody' }), 'invalid_api_key');
    for (const since of ['x', '-1', '1.5', '2026-11-20', '']) {
      expectError(await shop.get(`${stream}?since=${since}`), 'invalid_params', 'since');
    }
    await shop.pay();
    // The last value is the position of an event in a longer log, such as that of another account.
    for (const id of ['evt_1', '-1', '2']) {
      const headers = { 'last-event-id': id };
      expectError(await shop.call('GET', stream, { headers }), 'invalid_params', 'Last-Event-ID');
    }
  });

  it('begins with its place, from which a client goes on that has got no event', async () => {
    const shop = await Merchant.open();
    await shop.pay();
    const ended = new AbortController();
    const answer = await fetch(`${target().baseUrl}${stream}`, {
      headers: { authorization: `Bearer ${shop.key}` },
      signal: ended.signal,
    });
    const { value } = (await answer.body?.getReader().read()) ?? {};
    ended.abort();
    expect(new TextDecoder().decode(value)).toBe('id: 1\nretry: 1000\n\n');
    await shop.pay();
    const events = await follow(shop, { 'last-event-id': '1' });
    await until('what happened meanwhile came', () => events.length === 1);
    expect(events[0]?.id).toBe('2');
  });

  it('ends when the server stops, without delaying it', async () => {
    const folder = await temporaryFolder();
    cleanUp.add(folder.remove);
    const settings = { DATABASE_URL: await migratedDatabase(cleanUp), TILL_DATA_DIR: folder.path };
    const server = await startServer(settings);
    cleanUp.add(() => server.stop('SIGKILL'));
    const shop = await Merchant.openAt(server);
    const answer = await fetch(`${server.baseUrl}${stream}`, {
      headers: { authorization: `Bearer ${shop.key}` },
    });
    const [text, exitCode] = await Promise.all([answer.text(), server.stop()]);
    expect(text).toBe('id: 0\nretry: 1000\n\n');
    expect(exitCode).toBe(0);
  });

  it('is limited to a number of connections per key', async () => {
    const shop = await Merchant.open();
    for (let count = 0; count < 10; count += 1) await follow(shop);
    expectError(await shop.call('GET', stream, { takesRateLimit: true }), 'rate_limited');
  });
});

/** Runs `till listen` until the test ends. @returns its lines of output; the list grows */
async function startListening(shop: Merchant, ...options: string[]): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const child: ChildProcess = spawn(
    process.execPath,
    [
      bin,
      'listen',
      '--json',
      '--api-key',
      shop.key,
      '--server',
      target().baseUrl,
      '--forward-to',
      receiver.url('/local'),
      ...options,
    ],
    { env: { ...process.env, ...target().environment }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'close');
  cleanUp.add(async () => {
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const complete = text.split('\n');
    text = complete.pop() ?? '';
    lines.push(...complete.map((line) => JSON.parse(line) as Record<string, unknown>));
  });
  await until('it listens', () => lines.length > 0);
  return lines;
}

describe('till listen', () => {
  it('forwards events to a receiver, signed with the secret that it prints', async () => {
    const shop = await Merchant.open();
    const early = await shop.pay();
    const lines = await startListening(shop, '--since', '0', '--events', 'payment.succeeded,refund.*');
    const secret = String(lines[0]?.secret);
    expect(secret).toMatch(/^whsec_/);
    await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } });
    const late = await shop.pay();
    await until('both came', () => lines.length === 3);
    const received = receiver.at('/local').slice(-2);
    expect(received.map(({ event }) => event.data.object.id)).toEqual([early.body.id, late.body.id]);
    expect(lines.slice(1)).toEqual(
      received.map(({ event }) => ({ type: 'payment.succeeded', id: event.id, answer: 200 })),
    );
    for (const { headers, body } of received) {
      expect(headers['user-agent']).toMatch(/^Till\/\d+\.\d+\.\d+$/);
      const key = Buffer.from(secret.slice(6), 'base64');
      const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      expect(headers['webhook-signature']).toBe(
        `v1,${createHmac('sha256', key).update(content).digest('base64')}`,
      );
    }
  });

  it('prints the same secret every time, or signs as an endpoint does', async () => {
    const shop = await Merchant.open();
    const [first] = await startListening(shop);
    const [second] = await startListening(shop);
    expect(second).toEqual(first);
    const url = 'https://shop.example/hooks';
    const { secret } = await till<{ secret: string }>(
      'webhooks',
      'create',
      '--account',
      shop.id,
      '--url',
      url,
    );
    const [third] = await startListening(shop, '--secret', secret);
    expect(third).toEqual({ secret });
  });

  it("keeps the receiver's address as it is, slash at its end included", async () => {
    const shop = await Merchant.open();
    await shop.pay();
    const lines = await startListening(shop, '--since', '0', '--forward-to', receiver.url('/hooks/?to=a/'));
    await until('it came', () => lines.length === 2);
    expect(receiver.at('/hooks/?to=a/')).toHaveLength(1);
  });

  it('refuses types of events that there are not, for which nothing would come', async () => {
    const shop = await Merchant.open();
    const parameters = ['--forward-to', receiver.url('/'), '--api-key', shop.key, '--json'];
    for (const types of ['payment.suceeded', 'payment.*,refunds.*']) {
      const result = await tillRaw('listen', ...parameters, '--events', types);
      expect(result.exitCode).toBe(1);
      expect(JSON.parse(result.out)).toMatchObject({ error: { code: 'invalid_usage' } });
    }
  });

  it('ends with the reason where the key is refused', async () => {
    const parameters = ['--forward-to', receiver.url('/'), '--server', target().baseUrl, '--json'];
    const result = await tillRaw('listen', '--api-key', 'sk_test_nobody', ...parameters);
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.out.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'invalid_api_key' },
    });
  });

  it('ends with the reason where the address is none of a Till server', async () => {
    const parameters = ['--api-key', 'sk_test_1', '--forward-to', receiver.url('/'), '--json'];
    const other = await tillRaw('listen', ...parameters, '--server', `${target().baseUrl}/nowhere`);
    expect(other.exitCode).toBe(1);
    expect(JSON.parse(other.out.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'not_found' },
    });
    const unusable = await tillRaw('listen', ...parameters, '--server', 'localhost:8080');
    expect(JSON.parse(unusable.out)).toMatchObject({ error: { code: 'invalid_usage' } });
    expect(unusable.exitCode).toBe(1);
  });
});
