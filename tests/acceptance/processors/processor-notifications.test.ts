import { createHmac, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectEnvelope, expectError } from '../../support/expect-error.ts';
import { Merchant, type Reply, till, tillRaw } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

interface Notification {
  readonly id: string;
  readonly processor: string;
  readonly livemode: boolean;
  readonly type: string;
  readonly state: string;
  readonly tries: number;
}

const addressOf = (processor: string, account: string) =>
  `/processors/${processor.at(-1)}/notifications/${account}`;

let shopA: Merchant;
let shopB: Merchant;

beforeAll(async () => {
  [shopA, shopB] = await Promise.all([Merchant.open('processor_a'), Merchant.open('processor_b')]);
});

const shopOf = (processor: string) => (processor === 'processor_a' ? shopA : shopB);

async function listed(shop: Merchant, ...options: string[]): Promise<Notification[]> {
  const { data } = await till<{ data: Notification[] }>(
    'notifications',
    'list',
    '--account',
    shop.id,
    ...options,
  );
  return data;
}

/** Sends a request that anybody on the internet could send. */
function deliver(
  path: string,
  body: string,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Reply> {
  return shopA.call('POST', path, { raw: body, key: null, idempotencyKey: null, headers });
}

/** A notification of processor_a in which everything is right except the key of its signature. */
function forgedByA(account: string, paymentId: string): string {
  const item = {
    pspReference: 'ABCDEFGHIJKLMNOP',
    merchantAccountCode: account,
    merchantReference: paymentId,
    eventCode: 'AUTHORISATION',
    eventDate: '2026-11-20T12:00:00+00:00',
    success: 'true',
    amount: { currency: 'EUR', value: 4990 },
    reason: '012345:1111:3/2032',
  };
  const text = `${item.pspReference}::${account}:${paymentId}:4990:EUR:AUTHORISATION:true`;
  const hmacSignature = createHmac('sha256', Buffer.alloc(32, 1)).update(text).digest('base64');
  return JSON.stringify({
    live: 'false',
    notificationItems: [{ NotificationRequestItem: { ...item, additionalData: { hmacSignature } } }],
  });
}

/** An event of processor_b that is signed with a foreign key, and its transmission headers. */
function forgedByB(paymentId: string): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify({
    id: `WH-${randomUUID()}`,
    event_type: 'PAYMENT.CAPTURE.COMPLETED',
    resource_type: 'capture',
    resource: { id: '1AB23456CD789012E', status: 'COMPLETED', custom_id: paymentId },
  });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signature = createSign('sha256').update(`id|time|webhook|${body.length}`).sign(privateKey, 'base64');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'paypal-transmission-id': randomUUID(),
      'paypal-transmission-time': '2026-11-20T12:00:00Z',
      'paypal-transmission-sig': signature,
      'paypal-cert-url': 'https://processor-b.sandbox.invalid/v1/notifications/certs/CERT-SANDBOX',
      'paypal-auth-algo': 'SHA256withRSA',
    },
  };
}

function expectRefused(reply: Reply): void {
  expect(reply.status).toBe(401);
  expectEnvelope(reply);
  expect(reply.body.error).toMatchObject({ type: 'authentication_error', code: 'invalid_signature' });
}

/** Creates an open payment of the account, which a trusted notification would change. */
async function openPayment(shop: Merchant): Promise<string> {
  const reply = await shop.pay({ card: { number: '4917610000000000' }, authentication: 'always' });
  expect(reply.body.status).toBe('requires_action');
  return reply.body.id;
}

