import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { migratedDatabase, queryDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let url: string;
let settings: Record<string, string>;
let first: RunningServer;
let second: RunningServer;
let shop: Merchant;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  url = await migratedDatabase(cleanUp);
  settings = { DATABASE_URL: url, TILL_DATA_DIR: folder.path, TILL_RATE_LIMIT_RPS: '0' };
  // Both start at once, and race for the migrations and the demo accounts.
  [first, second] = await Promise.all([start(), start()]);
  shop = await Merchant.openAt(first);
});
afterAll(cleanUp.run);

async function start(): Promise<RunningServer> {
  const server = await startServer(settings);
  cleanUp.add(() => server.stop('SIGKILL'));
  return server;
}

const chargesOf = async (payment: string) =>
  (await shop.ledger()).charges.filter((charge) => charge.reference === payment);

describe('two servers that start at once on an empty database', () => {
  it('create the demo accounts once', async () => {
    const accounts = await queryDatabase<{ name: string }>(
      url,
      `select name from accounts where name like 'Demo shop%' order by name`,
    );
    expect(accounts.map(({ name }) => name)).toEqual(['Demo shop A', 'Demo shop B']);
    const outputs = [first, second].map((server) => server.printed().out);
    expect(outputs.filter((out) => out.includes('sk_test_'))).toHaveLength(1);
  });
});

describe('an API key', () => {
  it('that is revoked by the command line fails at once on both', async () => {
    const key = await commandJson<{ id: string; secret_key: string }>(settings, [
      'keys',
      'create',
      '--account',
      shop.id,
    ]);
    const read = (server: RunningServer) =>
      shop.at(server).call('GET', '/api/v1/payments', { key: key.secret_key });
    for (const server of [first, second]) expect((await read(server)).status).toBe(200);
    await commandJson(settings, ['keys', 'revoke', key.id]);
    for (const server of [first, second]) {
      const reply = await read(server);
      expect(reply.status).toBe(401);
      expect(reply.body.error.code).toBe('invalid_api_key');
    }
  });
});

describe('one idempotency key', () => {
  it('sent to both servers at once, 25 times over, charges once and gets the same answer everywhere', async () => {
    const idempotencyKey = randomUUID();
    const replies = await Promise.all(
      Array.from({ length: 25 }, () => [first, second])
        .flat()
        .map((server) => shop.at(server).pay({ reference: 'raced' }, { idempotencyKey })),
    );
    expect([...new Set(replies.map((reply) => reply.status))]).toEqual([201]);
    const bodies = new Set(replies.map((reply) => reply.text));
    expect(bodies.size).toBe(1);
    const replayed = replies.filter((reply) => reply.headers.get('idempotent-replayed') === 'true');
    expect(replayed).toHaveLength(replies.length - 1);
    expect(await chargesOf(replies[0]?.body.id)).toHaveLength(1);
    const listed = await shop.get('/api/v1/payments?reference=raced');
    expect(listed.body.total_count).toBe(1);
  });

  it('25 keys sent to both servers at once charge once each', async () => {
    const keys = Array.from({ length: 25 }, () => randomUUID());
    const pairs = await Promise.all(
      keys.map((idempotencyKey) =>
        Promise.all(
          [first, second].map((server) => shop.at(server).pay({ reference: 'paired' }, { idempotencyKey })),
        ),
      ),
    );
    for (const [one, other] of pairs) {
      expect([one?.status, other?.status]).toEqual([201, 201]);
      expect(one?.text).toBe(other?.text);
    }
    const ids = new Set(pairs.map(([one]) => one?.body.id));
    expect(ids.size).toBe(25);
    const { charges } = await shop.ledger();
    expect(charges.filter((charge) => ids.has(charge.reference))).toHaveLength(25);
  });
});

describe('a server that is killed while the processor works on a charge', () => {
  const asked = async (paymentReference: string) => {
    const [row] = await queryDatabase<{ id: string }>(
      url,
      `select o.subject as id from operations o
       where o.tenant in (select tenant from tenants where account_id = $1) and o.state = 'intent'
         and o.draft ->> 'reference' = $2`,
      [shop.id, paymentReference],
    );
    return row?.id;
  };
  const struck = async () => {
    const rows = await queryDatabase(
      url,
      `select 1 from sandbox.documents where kind = 'fault' and merchant_account = $1`,
      [shop.id],
    );
    return rows.length > 0;
  };

  /** Sends the payment to a separate server, and kills that server as soon as `reached` resolves to true. */
  async function killDuring(
    directive: string,
    idempotencyKey: string,
    reached: (payment: string) => Promise<boolean>,
  ): Promise<string> {
    const victim = await start();
    const lost = shop
      .at(victim)
      .pay({ card: { holder_name: directive }, reference: directive }, { idempotencyKey })
      .catch((error: unknown) => error);
    const payment = await until('the intent is committed', () => asked(directive));
    await until('the processor is at work', () => reached(payment));
    await victim.stop('SIGKILL');
    expect(await lost).toBeInstanceOf(Error);
    return payment;
  }

  it.each([
    ['SIM-TIMEOUT-DONE', 'that was made', async (payment: string) => (await chargesOf(payment)).length === 1],
    ['SIM-TIMEOUT-LOST', 'that was not made', struck],
  ])(
    '%s, a charge %s: the same key on another server answers 201 at once, with exactly one charge',
    async (directive, _what, reached) => {
      const idempotencyKey = randomUUID();
      const payment = await killDuring(directive, idempotencyKey, reached);
      const body = { card: { holder_name: directive }, reference: directive };
      const retried = await shop.at(second).pay(body, { idempotencyKey });
      expect(retried.status).toBe(201);
      expect(retried.body).toMatchObject({ id: payment, status: 'succeeded' });
      expect(await chargesOf(payment)).toHaveLength(1);
      const again = await shop.at(second).pay(body, { idempotencyKey });
      expect(again.text).toBe(retried.text);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      const listed = await shop.at(second).get(`/api/v1/payments?reference=${directive}`);
      expect(listed.body.total_count).toBe(1);
    },
  );

  it('SIM-SLOW: the same key on another server gets its 201 about when the processor is done, with one charge', async () => {
    const idempotencyKey = randomUUID();
    const payment = await killDuring('SIM-SLOW', idempotencyKey, async () => true);
    const body = { card: { holder_name: 'SIM-SLOW' }, reference: 'SIM-SLOW' };
    // The processor needs 8 seconds. Until then it responds that the charge is in progress.
    const settled = await until(
      'the retry is answered',
      async () => {
        const reply = await shop.at(second).pay(body, { idempotencyKey });
        if (reply.status === 201) return reply;
        expect(reply.status).toBe(503);
        expect(reply.body.error.code).toBe('provider_unavailable');
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
        return undefined;
      },
      30_000,
    );
    expect(settled.body).toMatchObject({ id: payment, status: 'succeeded' });
    expect(await chargesOf(payment)).toHaveLength(1);
  });
});
