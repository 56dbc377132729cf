import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { Merchant } from '../../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { WebhookReceiver } from './webhooks-receiver.ts';

const cleanUp = new CleanUp();
let server: RunningServer;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.open();
  receiver.answer = () => ({ status: 500 });
  cleanUp.add(() => receiver.close());
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_LIVE_SIMULATION: 'on',
    TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
    TILL_WEBHOOK_SCHEDULE: '30m,2h,10h',
  });
  cleanUp.add(() => server.stop());
});
afterAll(cleanUp.run);

interface Delivery {
  readonly state: string;
  readonly attempts: number;
  readonly next_attempt: string | null;
}

const command = <T>(...parameters: string[]) => commandJson<T>(server.environment, parameters);
const advance = (shop: Merchant, seconds: number) =>
  shop.post('/api/v1/test_helpers/clock/advance', { seconds });
const hours = 3600;

/** Adds an endpoint that answers every delivery with 500. */
async function listen(shop: Merchant) {
  const url = receiver.url(`/${randomUUID()}`);
  const { id } = await command<{ id: string }>('webhooks', 'create', '--account', shop.id, '--url', url);
  const delivery = async () => (await command<{ data: Delivery[] }>('webhooks', 'deliveries', id)).data.at(0);
  return {
    delivery,
    /** The delivery, once it has had this many attempts. */
    attempted: (count: number): Promise<Delivery> =>
      until(`${count} attempts`, async () => {
        const found = await delivery();
        return found?.attempts === count ? found : undefined;
      }),
  };
}

describe('moving a sandbox account’s clock', () => {
  it('makes the webhook attempts that are due by then, to the end of the schedule', async () => {
    const shop = await Merchant.openAt(server);
    const { attempted } = await listen(shop);
    await shop.pay();
    await attempted(1);
    await advance(shop, hours);
    await attempted(2);
    await command('clock', 'advance', '--account', shop.id, '--seconds', String(3 * hours));
    await attempted(3);
    await advance(shop, 12 * hours);
    expect(await attempted(4)).toMatchObject({ state: 'failed', next_attempt: null });
  });

  it('by less than the gap leaves the next attempt at its account time, which is nearer', async () => {
    const shop = await Merchant.openAt(server);
    const { attempted, delivery } = await listen(shop);
    await shop.pay();
    const before = await attempted(1);
    await advance(shop, 600);
    expect(await delivery()).toMatchObject({ attempts: 1, next_attempt: before.next_attempt });
    // The rest of the gap of at most an hour, of which ten minutes have passed.
    await advance(shop, hours - 600);
    await attempted(2);
  });

  it('moves no attempts of another account or of live mode', async () => {
    const [shop, other] = [await Merchant.openAt(server), await Merchant.openAt(server)];
    const { attempted: ofOther, delivery: deliveryOfOther } = await listen(other);
    await other.pay();
    const before = await ofOther(1);
    const { attempted, delivery } = await listen(shop);
    await command('accounts', 'update', shop.id, '--environment', 'live', '--activation', 'active');
    const live = await command<{ secret_key: string }>('keys', 'create', '--account', shop.id);
    expect((await shop.pay({}, { key: live.secret_key })).body.livemode).toBe(true);
    const inLive = await attempted(1);
    await command('accounts', 'update', shop.id, '--environment', 'sandbox');
    expect((await advance(shop, 24 * hours)).status).toBe(200);
    expect(await delivery()).toEqual(inLive);
    expect(await deliveryOfOther()).toEqual(before);
  });
});