describe('a forged notification', () => {
  it('of processor_a is refused and changes nothing, with every field right but the key', async () => {
    const payment = await openPayment(shopA);
    const path = addressOf('processor_a', shopA.id);
    const body = forgedByA(shopA.id, payment);
    expectRefused(await deliver(path, body));
    const basic = `Basic ${Buffer.from('till:guess').toString('base64')}`;
    expectRefused(await deliver(path, body, { 'content-type': 'application/json', authorization: basic }));
    expect(await listed(shopA)).toEqual([]);
    expect((await shopA.get(`/api/v1/payments/${payment}`)).body.status).toBe('requires_action');
  });

  it('of processor_b is refused and changes nothing, with every header right but the key', async () => {
    const payment = await openPayment(shopB);
    const { body, headers } = forgedByB(payment);
    expectRefused(await deliver(addressOf('processor_b', shopB.id), body, headers));
    expect(await listed(shopB)).toEqual([]);
    expect((await shopB.get(`/api/v1/payments/${payment}`)).body.status).toBe('requires_action');
  });

  it('of processor_b is refused with any certificate URL', async () => {
    const { body, headers } = forgedByB('pay_000000000000000000000000');
    for (const address of [
      'https://evil.example/cert.pem',
      'https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1',
      'https://evil.example/#api.paypal.com',
      'http://169.254.169.254/latest/meta-data',
      'file:///etc/passwd',
      'nonsense',
      '',
    ]) {
      const reply = await deliver(addressOf('processor_b', shopB.id), body, {
        ...headers,
        'paypal-cert-url': address,
      });
      expectRefused(reply);
    }
  });

  it.each(['processor_a', 'processor_b'])('of %s is refused with an API key too', async (processor) => {
    const shop = shopOf(processor);
    const reply = await shop.call('POST', addressOf(processor, shop.id), { raw: '{}', idempotencyKey: null });
    expectRefused(reply);
  });

  it.each(['processor_a', 'processor_b'])('of %s is refused with any body', async (processor) => {
    const path = addressOf(processor, shopOf(processor).id);
    for (const body of ['', 'hello', 'null', '[]', '{}', '{"notificationItems":[]}', '{"live":"false"']) {
      expectRefused(await deliver(path, body));
    }
    expectError(await deliver(path, ' '.repeat(256 * 1024 + 1)), 'body_too_large');
  });
});

describe('the address for notifications', () => {
  it('does not exist for an unknown account, nor for an account of the other processor', async () => {
    for (const path of [
      addressOf('processor_a', 'acct_000000000000000000000000'),
      addressOf('processor_a', 'acct_%27%20or%20true'),
      addressOf('processor_a', `${shopA.id}_live`),
      addressOf('processor_a', shopB.id),
      addressOf('processor_b', shopA.id),
      `/processors/c/notifications/${shopA.id}`,
    ]) {
      expectError(await deliver(path, forgedByA(shopA.id, 'pay_1')), 'not_found');
    }
  });

  it('takes POST only', async () => {
    const reply = await shopA.get(addressOf('processor_a', shopA.id));
    expectError(reply, 'method_not_allowed');
    expect(reply.headers.get('allow')).toBe('POST');
  });
});

/** Moves the account's clock by two seconds, so that the notifications that are due by then are sent and applied. */
async function passTime(shop: Merchant): Promise<void> {
  expect((await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 2 })).status).toBe(200);
}

/** Recovery checks a payment after 5 s and after another minute. */
const settledWithinMs = 100_000;

const eventOf = { processor_a: 'AUTHORISATION', processor_b: 'PAYMENT.CAPTURE.COMPLETED' } as const;

