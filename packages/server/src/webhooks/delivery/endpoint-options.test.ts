import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { rollSecret, updateEndpoint } from '../endpoints/endpoints.ts';
import { removeFormerSecrets } from '../endpoints/store.ts';
import type { Received } from '../test-kit.ts';
import { hour, type Shop, useSender } from '../test-sender.ts';
import { listAttempts } from './reads.ts';

const at = useSender();

/** Sends events and waits until they are delivered. */
async function send(shop: Shop, count = 1): Promise<Received> {
  await at().write(shop);
  at().clock.move(1);
  await at().delivered(shop, count);
  const received = at().receiver.received.at(-1);
  if (received === undefined) throw new Error('nothing arrived');
  return received;
}

/** Whether the delivery has a signature that the Standard Webhooks library makes with this secret. */
const signs = (secret: string, { headers, body }: Received) =>
  String(headers['webhook-signature'])
    .split(' ')
    .includes(new Webhook(secret).sign(String(headers['webhook-id']), at().clock.now(), body));

describe('a roll of the secret', () => {
  it('lets both sign for the time that the endpoint asks for, then the new one alone', async () => {
    const shop = await at().shop();
    const { accountId, endpointId, secret: first } = shop;
    await updateEndpoint(at().deps, accountId, endpointId, { secretOverlapSeconds: 3600 });
    const { secret: second, formerUntil } = await rollSecret(at().deps, accountId, endpointId);
    expect(formerUntil).toEqual(new Date(at().clock.now().getTime() + hour));
    at().start();
    const during = await send(shop);
    expect([signs(first, during), signs(second, during)]).toEqual([true, true]);
    expect(during.headers['service-signature-previous']).toMatch(/^sha256=[0-9a-f]{64}$/);
    at().clock.move(hour);
    const after = await send(shop, 2);
    expect([signs(first, after), signs(second, after)]).toEqual([false, true]);
    expect(after.headers).not.toHaveProperty('service-signature-previous');
  });

  it('within that time ends the oldest of three secrets', async () => {
    const shop = await at().shop();
    const { accountId, endpointId, secret: first } = shop;
    await updateEndpoint(at().deps, accountId, endpointId, { secretOverlapSeconds: 3600 });
    const { secret: second } = await rollSecret(at().deps, accountId, endpointId);
    const { secret: third } = await rollSecret(at().deps, accountId, endpointId);
    at().start();
    const received = await send(shop);
    expect([first, second, third].map((secret) => signs(secret, received))).toEqual([false, true, true]);
  });

  it('keeps a replaced secret no longer than it signs', async () => {
    const { accountId, endpointId } = await at().shop();
    await updateEndpoint(at().deps, accountId, endpointId, { secretOverlapSeconds: 3600 });
    await rollSecret(at().deps, accountId, endpointId);
    const kept = async () => {
      await removeFormerSecrets(at().deps.db, at().clock.now());
      const [row] = await at().deps.db.query<{ kept: boolean }>({
        text: `select previous_secret is not null as kept from webhook_endpoints
               where account_id = $1 and id = $2`,
        values: [accountId, endpointId],
        scope: { accountId },
      });
      return row?.kept;
    };
    expect(await kept()).toBe(true);
    at().clock.move(hour);
    expect(await kept()).toBe(false);
  });
});

describe('an endpoint that asks for thin events', () => {
  it('gets everything but the object’s data, signed as it was sent, and the log shows that body', async () => {
    const shop = await at().shop();
    await updateEndpoint(at().deps, shop.accountId, shop.endpointId, { payload: 'thin' });
    at().start();
    const { headers, body } = await send(shop);
    const event = JSON.parse(body) as { id: string; data: { object: { id: string } } };
    expect(event).toEqual({
      id: headers['webhook-id'],
      object: 'event',
      type: 'payment.succeeded',
      created: expect.any(Number),
      livemode: false,
      sequence: 1,
      data: { object: { id: expect.stringMatching(/^pay_/), object: 'payment' } },
    });
    expect(
      new Webhook(shop.secret).sign(event.id, new Date(Number(headers['webhook-timestamp']) * 1000), body),
    ).toBe(headers['webhook-signature']);
    await updateEndpoint(at().deps, shop.accountId, shop.endpointId, { payload: 'full' });
    const [delivery] = await at().deliveries(shop);
    if (delivery === undefined) throw new Error('no delivery');
    const attempts = await listAttempts(at().deps.db, delivery);
    expect(attempts.map((attempt) => attempt.request_body)).toEqual([body]);
  });
});
