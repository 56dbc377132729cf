import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { addStaff, Browser } from '../../support/dashboard.ts';
import { expectError } from '../../support/expect-error.ts';
import { freePort } from '../../support/free-port.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { cardPayment, freshEmail, Merchant } from '../../support/merchant.ts';
import { holdBody } from '../../support/raw-http.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const payments = '/api/v1/payments';

const cleanUp = new CleanUp();
/** A separate server with file uploads, which the shared server does not have. */
let server: RunningServer;
let metrics: string;
let shop: Merchant;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const url = await migratedDatabase(cleanUp);
  metrics = `127.0.0.1:${await freePort()}`;
  server = await startServer({
    TILL_METRICS_ADDR: metrics,
    DATABASE_URL: url,
    TILL_DATA_DIR: folder.path,
    TILL_DISPUTES_API: 'on',
    TILL_LIVE_SIMULATION: 'on',
  });
  cleanUp.add(() => server.stop());
  shop = await Merchant.openAt(server);
});
afterAll(cleanUp.run);

const operator = <T = Record<string, unknown>>(...parameters: string[]) =>
  commandJson<T>(server.environment, parameters);

interface Sender {
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates another API key of the account. */
async function newKey(merchant = shop): Promise<Sender & { id: string }> {
  const { id, secret_key: key } = await operator<{ id: string; secret_key: string }>(
    'keys',
    'create',
    '--account',
    merchant.id,
  );
  return {
    id,
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': randomUUID() },
  };
}

/** Adds a member with a browser session. */
async function newMember(role: string, merchant = shop): Promise<Sender & { id: string; browser: Browser }> {
  const email = freshEmail();
  const { id } = await addStaff(server, merchant.id, email, role);
  const browser = new Browser(server);
  expect((await browser.signIn(email)).status).toBe(200);
  return {
    id,
    browser,
    headers: {
      cookie: browser.cookie ?? '',
      'x-csrf-token': browser.csrf ?? '',
      origin: new URL(server.baseUrl).origin,
      'idempotency-key': randomUUID(),
    },
  };
}

/** Whether a request has been authenticated and the server is waiting for its body. */
async function awaitsBody(): Promise<boolean> {
  const printed = await (await fetch(`http://${metrics}/metrics`)).text();
  return /^till_requests_bodies 1$/m.test(printed);
}

/** Sends the headers, runs a callback once they are authenticated, and only then sends the body. */
async function sendAround(
  { headers }: Sender,
  request: { method?: string; path: string; body: object | Buffer; type?: string },
  meanwhile: () => Promise<unknown>,
) {
  const { method = 'POST', path, body, type = 'application/json' } = request;
  const payload = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const sent = { method, path, headers: { ...headers, 'content-type': type } };
  const held = await holdBody(server.baseUrl, sent, payload.length);
  await until('the body is awaited', awaitsBody);
  await meanwhile();
  return held.finish(payload);
}

const boundary = 'till-test-boundary';
const form = (field: string, content: Buffer) => ({
  type: `multipart/form-data; boundary=${boundary}`,
  body: Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="a"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]),
});
const pdf = Buffer.from('%PDF-1.7\nreceipt');

const chargesOf = async (merchant = shop) => (await merchant.ledger()).charges.length;
const revoke = (id: string) => operator('keys', 'revoke', id);

describe('a body that comes later, of the merchant API', () => {
  it('is carried out where nothing has changed', async () => {
    const reply = await sendAround(await newKey(), { path: payments, body: cardPayment() }, async () => {});
    expect([reply.status, reply.body.status]).toEqual([201, 'succeeded']);
  });

  it('is 401 invalid_api_key once the key is revoked, and nothing is charged', async () => {
    const before = await chargesOf();
    const key = await newKey();
    const reply = await sendAround(key, { path: payments, body: cardPayment() }, () => revoke(key.id));
    expectError(reply, 'invalid_api_key');
    expect(await chargesOf()).toBe(before);
  });

  it('is 401 for any content and length', async () => {
    const key = await newKey();
    const body = { ...cardPayment(), metadata: { text: 'x'.repeat(200_000) } };
    const reply = await sendAround(key, { path: payments, body }, () => revoke(key.id));
    expectError(reply, 'invalid_api_key');
  });

  it('is 401 key_mode_mismatch once the account is in the other environment', async () => {
    const merchant = await Merchant.openAt(server);
    const key = await newKey(merchant);
    const reply = await sendAround(key, { path: payments, body: cardPayment() }, () =>
      operator('accounts', 'update', merchant.id, '--environment', 'live', '--activation', 'active'),
    );
    expectError(reply, 'key_mode_mismatch');
    expect(await chargesOf(merchant)).toBe(0);
  });

  it('is 401 where it is a file, and the file is not kept', async () => {
    const kept = await sendAround(
      await newKey(),
      { path: '/api/v1/files', ...form('file', pdf) },
      async () => {},
    );
    expect(kept.status).toBe(201);
    const key = await newKey();
    const reply = await sendAround(key, { path: '/api/v1/files', ...form('file', pdf) }, () =>
      revoke(key.id),
    );
    expectError(reply, 'invalid_api_key');
  });
});