describe.each(['processor_a', 'processor_b'] as const)('a charge on %s', (processor) => {
  async function charge(holderName: string) {
    const shop = await Merchant.open(processor);
    const reply = await shop.pay({ card: { holder_name: holderName } });
    expect(reply.status).toBe(201);
    expect(reply.body.status).toBe('succeeded');
    return { shop, payment: reply.body };
  }
  const unchanged = async (shop: Merchant, payment: { id: string }) => {
    expect((await shop.get(`/api/v1/payments/${payment.id}`)).body).toEqual(payment);
    const events = await shop.get('/api/v1/events');
    expect(events.body.data.map((event: { type: string }) => event.type)).toEqual(['payment.succeeded']);
  };

  it('is unchanged by its notification', async () => {
    const { shop, payment } = await charge('Jane Smith');
    await passTime(shop);
    expect(await listed(shop)).toMatchObject([
      { type: eventOf[processor], processor, livemode: false, state: 'applied', tries: 1 },
    ]);
    await unchanged(shop, payment);
  });

  it('has one event when its notification comes twice', async () => {
    const { shop, payment } = await charge('SIM-WEBHOOK-DUP');
    await passTime(shop);
    expect(await listed(shop)).toMatchObject([{ type: eventOf[processor], state: 'applied' }]);
    await unchanged(shop, payment);
  });

  it('has no effect of a notification with a wrong signature', async () => {
    const { shop, payment } = await charge('SIM-WEBHOOK-BADSIG');
    await passTime(shop);
    expect(await listed(shop)).toEqual([]);
    await unchanged(shop, payment);
  });

  it('whose notification comes before its answer is charged once and has one event', async () => {
    const { shop, payment } = await charge('SIM-WEBHOOK-FIRST');
    const [event] = await until('the notification is applied', async () => {
      const all = await listed(shop);
      return all.length > 0 && all.every(({ state }) => state === 'applied') && all;
    });
    expect(event).toMatchObject({ type: eventOf[processor] });
    await unchanged(shop, payment);
    expect((await shop.ledger()).charges).toHaveLength(1);
  });

  it('has its notification applied by the background within seconds', async () => {
    const { shop } = await charge('Jane Smith');
    const events = await until('the notification is applied', async () => {
      const all = await listed(shop);
      return all.length > 0 && all.every(({ state }) => state === 'applied') && all;
    });
    expect(events).toMatchObject([{ type: eventOf[processor] }]);
  });

  it('whose answer was lost is settled by its notification, with exactly one charge', async () => {
    const shop = await Merchant.open(processor);
    const reference = randomUUID();
    const lost = await shop.pay({ card: { holder_name: 'SIM-TIMEOUT-DONE' }, reference });
    expectError(lost, 'provider_unavailable');
    const settled = await until(
      'the payment is settled',
      async () => {
        const { body } = await shop.get(`/api/v1/payments?reference=${reference}`);
        return body.data[0];
      },
      settledWithinMs,
    );
    expect(settled).toMatchObject({ status: 'succeeded', amount: 4990 });
    expect((await shop.ledger()).charges).toEqual([
      { reference: settled.id, amount: 4990, currency: 'EUR', status: 'captured' },
    ]);
  }, 120_000);
});

describe('the command line', () => {
  it('lists by state, without content', async () => {
    const shop = await Merchant.open('processor_a');
    await shop.pay();
    await passTime(shop);
    expect(await listed(shop, '--state', 'applied')).toHaveLength(1);
    expect(await listed(shop, '--state', 'parked')).toEqual([]);
    const { out } = await tillRaw('notifications', 'list', '--account', shop.id, '--json');
    expect(out).not.toMatch(/1111|authcode|hmac/i);
  });

  it('refuses to retry applied and unknown ones', async () => {
    const shop = await Merchant.open('processor_a');
    await shop.pay();
    await passTime(shop);
    const [{ id } = { id: '' }] = await listed(shop);
    for (const one of [id, 'AUTHORISATION:NOTHING:true']) {
      const result = await tillRaw('notifications', 'retry', one, '--account', shop.id, '--json');
      expect(result.exitCode).toBe(1);
      expect(JSON.parse(result.out)).toMatchObject({ error: { code: 'notification_not_found' } });
    }
    const unknown = await tillRaw('notifications', 'list', '--account', 'acct_x', '--json');
    expect(JSON.parse(unknown.out)).toMatchObject({ error: { code: 'account_not_found' } });
  });
});
