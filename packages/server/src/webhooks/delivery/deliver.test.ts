import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { textOfEvent } from '../../events/events.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Database } from '../../store/database.ts';
import { pauseEndpoint, resumeEndpoint, rollSecret } from '../endpoints/endpoints.ts';
import { until } from '../test-kit.ts';
import { type Shop, second, useSender } from '../test-sender.ts';
import { DeliveryWorker } from './deliver.ts';
import { listAttempts } from './reads.ts';
import { retryDelivery } from './retry.ts';
import type { WebhookTransport } from './transport.ts';

const at = useSender();

describe('a delivery', () => {
  it('carries the event as it is logged, with signatures that a receiver can verify', async () => {
    const one = await at().shop();
    const [id = ''] = await at().write(one);
    at().start();
    await at().delivered(one, 1);
    const [request] = at().receiver.received;
    const [logged] = await at().deps.db.query<{ body: string }>({
      text: `select ${textOfEvent('e')} as body from events e where tenant = $1 and id = $2`,
      values: [one.tenant, id],
      scope: one,
    });
    expect(request?.body).toBe(logged?.body);
    const headers = Object.fromEntries(
      Object.entries(request?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    expect(headers['user-agent']).toMatch(/^Till\/\d+\.\d+\.\d+$/);
    expect(headers['webhook-timestamp']).toBe(String(unixSeconds(at().clock.now())));
    // The library compares with the wall clock, so the test signs again instead of verifying.
    expect(headers['webhook-signature']).toBe(
      new Webhook(one.secret).sign(id, at().clock.now(), request?.body ?? ''),
    );
  });

  it('is recorded with request, answer and duration', async () => {
    at().receiver.answer = (_request, response) => response.writeHead(201, { 'x-shop': 'a' }).end('stored');
    const one = await at().shop();
    await at().write(one);
    at().start();
    await at().delivered(one, 1);
    const [delivery] = await at().deliveries(one);
    if (delivery === undefined) throw new Error('there is no delivery');
    expect(delivery).toMatchObject({ attempts: 1, next_attempt_at: null, ended_at: at().clock.now() });
    expect(await listAttempts(at().deps.db, delivery)).toEqual([
      {
        number: 1,
        at: at().clock.now(),
        url: at().receiver.url,
        request_headers: expect.objectContaining({ 'webhook-id': delivery.event_id }),
        request_body: at().receiver.received[0]?.body,
        answer_status: 201,
        answer_headers: expect.objectContaining({ 'x-shop': 'a' }),
        answer_body: 'stored',
        error: null,
        thin: false,
        duration_ms: expect.any(Number),
      },
    ]);
  });

  it('begins at once after a commit of this process', async () => {
    const one = await at().shop();
    const worker = at().start({ sweepMs: 600_000 });
    // The first sweep, which comes with the start, is over.
    await at().write(one);
    worker.wake(one.accountId);
    await at().delivered(one, 1);
    expect(at().receiver.received).toHaveLength(1);
  });

  it('is not sent while its endpoint is paused, and all of it once resumed', async () => {
    const one = await at().shop();
    const other = await at().shop();
    await pauseEndpoint(at().deps, one.accountId, one.endpointId);
    const ids = await at().write(one, 20);
    at().start();
    await at().write(other);
    await at().delivered(other, 1);
    expect(await at().countOf(one, 'pending')).toBe(20);
    await resumeEndpoint(at().deps, one.accountId, one.endpointId);
    await at().delivered(one, 20);
    expect(
      at()
        .receivedIds()
        .filter((id) => ids.includes(id))
        .sort(),
    ).toEqual([...ids].sort());
  });

  it('is sent once by two workers', async () => {
    const one = await at().shop();
    const ids = await at().write(one, 300);
    at().start();
    at().start();
    await at().delivered(one, 300);
    expect(at().receivedIds().sort()).toEqual([...ids].sort());
  });
});

describe('a roll of the secret', () => {
  it('with 200 deliveries in flight leaves no later attempt with the old one', async () => {
    at().refuse();
    const one = await at().shop();
    await at().write(one, 200);
    at().start();
    await at().settled(one);
    at().accept();
    at().receiver.received.length = 0;
    const { secret } = await rollSecret(at().deps, one.accountId, one.endpointId);
    at().clock.move(6 * second);
    await at().delivered(one, 200);
    for (const { headers, body } of at().receiver.received) {
      const id = String(headers['webhook-id']);
      expect(headers['webhook-signature']).toBe(new Webhook(secret).sign(id, at().clock.now(), body));
    }
    expect(at().receiver.received).toHaveLength(200);
  });
});

describe('a process that dies', () => {
  it('leaves its deliveries to others, once its lease is over', async () => {
    const one = await at().shop();
    const ids = await at().write(one, 50);
    // The worker dies with everything in flight: nothing that it began is ever recorded.
    let hangingCalls = 0;
    const hanging = {
      send: () => {
        hangingCalls += 1;
        return new Promise<never>(() => {});
      },
    };
    const dead = new DeliveryWorker({
      ...at().workerParts,
      transport: hanging,
      sweepMs: 600_000,
    });
    dead.start();
    dead.wake(one.accountId);
    await until('some are in flight', () => hangingCalls >= 4);
    at().start();
    // Every delivery that is pending then is in flight in the dead worker: a count of the rows could not show which worker
    // holds them.
    await until(
      'the others are delivered',
      async () => (await at().countOf(one, 'pending')) === hangingCalls,
    );
    at().clock.move(31 * second);
    await at().delivered(one, 50);
    expect(at().receivedIds().sort()).toEqual([...ids].sort());
  });

  it('does so over one poisonous delivery of 1,000: 999 arrive, and it is parked after five attempts', async () => {
    const one = await at().shop();
    const ids = await at().write(one, 1000);
    const poison = ids[500] ?? '';
    let attempts = 0;
    let dead = true;
    for (let lives = 0; dead && lives < 20; lives += 1) {
      dead = await liveUntilDeath(one, poison, () => {
        attempts += 1;
      });
      at().clock.move(31 * second);
    }
    expect(attempts).toBe(5);
    expect(await at().countOf(one, 'succeeded')).toBe(999);
    expect(await at().countOf(one, 'parked')).toBe(1);
    expect(at().parked.splice(0)).toHaveLength(1);
    expect(new Set(at().receivedIds())).toEqual(new Set(ids.filter((id) => id !== poison)));
    // It may still be retried by hand.
    const [set] = (await at().deliveries(one)).filter((row) => row.state === 'parked');
    at().start();
    await retryDelivery(at().deps, one.accountId, one.endpointId, set?.id ?? '');
    await at().delivered(one, 1000);
  });
});

/** Runs a worker like a process that ends the moment it sends the poison. @returns whether it ended */
async function liveUntilDeath(of: Shop, poison: string, onPoison: () => void): Promise<boolean> {
  let isDead = false;
  let sending = 0;
  const never = new Promise<never>(() => {});
  const dying: Pick<WebhookTransport, 'send'> = {
    send: async (request) => {
      if (request.headers['webhook-id'] === poison) {
        isDead = true;
        onPoison();
      }
      if (isDead) return never;
      sending += 1;
      return at()
        .transport.send(request)
        .finally(() => {
          sending -= 1;
        });
    },
  };
  const mortal: Database = {
    ...at().deps.db,
    query: (statement) => (isDead ? never : at().deps.db.query(statement)),
  };
  const worker = new DeliveryWorker({
    ...at().workerParts,
    db: mortal,
    transport: dying,
  });
  const stop = worker.start();
  let [left, looks] = [0, 0];
  await until('dead or done', async () => {
    const pending = await at().countOf(of, 'pending');
    looks = pending === left && sending === 0 ? looks + 1 : 0;
    left = pending;
    // More than 64 were in flight when the worker last died. The further suspects wait in the database until their lease is
    // over.
    if (looks === 100) at().clock.move(31 * second);
    return isDead || pending === 0;
  });
  if (!isDead) await stop();
  return isDead;
}
