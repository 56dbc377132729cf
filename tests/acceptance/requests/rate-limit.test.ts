import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { expectError, patiently } from '../../support/expect-error.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { Merchant, type Reply, till } from '../../support/merchant.ts';
import { commandJson, startServer, temporaryFolder } from '../../support/server.ts';

let shop: Merchant;
/** What many may ask for at once without waiting for each other. */
let path: string;

beforeAll(async () => {
  shop = await Merchant.open();
  path = `/api/v1/payments/${(await shop.pay()).body.id}`;
});

/** Uses up the bucket: rounds of many requests at once, since it fills up again meanwhile. */
async function untilLimited(): Promise<Reply[]> {
  const burst = Number((await shop.get(path)).headers.get('ratelimit-limit'));
  for (let round = 0; round < 10; round += 1) {
    const replies = await Promise.all(Array.from({ length: 2 * burst }, () => shop.get(path)));
    if (replies.some((reply) => reply.status === 429)) return replies;
  }
  throw new Error(`no answer 429 after ${20 * burst} requests`);
}

describe('the rate limit', () => {
  it('is in the headers of every answer', async () => {
    for (const reply of [
      await shop.get(path),
      await shop.pay(),
      await shop.pay({ amount: 0 }),
      await shop.get('/api/v1/payments/x'),
      await shop.call('GET', path, { key: null }),
      await shop.call('GET', path, { key: 'sk_test_nobody' }),
    ]) {
      for (const header of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
        expect(reply.headers.get(header)).toMatch(/^\d+$/);
      }
      const remaining = Number(reply.headers.get('ratelimit-remaining'));
      expect(remaining).toBeLessThanOrEqual(Number(reply.headers.get('ratelimit-limit')));
      expect(reply.headers.get('retry-after')).toBeNull();
    }
  });

  it('counts down', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => shop.get(path)));
    const remaining = replies.map((reply) => Number(reply.headers.get('ratelimit-remaining')));
    expect(Math.min(...remaining)).toBeLessThan(Number(replies[0]?.headers.get('ratelimit-limit')) - 1);
  });

  it('answers 429 with Retry-After, for one key and not for another of the same account', async () => {
    const second = await till<{ secret_key: string }>('keys', 'create', '--account', shop.id);
    const replies = await untilLimited();
    const unharmed = await shop.call('GET', path, { key: second.secret_key });
    for (const reply of replies) expect([200, 429]).toContain(reply.status);
    for (const reply of replies.filter(({ status }) => status === 429)) {
      expectError(reply, 'rate_limited');
      expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(reply.headers.get('ratelimit-remaining')).toBe('0');
      expect(Number(reply.headers.get('ratelimit-reset'))).toBeGreaterThanOrEqual(1);
    }
    expect(unharmed.status).toBe(200);
    expect((await patiently(() => shop.get(path))).status).toBe(200);
  });

  it('does not count requests without a valid key', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => shop.call('GET', path, { key: 'sk_test_nobody' })),
    );
    for (const reply of replies) expectError(reply, 'invalid_api_key');
  });

  it('comes before the checks of key and body', async () => {
    const { secret_key: key } = await till<{ secret_key: string }>('keys', 'create', '--account', shop.id);
    for (let round = 0; round < 10; round += 1) {
      const replies = await Promise.all(
        Array.from({ length: 500 }, () =>
          shop.call('POST', '/api/v1/payments', { key, idempotencyKey: null, raw: '{' }),
        ),
      );
      const limited = replies.filter((reply) => reply.status === 429);
      if (limited[0] === undefined) continue;
      expectError(limited[0], 'rate_limited');
      return;
    }
    throw new Error('the limit was never reached');
  });
});

describe('the limit of an account', () => {
  const cleanUp = new CleanUp();
  afterAll(cleanUp.run);

  it('is not multiplied by its keys, and is no other account’s', async () => {
    const folder = await temporaryFolder();
    cleanUp.add(folder.remove);
    const server = await startServer({
      DATABASE_URL: await migratedDatabase(cleanUp),
      TILL_DATA_DIR: folder.path,
      TILL_ACCOUNT_RATE_LIMIT_RPS: '1',
      TILL_ACCOUNT_RATE_LIMIT_BURST: '20',
    });
    cleanUp.add(() => server.stop());
    const [busy, other] = [await Merchant.openAt(server), await Merchant.openAt(server)];
    const keys = [busy.key];
    for (let n = 0; n < 4; n += 1) {
      const created = await commandJson<{ secret_key: string }>(server.environment, [
        'keys',
        'create',
        '--account',
        busy.id,
      ]);
      keys.push(created.secret_key);
    }
    const replies: Reply[] = [];
    for (let round = 0; round < 20; round += 1) {
      replies.push(...(await Promise.all(keys.map((key) => busy.call('GET', '/api/v1/customers', { key })))));
    }
    const limited = replies.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(20);
    for (const reply of limited) {
      expectError(reply, 'rate_limited');
      expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      // The headers are those of the key, which may ask for more.
      expect(Number(reply.headers.get('ratelimit-limit'))).toBe(200);
      expect(Number(reply.headers.get('ratelimit-remaining'))).toBeGreaterThan(100);
    }
    expect((await other.get('/api/v1/customers')).status).toBe(200);
  });
});