describe('a body that comes later, of the dashboard', () => {
  const below = (path: string, merchant = shop) => `/dashboard/api/accounts/${merchant.id}${path}`;
  const refundOf = async (merchant = shop) => {
    const { body } = await merchant.pay();
    return {
      id: body.id as string,
      path: below(`/payments/${body.id}/refunds`, merchant),
      body: { amount: 100 },
    };
  };
  const refundsOf = async (payment: string) =>
    (await shop.ledger()).refunds.filter((refund) => refund.payment_reference === payment).length;
  let owner: Awaited<ReturnType<typeof newMember>>;
  beforeAll(async () => {
    owner = await newMember('owner');
  });

  it('is carried out where nothing has changed', async () => {
    const reply = await sendAround(await newMember('support'), await refundOf(), async () => {});
    expect(reply.status).toBe(201);
  });

  it('is 404 once the member is removed, and nothing is refunded', async () => {
    const refund = await refundOf();
    const member = await newMember('support');
    const reply = await sendAround(member, refund, async () => {
      expect((await owner.browser.delete(`/accounts/${shop.id}/team/${member.id}`)).status).toBe(200);
    });
    expectError(reply, 'not_found');
    expect(await refundsOf(refund.id)).toBe(0);
  });

  it('is 403 once the role is too small, and nothing is refunded', async () => {
    const refund = await refundOf();
    const member = await newMember('support');
    const reply = await sendAround(member, refund, async () => {
      const changed = await owner.browser.call('PATCH', `/accounts/${shop.id}/team/${member.id}`, {
        body: { role: 'viewer' },
      });
      expect(changed.status).toBe(200);
    });
    expect([reply.status, reply.body.error.code]).toEqual([403, 'forbidden']);
    expect(await refundsOf(refund.id)).toBe(0);
  });

  it('is 401 once the session has ended, and nothing is refunded', async () => {
    const refund = await refundOf();
    const member = await newMember('support');
    const reply = await sendAround(member, refund, async () => {
      expect((await member.browser.delete('/session')).status).toBe(200);
    });
    expect([reply.status, reply.body.error.code]).toEqual([401, 'not_signed_in']);
    expect(await refundsOf(refund.id)).toBe(0);
  });

  it('is 401 where it is a logo, and the logo is not kept', async () => {
    const member = await newMember('admin');
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const reply = await sendAround(
      member,
      { path: below('/settings/branding/logo'), ...form('logo', png) },
      async () => {
        expect((await member.browser.delete('/session')).status).toBe(200);
      },
    );
    expect([reply.status, reply.body.error.code]).toEqual([401, 'not_signed_in']);
  });

  it('makes no live key for a developer once the account is live', async () => {
    const merchant = await Merchant.openAt(server);
    const developer = await newMember('developer', merchant);
    const reply = await sendAround(
      developer,
      { path: below('/api_keys', merchant), body: { name: 'Mine' } },
      () => operator('accounts', 'update', merchant.id, '--environment', 'live', '--activation', 'active'),
    );
    expect([reply.status, reply.body.error.code]).toEqual([403, 'forbidden']);
    expect(reply.text).not.toContain('sk_live_');
  });

  it('is 409 conflict for roles with access to both environments', async () => {
    const merchant = await Merchant.openAt(server);
    const reply = await sendAround(
      await newMember('owner', merchant),
      { path: below('/api_keys', merchant), body: { name: 'Mine' } },
      () => operator('accounts', 'update', merchant.id, '--environment', 'live', '--activation', 'active'),
    );
    expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
  });
});
