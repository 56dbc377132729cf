import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { expectEnvelope } from '../support/expect-error.ts';
import { migratedDatabase, queryDatabase } from '../support/fresh-database.ts';
import { type HalfSent, sendAndReset, sendIncomplete } from '../support/half-sent.ts';
import { Merchant, type Reply } from '../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let databaseUrl: string;
let folder: string;
let server: RunningServer;
let shop: Merchant;

const start = async (settings: Readonly<Record<string, string>> = {}): Promise<RunningServer> => {
  const started = await startServer({
    DATABASE_URL: databaseUrl,
    TILL_DATA_DIR: folder,
    TILL_RATE_LIMIT_RPS: '0',
    ...settings,
  });
  cleanUp.add(() => started.stop('SIGKILL'));
  return started;
};

beforeAll(async () => {
  databaseUrl = await migratedDatabase(cleanUp);
  const made = await temporaryFolder();
  cleanUp.add(made.remove);
  folder = made.path;
  server = await start({ TILL_DISPUTES_API: 'on' });
  shop = await Merchant.openAt(server);
});
afterAll(cleanUp.run);

/** Creates payments in a loop while a condition lasts. @returns the statuses of all responses */
async function payWhile(seller: Merchant, lasts: () => boolean, atLeast: number): Promise<number[]> {
  const statuses: number[] = [];
  while (lasts() || statuses.length < atLeast) statuses.push((await seller.pay()).status);
  return statuses;
}

const only = (statuses: readonly number[], status: number) =>
  expect([...new Set(statuses)]).toEqual([status]);

describe('requests of which only half is sent', () => {
  it('do not slow payments, are limited per client, and time out', async () => {
    const origin = `Origin: ${server.baseUrl}`;
    const json = 'Content-Type: application/json';
    const heads = [
      `POST /checkout/csp-reports HTTP/1.1\r\n${json}`,
      `POST /dashboard/api/session HTTP/1.1\r\n${json}\r\n${origin}`,
      `POST /processors/a/notifications/${shop.id} HTTP/1.1\r\n${json}`,
      `POST /api/v1/nothing HTTP/1.1\r\n${json}`,
    ];
    const crowd = await sendIncomplete(server, 2_000, heads, cleanUp);
    only(await payWhile(shop, () => crowd.stillOpen() > 0, 20), 201);
    const count = (status: number) => crowd.statuses.filter((one) => one === status).length;
    // Only few requests of one address may be incomplete at once, and only for some seconds.
    expect(count(408)).toBeGreaterThan(0);
    expect(count(503)).toBeGreaterThan(1_000);
    expect(crowd.statuses.filter((status) => status !== 503 && status !== 408)).toEqual([]);
    expect(crowd.statuses).toHaveLength(crowd.sent);
  });

  it('do not slow other accounts with a valid key either, with a file or without', async () => {
    const other = await Merchant.openAt(server);
    const key = `Authorization: Bearer ${other.key}`;
    const heads = [
      `POST /api/v1/payments HTTP/1.1\r\nContent-Type: application/json\r\nIdempotency-Key: half\r\n${key}`,
      `POST /api/v1/files HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x\r\n${key}`,
    ];
    const crowd: HalfSent = await sendIncomplete(server, 400, heads, cleanUp);
    await until('what is beyond the bound is refused', () => crowd.statuses.length >= 300);
    only(await payWhile(shop, () => false, 20), 201);
    expect([...new Set(crowd.statuses)]).toEqual([503]);
    expect(crowd.stillOpen()).toBeGreaterThan(0);
  });

  it('time out where the head is incomplete', async () => {
    const crowd = await sendIncomplete(server, 50, ['POST /api/v1/payments HTTP/1.1\r\nX-Never: '], cleanUp);
    expect(crowd.stillOpen()).toBe(50);
    only(await payWhile(shop, () => false, 5), 201);
  });
});

