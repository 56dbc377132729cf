import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { expectError } from '../../support/expect-error.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { Merchant, type Reply } from '../../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../../support/server.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

async function start(settings: Readonly<Record<string, string>>): Promise<RunningServer> {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const url = await migratedDatabase(cleanUp);
  const server = await startServer({ DATABASE_URL: url, TILL_DATA_DIR: folder.path, ...settings });
  cleanUp.add(() => server.stop());
  return server;
}

const createKey = async ({ environment }: RunningServer, account: string): Promise<string> =>
  (await commandJson<{ secret_key: string }>(environment, ['keys', 'create', '--account', account]))
    .secret_key;

describe('the rate limit', () => {
  const burst = 40;
  let server: RunningServer;
  let shop: Merchant;
  /** The path of a payment, which many requests can read at once without waiting for each other. */
  let path: string;

  beforeAll(async () => {
    // A limit so low that even a slow machine reaches it.
    server = await start({ TILL_RATE_LIMIT_RPS: '1', TILL_RATE_LIMIT_BURST: String(burst) });
  });
  beforeEach(async () => {
    shop = await Merchant.openAt(server);
    path = `/api/v1/payments/${(await shop.pay()).body.id}`;
  });

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
    const second = await createKey(server, shop.id);
    const replies = await Promise.all(
      Array.from({ length: 2 * burst }, () => shop.call('GET', path, { takesRateLimit: true })),
    );
    const unharmed = await shop.call('GET', path, { key: second });
    for (const reply of replies) expect([200, 429]).toContain(reply.status);
    const limited = replies.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    for (const reply of limited) {
      expectError(reply, 'rate_limited');
      expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(reply.headers.get('ratelimit-remaining')).toBe('0');
      expect(Number(reply.headers.get('ratelimit-reset'))).toBeGreaterThanOrEqual(1);
    }
    expect(unharmed.status).toBe(200);
    expect((await shop.get(path)).status).toBe(200);
  });

  it('does not count requests without a valid key', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => shop.call('GET', path, { key: 'sk_test_nobody' })),
    );
    for (const reply of replies) expectError(reply, 'invalid_api_key');
  });

  it('comes before the checks of key and body', async () => {
    const replies = await Promise.all(
      Array.from({ length: 2 * burst }, () =>
        shop.call('POST', '/api/v1/payments', { idempotencyKey: null, raw: '{', takesRateLimit: true }),
      ),
    );
    const limited = replies.filter((reply) => reply.status === 429);
    expect(limited.length).toBeGreaterThan(0);
    for (const reply of limited) expectError(reply, 'rate_limited');
  });
});

describe('the limit of an account', () => {
  it('is not multiplied by its keys, and is no other account’s', async () => {
    const server = await start({ TILL_ACCOUNT_RATE_LIMIT_RPS: '1', TILL_ACCOUNT_RATE_LIMIT_BURST: '20' });
    const [busy, other] = [await Merchant.openAt(server), await Merchant.openAt(server)];
    const keys = [busy.key];
    for (let n = 0; n < 4; n += 1) keys.push(await createKey(server, busy.id));
    const replies: Reply[] = [];
    for (let round = 0; round < 20; round += 1) {
      replies.push(
        ...(await Promise.all(
          keys.map((key) => busy.call('GET', '/api/v1/customers', { key, takesRateLimit: true })),
        )),
      );
    }
    const limited = replies.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(20);
    for (const reply of limited) {
      expectError(reply, 'rate_limited');
      expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      // The headers show the limit of the key, which is higher.
      expect(Number(reply.headers.get('ratelimit-limit'))).toBe(200);
      expect(Number(reply.headers.get('ratelimit-remaining'))).toBeGreaterThan(100);
    }
    expect((await other.get('/api/v1/customers')).status).toBe(200);
  });
});
