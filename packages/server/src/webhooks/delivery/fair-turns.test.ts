import { describe, expect, it } from 'vitest';
import { createEndpoint, maxEndpoints } from '../endpoints/endpoints.ts';
import { until } from '../test-kit.ts';
import { type Shop, useSender } from '../test-sender.ts';
import type { WebhookTransport } from './transport.ts';

const at = useSender();

/** Each of sixteen endpoints gets one delivery of every event: a good thousand in all. */
const events = 63;

const accepted = { answer: { status: 200, headers: {}, body: '' } };

/** Receivers of some shops that answer this many requests of each endpoint and then never again. */
class Hanging {
  readonly #answers: number;
  readonly #shopOf = new Map<string, Shop>();
  readonly #answered = new Map<string, number>();
  readonly #running = new Map<Shop, number>();
  readonly max = new Map<Shop, number>();
  release = () => {};
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  constructor(answers: number) {
    this.#answers = answers;
  }

  running(shop: Shop): number {
    return this.#running.get(shop) ?? 0;
  }

  /** Opens a shop with as many endpoints as an account may have. */
  async shop(): Promise<Shop> {
    const shop = await at().shop();
    for (let count = 1; count < maxEndpoints; count += 1) {
      const request = { url: `${at().receiver.url}/${count}`, additionalEvents: false };
      await createEndpoint(at().deps, shop.accountId, request);
    }
    const rows = await at().deps.db.query<{ id: string }>({
      text: `update webhook_endpoints set url = url || '?' || id where account_id = $1 returning url as id`,
      values: [shop.accountId],
      scope: { accountId: shop.accountId },
    });
    for (const { id } of rows) this.#shopOf.set(id, shop);
    await at().write(shop, events);
    return shop;
  }

  readonly transport: Pick<WebhookTransport, 'send'> = {
    send: async (request) => {
      const shop = this.#shopOf.get(request.url);
      if (shop === undefined) return at().transport.send(request);
      const before = this.#answered.get(request.url) ?? 0;
      if (before < this.#answers) {
        this.#answered.set(request.url, before + 1);
        return accepted;
      }
      this.#running.set(shop, this.running(shop) + 1);
      this.max.set(shop, Math.max(this.max.get(shop) ?? 0, this.running(shop)));
      await this.#released;
      return { error: 'No complete answer within 10 seconds.' };
    },
  };
}

const fail = (shop: Shop) =>
  at().deps.db.query({
    text: 'update webhook_endpoints set first_failure_at = $2 where account_id = $1',
    values: [shop.accountId, at().clock.now()],
    scope: { accountId: shop.accountId },
  });

describe('an account with 16 endpoints that no longer answer and 1,000 deliveries', () => {
  it('holds 64 places, and the next look sends what another account has', async () => {
    const hanging = new Hanging(20);
    const busy = await hanging.shop();
    const other = await at().shop();
    at().start({ transport: hanging.transport });
    try {
      await until('it holds its share', () => hanging.running(busy) >= 64);
      await at().write(other);
      await at().delivered(other, 1);
      expect(hanging.max.get(busy)).toBe(64);
    } finally {
      hanging.release();
    }
  });

  it('leaves room beside those that fail: two such accounts, and one failing endpoint of a third', async () => {
    const hanging = new Hanging(0);
    const busy = [await hanging.shop(), await hanging.shop()];
    for (const shop of busy) await fail(shop);
    const other = await at().shop();
    await fail(other);
    at().start({ transport: hanging.transport });
    try {
      await until('both hold their share', () => busy.every((shop) => hanging.running(shop) >= 14));
      await at().write(other);
      await at().delivered(other, 1);
      for (const shop of busy) expect(hanging.max.get(shop)).toBeLessThanOrEqual(21);
    } finally {
      hanging.release();
    }
  });
});

describe('the endpoints of one account', () => {
  it('get their deliveries while another of them uses up its share', async () => {
    const one = await at().shop();
    await at().write(one, 1000);
    const second = await createEndpoint(at().deps, one.accountId, {
      url: `${at().receiver.url}/second`,
      additionalEvents: false,
    });
    await at().write(one, 5);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let answers = 0;
    const transport: Pick<WebhookTransport, 'send'> = {
      async send(request) {
        if (request.url.endsWith('/second')) return at().transport.send(request);
        answers += 1;
        if (answers > 800) await released;
        return accepted;
      },
    };
    at().start({ transport });
    try {
      await until(
        'the second endpoint has all of its own',
        async () =>
          (await at().count(one, `endpoint_id = $2 and state = 'succeeded'`, [second.endpoint.id])) === 5,
      );
      expect(await at().count(one, `state = 'pending'`)).toBeGreaterThan(0);
    } finally {
      release();
    }
    await at().delivered(one, 1010);
  });
});