describe('requests whose clients leave at once', () => {
  it('keep no place, with a key or without', async () => {
    const { key } = await Merchant.openAt(server);
    const withKey = `POST /api/v1/payments HTTP/1.1\r\nAuthorization: Bearer ${key}`;
    const without = `POST /dashboard/api/session HTTP/1.1\r\nOrigin: ${server.baseUrl}\r\nCookie: till_session=invented`;
    for (let round = 0; round < 60; round += 1) await sendAndReset(server, 5, [withKey, without]);
    only(await payWhile(shop, () => false, 20), 201);
    expect((await shop.call('GET', '/api/v1/payments')).status).toBe(200);
  });
});

/** A processor that never responds to the merchant with one key, and charges for the others. */
async function standIn(hangingKey: string) {
  const held = new Set<ServerResponse>();
  const charged: string[] = [];
  const state = { hangs: true };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
    const isPayment = request.url?.endsWith('/payments') === true;
    if (state.hangs && request.headers['x-api-key'] === hangingKey) {
      // Recovery also sends requests, but not to this path.
      return isPayment ? held.add(response) : undefined;
    }
    if (isPayment) charged.push(String(body.reference));
    const { amount, reference } = body;
    response.setHeader('content-type', 'application/json');
    return response.end(
      JSON.stringify({
        pspReference: `PSP${String(charged.length).padStart(13, '0')}`,
        resultCode: 'Authorised',
        amount,
        merchantReference: reference,
      }),
    );
  };
  const listener = createServer((request, response) => void answer(request, response).catch(() => {}));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  cleanUp.add(
    () =>
      new Promise<void>((resolve) => {
        listener.close(() => resolve());
        listener.closeAllConnections();
      }),
  );
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/checkout/v71`;
  return { url, held, charged, state };
}

/** Opens a merchant with its own credentials at the stand-in. */
async function connected(place: RunningServer, baseUrl: string, apiKey: string): Promise<Merchant> {
  const merchant = await Merchant.openAt(place);
  const file = join(folder, `${merchant.id}.json`);
  await writeFile(
    file,
    JSON.stringify({
      api_key: apiKey,
      merchant_account: `Shop${merchant.id.slice(-8)}`,
      hmac_key: 'ab'.repeat(32),
      notification_user: 'till',
      notification_password: 'a-long-password-for-notifications',
    }),
  );
  const set = [
    'connections',
    'set',
    '--account',
    merchant.id,
    '--base-url',
    baseUrl,
    '--from',
    file,
    '--no-check',
  ];
  await commandJson(place.environment, set);
  return merchant;
}

describe('a processor that hangs for one merchant', () => {
  const hangingKey = 'AQE-key-that-hangs';
  let place: RunningServer;
  let upstream: Awaited<ReturnType<typeof standIn>>;
  /** The merchant whose calls hang, another merchant of the same processor, and one of the other processor. */
  let stuck: Merchant;
  let neighbour: Merchant;
  let elsewhere: Merchant;
  /** Their product is more than the limit of requests in flight. */
  const [rounds, atOnce] = [14, 50];
  const sent: Promise<Reply>[] = [];
  let refusedKey: string;

  const pay = (seller: Merchant, reference: string, idempotencyKey = reference) =>
    seller.pay({ reference, merchant_initiated: false }, { idempotencyKey });
  const begunOf = async (reference: string) =>
    (
      await queryDatabase(
        databaseUrl,
        `select from payments where reference = $1
         union all select from operations where draft ->> 'reference' = $1`,
        [reference],
      )
    ).length;

  beforeAll(async () => {
    upstream = await standIn(hangingKey);
    place = await start({
      TILL_PROCESSOR_TIMEOUT_MS: '8000',
      TILL_REQUESTS_QUEUED: '1000',
      TILL_REQUESTS_OPEN: '600',
    });
    stuck = await connected(place, upstream.url, hangingKey);
    neighbour = await connected(place, upstream.url, 'AQE-key-that-works');
    elsewhere = await Merchant.openAt(place, 'processor_b');
    await until('the server knows the connections', async () => {
      const reply = await pay(neighbour, 'known', randomUUID());
      return reply.status === 201 && upstream.charged.includes(reply.body.id);
    });
  });

  it('does not slow the other merchants of both processors', async () => {
    for (let round = 0; round < rounds; round += 1) {
      for (let index = 0; index < atOnce; index += 1) {
        const reply = pay(stuck, `stuck-${round}-${index}`);
        // A failure of the other merchants ends the test and the server; then these requests fail too.
        reply.catch(() => {});
        sent.push(reply);
      }
      const others = await Promise.all([pay(neighbour, `n-${round}`), pay(elsewhere, `e-${round}`)]);
      only(
        others.map(({ status }) => status),
        201,
      );
    }
    expect(upstream.held.size).toBeGreaterThan(0);
  });

  it('is refused at once for that merchant, before anything is written', async () => {
    await Promise.all(sent);
    // One of several concurrent requests may be the circuit breaker's probe.
    const { key, reply } = await until('the breaker is open', async () => {
      const tries = Array.from({ length: 5 }, async () => {
        const fresh = randomUUID();
        const answer = await pay(stuck, fresh);
        if (!/Nothing was begun/.test(answer.body.error?.message ?? '')) throw new Error('begun');
        return { key: fresh, reply: answer };
      });
      return Promise.any(tries).catch(() => undefined);
    });
    refusedKey = key;
    expect(reply.status).toBe(503);
    expectEnvelope(reply);
    expect(reply.body.error).toMatchObject({ type: 'provider_error', code: 'provider_unavailable' });
    expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const open = /"scope":"(account|origin)","origin":"http[^\n]*its breaker is open/;
    expect(place.printed().err).toMatch(open);
    only([(await pay(neighbour, 'n-after')).status, (await pay(elsewhere, 'e-after')).status], 201);
    expect(await begunOf(key)).toBe(0);
  });

  it('is asked again once it answers, and charges refused requests once', async () => {
    upstream.state.hangs = false;
    const paid = await until('the breaker is closed', async () => {
      const reply = await pay(stuck, refusedKey);
      return reply.status === 201 ? reply : undefined;
    });
    expect((await pay(stuck, refusedKey)).body.id).toBe(paid.body.id);
    expect(upstream.charged.filter((reference) => reference === paid.body.id)).toHaveLength(1);
    only([(await pay(stuck, 'and on')).status], 201);
    expect(place.printed().out + place.printed().err).toContain('its breaker is closed');
  });
});

describe('a confirm that hangs', () => {
  /** How many requests may wait for one payment. */
  const maxWaiters = 10;

  it('has a limited number of waiting requests; further ones are refused, other payments are made', async () => {
    const place = await start({ TILL_PROCESSOR_TIMEOUT_MS: '8000' });
    const [busy, other] = [await Merchant.openAt(place, 'processor_b'), await Merchant.openAt(place)];
    const wallet = { payment_method: { type: 'processor_b' }, description: 'SIM-TIMEOUT-LOST' };
    const { id } = (await busy.pay(wallet)).body;
    const approval = await busy.post(`/api/v1/test_helpers/payments/${id}/approve`, {});
    expect(approval.status).toBe(200);
    const confirm = () => busy.post(`/api/v1/payments/${id}/confirm`, undefined, { idempotencyKey: null });
    const first = confirm();
    await until('the processor is asked', async () => {
      const open = `select from operations where subject = $1 and kind = 'confirm' and state = 'intent'`;
      return (await queryDatabase(databaseUrl, open, [id])).length === 1;
    });
    const replies: Reply[] = [];
    const crowd = Array.from({ length: 200 }, async () => replies.push(await confirm()));
    only(await payWhile(other, () => replies.length < crowd.length - maxWaiters, 20), 201);
    await Promise.all(crowd);
    expect((await first).status).toBe(503);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(crowd.length - refused.length).toBeLessThanOrEqual(maxWaiters);
    for (const reply of refused) {
      expect(reply.status).toBe(503);
      expect(reply.body.error.code).toBe('provider_unavailable');
      expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    // The first waiting request repeated the confirm, and the others got its outcome.
    expect((await confirm()).body).toMatchObject({ id, status: 'succeeded' });
    expect((await busy.ledger()).charges.filter(({ reference }) => reference === id)).toHaveLength(1);
  });
});
