import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { Browser, staffPassword } from '../../support/dashboard.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { freshEmail, Merchant, type Reply, till, withRateLimitRetries } from '../../support/merchant.ts';
import { commandJson, startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';

interface Entry {
  readonly action: string;
  readonly actor: { readonly email: string | null };
  readonly object_id: string;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly ip: string;
}

const cleanUp = new CleanUp();
afterAll(cleanUp.run);
let shop: Merchant;
let owner: Browser;
let support: Browser;
beforeAll(async () => {
  shop = await Merchant.open('processor_b');
  owner = await Browser.of(shop, 'owner');
  support = await Browser.of(shop, 'support');
});

const path = (rest: string) => `/accounts/${shop.id}${rest}`;
const codeOf = (reply: Reply) => [reply.status, reply.body?.error?.code];
const emailOf = async (browser: Browser): Promise<string> => (await browser.get('/session')).body.user.email;
const log = async (query: string): Promise<Entry[]> =>
  (await owner.get(path(`/audit_log?${query}`))).body.data;

describe('money that somebody moves in the dashboard', () => {
  it('is logged although the processor did not answer, and once for a repeated request', async () => {
    const payment = (await shop.pay()).body;
    const body = { amount: 1500, reason: 'duplicate', note: 'SIM-REFUND-502' };
    const options = { idempotencyKey: randomUUID() };
    const rest = path(`/payments/${payment.id}/refunds`);
    expect(codeOf(await support.post(rest, body, options))).toEqual([502, 'provider_error']);
    const of = `action=payment.refunded&object=${payment.id}`;
    const facts = {
      refund: expect.stringMatching(/^re_/),
      amount: 1500,
      currency: 'EUR',
      reason: 'duplicate',
    };
    const email = await emailOf(support);
    expect(await log(of)).toMatchObject([{ actor: { email }, after: facts }]);
    await until('the refund is resumed', async () => {
      const reply = await support.post(rest, body, options);
      return reply.status === 201;
    });
    const entries = await log(of);
    expect(entries).toMatchObject([{ actor: { email }, after: facts, ip: '127.0.0.1' }]);
    expect(entries[0]?.after).not.toHaveProperty('outcome');
    expect(
      (await shop.ledger()).refunds.filter(({ payment_reference: id }) => id === payment.id),
    ).toHaveLength(1);
  });

  it('is logged with its outcome, and not at all where it was refused', async () => {
    const hold = (await shop.pay({ capture_method: 'manual' })).body;
    const capture = (amount: number) =>
      support.post(path(`/payments/${hold.id}/capture`), { amount }, { idempotencyKey: randomUUID() });
    expect((await capture(4990)).status).toBe(200);
    expect((await capture(4990)).status).toBe(422);
    expect(await log(`object=${hold.id}`)).toMatchObject([
      { action: 'payment.captured', after: { status: 'succeeded', amount: 4990, currency: 'EUR' } },
    ]);
  });
});

describe('a sign-in that fails', () => {
  it('is logged in the accounts of the person whose address was used, and in no other', async () => {
    const other = await Merchant.open();
    const email = await emailOf(support);
    const stranger = new Browser();
    const wrong = await stranger.signIn(email, 'a wrong password');
    const nobody = await stranger.signIn(freshEmail(), 'a wrong password');
    for (const reply of [wrong, nobody]) {
      expect(codeOf(reply)).toEqual([401, 'invalid_credentials']);
      expect(reply.body.error.message).toBe(wrong.body.error.message);
    }
    const [entry] = await log('action=sign_in');
    expect(entry).toMatchObject({
      action: 'sign_in.failed',
      actor: { email },
      after: { reason: 'password', failures: 1 },
      ip: '127.0.0.1',
    });
    const elsewhere = await Browser.of(other, 'owner');
    const { data } = (await elsewhere.get(`/accounts/${other.id}/audit_log?action=sign_in`)).body;
    expect(data).toEqual([]);
    expect((await stranger.signIn(email, staffPassword)).status).toBe(200);
  });
});

describe('when somebody was last seen', () => {
  it('is per account', async () => {
    const email = freshEmail();
    const other = await Merchant.open();
    for (const account of [shop, other]) {
      const parameters = ['--email', email, '--password', staffPassword, '--role', 'viewer'];
      await till('users', 'create', '--account', account.id, ...parameters);
    }
    const person = new Browser();
    await person.signIn(email);
    await person.get(`/accounts/${other.id}/team`);
    const boss = await Browser.of(other, 'owner');
    const seenBy = async (browser: Browser, account: string) =>
      (await browser.get(`/accounts/${account}/team`)).body.members.find(
        (member: { email: string }) => member.email === email,
      ).last_seen_at;
    expect(await seenBy(boss, other.id)).toMatch(/^\d{4}-/);
    expect(await seenBy(owner, shop.id)).toBeNull();
  });
});

describe('the log of requests', () => {
  it('contains requests refused for their rate or key, where the key is known', async () => {
    const folder = await temporaryFolder();
    cleanUp.add(folder.remove);
    // A limit so low that even a slow machine reaches it.
    const server = await startServer({
      DATABASE_URL: await migratedDatabase(cleanUp),
      TILL_DATA_DIR: folder.path,
      TILL_RATE_LIMIT_RPS: '1',
      TILL_RATE_LIMIT_BURST: '20',
    });
    cleanUp.add(() => server.stop());
    const keys = (...words: string[]) =>
      commandJson<{ id: string; secret_key: string }>(server.environment, ['keys', ...words]);
    const place = await Merchant.openAt(server);
    const boss = await Browser.of(place, 'owner', server);
    const list = '/api/v1/customers?per_page=1';
    const logged = async (code: string): Promise<string[]> => {
      // The requests of a person are subject to the same limit.
      const reply = await withRateLimitRetries(() =>
        boss.get(`/accounts/${place.id}/request_logs?code=${code}`),
      );
      const { data } = reply.body;
      return data.map(({ id }: { id: string }) => id);
    };
    const key = await keys('create', '--account', place.id);
    await keys('revoke', key.id);
    const revoked = await place.call('GET', list, { key: key.secret_key });
    const unknown = await place.call('GET', list, { key: 'sk_test_nobody' });
    expect([codeOf(revoked), codeOf(unknown)]).toEqual([
      [401, 'invalid_api_key'],
      [401, 'invalid_api_key'],
    ]);
    const [refused] = await until('the refused key is logged', async () => {
      const ids = await logged('invalid_api_key');
      return ids.length > 0 && ids;
    });
    expect(refused).toBe(revoked.headers.get('service-request-id'));
    const burst = Number((await place.get(list)).headers.get('ratelimit-limit'));
    await until('a request is refused for the rate', async () => {
      const replies = await Promise.all(
        Array.from({ length: burst + 20 }, () => place.call('GET', list, { takesRateLimit: true })),
      );
      return replies.some(({ status }) => status === 429);
    });
    // Writing the log has a lower priority than requests, so on a busy machine the entry appears much later.
    await until('the limit is logged', async () => (await logged('rate_limited')).length > 0, 45_000);
    expect(await logged('invalid_api_key')).toEqual([refused]);
  });
});

it('keys that the operator makes, rolls and revokes are in the log of their account', async () => {
  const { id: first } = await till<{ id: string }>('keys', 'create', '--account', shop.id);
  const { id } = await till<{ id: string }>('keys', 'roll', first, '--expires-in', '60');
  await till('keys', 'revoke', id);
  const entries = (await log('')).filter(({ object_id: object }) => object === first || object === id);
  expect(entries.map(({ action }) => action).toSorted()).toEqual([
    'api_key.created',
    'api_key.revoked',
    'api_key.rolled',
  ]);
});

it('what the operator changes of an account, and how far its clock is moved, is in its log', async () => {
  await till('accounts', 'update', shop.id, '--three-d-secure', 'always', '--time-zone', 'UTC');
  await till('clock', 'advance', '--account', shop.id, '--seconds', '60');
  const entries = (await log('')).filter(({ object_id: object }) => object === shop.id);
  expect(entries).toMatchObject([
    { action: 'sandbox.clock_advanced', after: { seconds: 60 } },
    { action: 'account.changed', before: { three_d_secure: 'off' }, after: { three_d_secure: 'always' } },
  ]);
});

it('what the operator does to a webhook endpoint is in the log of its account', async () => {
  const url = 'https://shop.example/hooks';
  const { id } = await till<{ id: string }>('webhooks', 'create', '--account', shop.id, '--url', url);
  await till('webhooks', 'update', id, '--url', `${url}/2`);
  for (const command of ['roll', 'pause', 'resume', 'delete']) await till('webhooks', command, id);
  const entries = (await log('action=webhook_endpoint')).filter(({ object_id: object }) => object === id);
  expect(entries).toMatchObject([
    { action: 'webhook_endpoint.deleted', before: { url: `${url}/2` } },
    { action: 'webhook_endpoint.resumed' },
    { action: 'webhook_endpoint.paused' },
    { action: 'webhook_endpoint.secret_rolled' },
    { action: 'webhook_endpoint.updated', before: { url }, after: { url: `${url}/2` } },
    { action: 'webhook_endpoint.created', actor: { type: 'operator' }, after: { url } },
  ]);
  expect(JSON.stringify(entries)).not.toContain('whsec_');
});
