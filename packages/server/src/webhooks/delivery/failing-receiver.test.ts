import { describe, expect, it } from 'vitest';
import { advanceClock } from '../../accounts/store.ts';
import { textOfEvent } from '../../events/events.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { pauseEndpoint, requireEndpoint, resumeEndpoint, updateEndpoint } from '../endpoints/endpoints.ts';
import { noticeMail, notifyOwners } from '../endpoints/notices.ts';
import { until } from '../test-kit.ts';
import { day, hour, minute, schedule, useSender } from '../test-sender.ts';
import { listAttempts } from './reads.ts';
import { retryDelivery, retryFailedSince } from './retry.ts';
import type { WebhookTransport } from './transport.ts';

const at = useSender();

describe('a receiver that fails', () => {
  it.each([
    ['an error', 500],
    ['a redirect', 302],
    ['a refusal', 401],
  ])('with %s is tried again by the schedule, and the delivery failed at its end', async (_what, status) => {
    at().receiver.answer = (_request, response) =>
      response.writeHead(status, { location: at().receiver.url }).end();
    const one = await at().shop();
    const [id] = await at().write(one);
    at().start();
    for (const [index, gap] of schedule.entries()) {
      await until(
        `attempt ${index + 1}`,
        async () => (await at().deliveries(one))[0]?.attempts === index + 1,
      );
      at().clock.move(gap * 0.89);
      const [delivery] = await at().deliveries(one);
      expect(delivery?.state).toBe('pending');
      expect(delivery?.next_attempt_at?.getTime()).toBeGreaterThan(at().clock.now().getTime());
      at().clock.move(gap * 0.22);
    }
    await until('failed', async () => (await at().countOf(one, 'failed')) === 1);
    expect(at().receivedIds()).toEqual(Array.from({ length: 7 }, () => id));
    const timestamps = new Set(at().receiver.received.map(({ headers }) => headers['webhook-timestamp']));
    expect(timestamps.size).toBe(7);
    const [delivery] = await at().deliveries(one);
    const attempts = delivery && (await listAttempts(at().deps.db, delivery));
    expect(attempts?.map(({ number, answer_status }) => [number, answer_status])).toEqual(
      Array.from({ length: 7 }, (_none, n) => [n + 1, status]),
    );
  });

  it('is tried by the clock of its account: moving that makes what became due, with its time, and nobody else’s', async () => {
    at().refuse();
    const [one, other] = [await at().shop(), await at().shop()];
    await at().write(one);
    await at().write(other);
    at().start();
    const attemptsOf = async (shop: typeof one) => (await at().deliveries(shop))[0]?.attempts;
    let ahead = 0;
    for (const [index, gap] of schedule.entries()) {
      for (const shop of index === 0 ? [one, other] : [one]) {
        await until(`attempt ${index + 1}`, async () => (await attemptsOf(shop)) === index + 1);
      }
      const [waiting] = await at().deliveries(one);
      const left = (waiting?.next_attempt_at?.getTime() ?? 0) - at().clock.now().getTime() - ahead;
      expect(left / gap).toBeGreaterThan(0.89);
      expect(left / gap).toBeLessThan(1.11);
      const by = Math.ceil(gap * 1.11);
      ahead += by;
      const move = { by, max: 365 * day, now: at().clock.now() };
      expect(await advanceClock(at().deps.db, one.accountId, move)).toBe(ahead);
    }
    await until('failed', async () => (await at().countOf(one, 'failed')) === 1);
    expect(await attemptsOf(other)).toBe(1);
    const [delivery] = await at().deliveries(one);
    const attempts = delivery && (await listAttempts(at().deps.db, delivery));
    const began = at().clock.now().getTime();
    expect(attempts?.at(0)?.at.getTime()).toBe(began);
    expect(attempts?.at(-1)?.at.getTime()).toBe(began + ahead);
  });

  it('is left alone for as long as it asks for', async () => {
    at().receiver.answer = (_request, response) => response.writeHead(503, { 'retry-after': '120' }).end();
    const one = await at().shop();
    await at().write(one);
    at().start();
    await until('tried', async () => (await at().deliveries(one))[0]?.attempts === 1);
    expect((await at().deliveries(one))[0]?.next_attempt_at).toEqual(
      new Date(at().clock.now().getTime() + 120_000),
    );
  });

  it('loses nothing of 1,000 events in an outage of 12 hours', async () => {
    at().refuse();
    const one = await at().shop();
    const ids = await at().write(one, 1000);
    at().start();
    for (let passed = 0; passed < 12 * hour; passed += 3 * hour) {
      await at().settled(one);
      at().clock.move(3 * hour);
    }
    expect(await at().countOf(one, 'pending')).toBe(1000);
    at().receiver.received.length = 0;
    at().accept();
    at().clock.move(11 * hour);
    await at().delivered(one, 1000);
    expect(new Set(at().receivedIds())).toEqual(new Set(ids));
  }, 180_000);

  it('gets by one retry all of 2,500 that failed, in statements of at most 1,000', async () => {
    const one = await at().shop();
    const { db } = at().deps;
    await db.query({
      text: `insert into deliveries (account_id, endpoint_id, id, tenant, event_id, event_type, state, created_at)
             select $1, $2, 'failed_' || n, $3, 'evt_' || n, 'payment.succeeded', 'failed', now()
             from generate_series(1, 2500) n`,
      values: [one.accountId, one.endpointId, one.tenant],
      scope: one,
    });
    const sizes: number[] = [];
    const counted = {
      ...db,
      query: async <Row>(statement: Parameters<typeof db.query>[0]) => {
        const rows = await db.query<Row>(statement);
        if (statement.name === 'retry_failed_deliveries') sizes.push((rows[0] as { count: number }).count);
        return rows;
      },
    };
    const deps = { ...at().deps, db: counted };
    expect(await retryFailedSince(deps, one.accountId, one.endpointId, new Date(0))).toBe(2500);
    expect(sizes).toEqual([1000, 1000, 500, 0]);
    expect(await at().countOf(one, 'pending')).toBe(2500);
  });

  it('has failed for good after 22 hours, and gets everything by a retry of all that failed', async () => {
    at().refuse();
    const one = await at().shop();
    const began = at().clock.now();
    const ids = await at().write(one, 100);
    at().start();
    for (let passed = 0; passed < 22 * hour; passed += 30 * minute) {
      await at().settled(one);
      at().clock.move(30 * minute);
    }
    await until('failed', async () => (await at().countOf(one, 'failed')) === 100);
    at().accept();
    at().receiver.received.length = 0;
    const bodies = await at().deps.db.query<{ id: string; body: string }>({
      text: `select id, ${textOfEvent('e')} as body from events e where tenant = $1`,
      values: [one.tenant],
      scope: one,
    });
    expect(
      await retryFailedSince(at().deps, one.accountId, one.endpointId, new Date(began.getTime() + 1)),
    ).toBe(0);
    expect(await retryFailedSince(at().deps, one.accountId, one.endpointId, began)).toBe(100);
    await at().delivered(one, 100);
    expect(at().receivedIds().sort()).toEqual([...ids].sort());
    for (const { headers, body } of at().receiver.received) {
      expect(body).toBe(bodies.find(({ id }) => id === headers['webhook-id'])?.body);
      expect(headers['webhook-timestamp']).toBe(String(unixSeconds(at().clock.now())));
    }
  }, 180_000);

  it('is sent again by hand what was asked for during the last attempt', async () => {
    at().refuse();
    const one = await at().shop();
    await at().write(one);
    at().start();
    const retryAll = async () => {
      for (const { id } of await at().deliveries(one)) {
        await retryDelivery(at().deps, one.accountId, one.endpointId, id);
      }
    };
    for (const [index, gap] of schedule.entries()) {
      await until('tried', async () => (await at().deliveries(one))[0]?.attempts === index + 1);
      if (index === schedule.length - 1) {
        at().receiver.answer = (_request, response) => {
          at().accept();
          void retryAll().then(() => response.writeHead(500).end());
        };
      }
      at().clock.move(1.1 * gap);
    }
    await at().delivered(one, 1);
  });

  it('is sent one delivery again by hand, also one that had succeeded', async () => {
    const one = await at().shop();
    const [id] = await at().write(one);
    at().start();
    await at().delivered(one, 1);
    const [delivery] = await at().deliveries(one);
    at().clock.move(day);
    await retryDelivery(at().deps, one.accountId, one.endpointId, delivery?.id ?? '');
    await until(
      'delivered again',
      async () => at().receiver.received.length === 2 && (await at().countOf(one, 'succeeded')) === 1,
    );
    expect(at().receivedIds()).toEqual([id, id]);
    expect(at().receiver.received[1]?.body).toBe(at().receiver.received[0]?.body);
    await expect(retryDelivery(at().deps, one.accountId, one.endpointId, 'dlv_x')).rejects.toMatchObject({
      code: 'delivery_not_found',
    });
  });

  it('is paused after five days of nothing but failures, and its owners are notified once', async () => {
    at().refuse();
    const one = await at().shop();
    const mails: string[] = [];
    const texts: string[] = [];
    const report = () =>
      notifyOwners({
        db: at().deps.db,
        clock: at().clock,
        onIncident: () => {},
        queueMail: async (endpoint) => {
          mails.push(endpoint.id);
          texts.push(noticeMail(endpoint).text);
        },
      });
    at().start();
    for (let days = 0; days < 5; days += 1) {
      await at().write(one);
      await until('tried', async () => (await at().deliveries(one))[0]?.attempts === 1);
      await report();
      expect(await requireEndpoint(at().deps.db, one.accountId, one.endpointId)).toMatchObject({
        status: 'active',
      });
      at().clock.move(day);
    }
    await at().write(one);
    await until(
      'paused',
      async () => (await requireEndpoint(at().deps.db, one.accountId, one.endpointId)).status === 'paused',
    );
    expect(await requireEndpoint(at().deps.db, one.accountId, one.endpointId)).toMatchObject({
      paused_reason: 'failing',
    });
    expect(mails).toEqual([]);
    await report();
    await report();
    expect(mails).toEqual([one.endpointId]);
    expect(texts[0]).toContain(`${at().receiver.url} has failed since 2026-11-20T12:00:00Z`);
    // Once resumed, the endpoint has five days again.
    await resumeEndpoint(at().deps, one.accountId, one.endpointId);
    await at().write(one);
    await at().settled(one);
    expect(await requireEndpoint(at().deps.db, one.accountId, one.endpointId)).toMatchObject({
      status: 'active',
    });
  });

  it('stays active where a success came in between', async () => {
    const one = await at().shop();
    at().start();
    for (let days = 0; days < 8; days += 1) {
      if (days === 3) at().accept();
      else at().refuse();
      await at().write(one);
      await at().settled(one);
      at().clock.move(day);
    }
    const endpoint = await requireEndpoint(at().deps.db, one.accountId, one.endpointId);
    expect(endpoint).toMatchObject({ status: 'active', first_failure_at: expect.any(Date) });
  });

  it('or never answers delays no other: 40 dead endpoints, and 9 healthy ones with 100 events each', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const dead = new Set<string>();
    const transport: Pick<WebhookTransport, 'send'> = {
      async send(request) {
        if (!dead.has(request.url)) return at().transport.send(request);
        await released;
        return { error: 'No complete answer within 10 seconds.' };
      },
    };
    const shops = [];
    for (let index = 0; index < 49; index += 1) {
      const one = await at().shop();
      const url = `${at().receiver.url}/${index}`;
      await updateEndpoint(at().deps, one.accountId, one.endpointId, { url });
      if (index < 40) dead.add(url);
      shops.push({ ...one, healthy: index >= 40 });
    }
    for (const one of shops) await at().write(one, 100);
    at().start({ transport });
    for (const one of shops.filter(({ healthy }) => healthy)) await at().delivered(one, 100);
    // Meanwhile no attempt at a dead receiver has ended.
    for (const one of shops.filter(({ healthy }) => !healthy)) {
      expect(await at().count(one, 'attempts > 0')).toBe(0);
      await pauseEndpoint(at().deps, one.accountId, one.endpointId);
    }
    release();
  }, 180_000);
});
