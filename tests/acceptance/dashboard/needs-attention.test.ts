import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser, staffPassword } from '../../support/dashboard.ts';
import { Merchant, till } from '../../support/merchant.ts';

const day = 24 * 3600;
let shop: Merchant;
let support: Browser;
let viewer: Browser;

beforeAll(async () => {
  shop = await Merchant.open('processor_b');
  support = await Browser.of(shop, 'support');
  viewer = await Browser.of(shop, 'viewer');
});

const at = (path: string) => `/accounts/${shop.id}${path}`;
const attention = async () => (await viewer.get(at('/home'))).body.attention;
const detailOf = async (id: string) => (await viewer.get(at(`/payments/${id}`))).body;
const listed = async (id: string) =>
  (await viewer.get(at('/payments'))).body.data.find(
    ({ payment }: { payment: { id: string } }) => payment.id === id,
  );
const capture = (id: string) =>
  support.call('POST', at(`/payments/${id}/capture`), {
    body: { amount: 4990 },
    idempotencyKey: randomUUID(),
  });
const hold = async () => (await shop.pay({ capture_method: 'manual' })).body.id as string;

describe('a refund that failed', () => {
  it('is on Home, on the payment and in the list, mailed, and open until somebody deals with it', async () => {
    const owner = `${randomUUID()}@shop.example`;
    await till(
      'users',
      'create',
      '--account',
      shop.id,
      '--email',
      owner,
      '--password',
      staffPassword,
      '--role',
      'owner',
    );
    const { body: payment } = await shop.pay();
    const refund = (note: string, amount: number) =>
      shop.post(`/api/v1/payments/${payment.id}/refunds`, { note, amount });
    const { body: failed } = await refund('SIM-REFUND-FAIL-SYNC', 1000);
    expect(failed.status).toBe('failed');
    expect(await detailOf(payment.id)).toMatchObject({ failed_refunds: [failed.id] });
    expect(await listed(payment.id)).toMatchObject({ refund_failed: true, refunded_amount: 0 });
    expect((await attention()).failed_refunds).toMatchObject({
      total: 1,
      data: [
        { id: failed.id, payment: payment.id, amount: 1000, currency: 'EUR', reason: failed.failure.message },
      ],
    });
    const events = await shop.get('/api/v1/events?type=refund.failed');
    expect(events.body.data[0].data.object).toEqual(failed);
    const mails = (
      await till<{ data: { subject: string; to: string }[] }>('mails', 'list', '--account', shop.id)
    ).data;
    const about = mails.filter(({ subject }) => subject === '[Test] Refund of 10.00 EUR failed');
    expect(about.map(({ to }) => to)).toEqual([owner]);

    const path = at(`/refunds/${failed.id}/acknowledge`);
    expect((await viewer.call('POST', path)).status).toBe(403);
    const stranger = await Browser.of(await Merchant.open(), 'owner');
    expect((await stranger.call('POST', path)).status).toBe(404);
    expect((await support.call('POST', path)).body).toEqual({ done: true });
    expect((await support.call('POST', path)).body).toEqual({ done: true });
    expect(await detailOf(payment.id)).toMatchObject({ failed_refunds: [] });
    expect(await listed(payment.id)).toMatchObject({ refund_failed: false });
    expect((await attention()).failed_refunds).toEqual({ total: 0, data: [] });
  });

  it('is dealt with by a later refund of as much, not by one of less', async () => {
    const { body: payment } = await shop.pay();
    const refund = (body: object) => shop.post(`/api/v1/payments/${payment.id}/refunds`, body);
    const { body: failed } = await refund({ note: 'SIM-REFUND-FAIL-SYNC', amount: 1000 });
    await refund({ amount: 999 });
    expect((await detailOf(payment.id)).failed_refunds).toEqual([failed.id]);
    await refund({ amount: 1000 });
    expect((await detailOf(payment.id)).failed_refunds).toEqual([]);
  });
});

describe('a hold', () => {
  it('is on Home before its guarantee ends, and its declined capture is an entry of its own', async () => {
    const id = await hold();
    expect((await attention()).guarantees.total).toBe(0);
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 2 * day + 3600 });
    const { guarantees } = await attention();
    expect(guarantees).toMatchObject({ total: 1, data: [{ id, amount: 4990, currency: 'EUR' }] });
    expect(guarantees.data[0].authorization_guaranteed_until).toMatch(/Z$/);
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: day });
    expect((await attention()).guarantees.total).toBe(1);
    await capture(id);
    expect((await attention()).guarantees.total).toBe(0);

    const { body: declined } = await shop.pay({
      capture_method: 'manual',
      description: 'SIM-HOLD-GUARANTEE-PASSED',
    });
    expect((await capture(declined.id)).body).toMatchObject({ status: 'failed' });
    const { timeline } = await detailOf(declined.id);
    expect(timeline.map(({ kind }: { kind: string }) => kind)).not.toContain('payment.failed');
    expect(timeline.at(-1)).toMatchObject({ kind: 'capture.declined', by: expect.stringContaining('@') });
  });
});
