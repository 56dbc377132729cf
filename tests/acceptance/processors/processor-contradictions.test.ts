import { describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { freshEmail, Merchant, till } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

/* If a processor contradicts the outcome of a settled payment, the timeline, the home page and a mail report it. */

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const mailsOf = async (shop: Merchant) =>
  (await till<{ data: Mail[] }>('mails', 'list', '--account', shop.id)).data;

async function open(processor: 'processor_a' | 'processor_b') {
  const shop = await Merchant.open(processor);
  const owner = await Browser.of(shop, 'owner');
  const read = async (rest: string) => (await owner.get(`/accounts/${shop.id}${rest}`)).body;
  return { shop, owner, read };
}

const retrieve = async (shop: Merchant, id: string) => (await shop.get(`/api/v1/payments/${id}`)).body;

describe('a capture that failed after it was confirmed', () => {
  async function failed(capture: 'holder_name' | 'description' = 'holder_name') {
    const opened = await open('processor_a');
    const text = 'SIM-CAPTURE-FAILED';
    const request = capture === 'description' ? { description: text } : { card: { holder_name: text } };
    const payment = (await opened.shop.pay(request)).body;
    expect(payment.status).toBe('succeeded');
    await opened.shop.post('/api/v1/test_helpers/clock/advance', { seconds: 6 });
    await until('the alert is there', async () => {
      const { alerts } = (await opened.read('/home')).attention;
      return alerts.total > 0;
    });
    return { ...opened, payment };
  }

  it('leaves the payment unchanged, with an alert on its page, on the home page and by mail', async () => {
    const { shop, owner, read, payment } = await failed();
    expect(await retrieve(shop, payment.id)).toEqual(payment);
    const { alerts, timeline } = await read(`/payments/${payment.id}`);
    expect(alerts).toMatchObject([{ kind: 'capture_failed', acknowledged_at: null }]);
    expect(timeline.map(({ kind }: { kind: string }) => kind)).toContain('alert.capture_failed');
    const home = (await read('/home')).attention.alerts;
    expect(home).toMatchObject({
      total: 1,
      data: [{ payment: payment.id, kind: 'capture_failed', amount: payment.amount, currency: 'EUR' }],
    });
    const mails = await mailsOf(shop);
    expect(mails).toMatchObject([{ subject: expect.stringContaining('the capture failed') }]);
    expect(mails[0]?.text).toContain(payment.id);

    const path = `/accounts/${shop.id}/payments/${payment.id}/alerts/acknowledge`;
    for (let times = 0; times < 2; times += 1) {
      expect((await owner.post(path, { kind: 'capture_failed' })).status).toBe(200);
    }
    const after = await read(`/payments/${payment.id}`);
    expect(after.alerts).toMatchObject([
      { kind: 'capture_failed', acknowledged_by: expect.stringContaining('@') },
    ]);
    expect((await read('/home')).attention.alerts.total).toBe(0);
    const { data } = await read(`/audit_log?action=payment.alert_acknowledged&object=${payment.id}`);
    expect(data).toHaveLength(2);
  });

  it('comes by a directive in the description too', async () => {
    const { read, payment } = await failed('description');
    expect((await read(`/payments/${payment.id}`)).alerts).toHaveLength(1);
  });

  it('cannot be acknowledged by a viewer, or for another merchant’s payment', async () => {
    const { shop, payment } = await failed();
    const viewer = await Browser.of(shop, 'viewer');
    const body = { kind: 'capture_failed' };
    const path = (account: string) => `/accounts/${account}/payments/${payment.id}/alerts/acknowledge`;
    expect((await viewer.post(path(shop.id), body)).status).toBe(403);
    const other = await open('processor_a');
    expect((await other.owner.post(path(other.shop.id), body)).status).toBe(404);
  });
});

describe('a capture that was taken back', () => {
  it.each([
    ['holder_name', { card: { holder_name: 'SIM-CAPTURE-REVERSED' } }],
    ['description', { description: 'SIM-CAPTURE-REVERSED' }],
  ])('leaves the payment unchanged, with one alert and one mail, by the %s', async (_field, request) => {
    const { shop, read } = await open('processor_b');
    const payment = (await shop.pay(request)).body;
    expect(payment.status).toBe('succeeded');
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 6 });
    await until('the alert is there', async () => (await read('/home')).attention.alerts.total > 0);
    expect(await retrieve(shop, payment.id)).toEqual(payment);
    const { alerts } = await read(`/payments/${payment.id}`);
    expect(alerts).toMatchObject([{ kind: 'capture_reversed', acknowledged_at: null }]);
    expect(await mailsOf(shop)).toHaveLength(1);
  });
});

describe('a hold that was voided in the processor’s own dashboard', () => {
  it('makes the payment voided, with its event and an alert on its page, on the home page and by mail', async () => {
    const { shop, read } = await open('processor_b');
    const payment = (await shop.pay({ capture_method: 'manual' })).body;
    expect(payment.status).toBe('authorized');
    await till('sandbox', 'void-hold', '--payment', payment.id);
    await until('the payment is voided', async () => (await retrieve(shop, payment.id)).status === 'voided');
    const { data: events } = (await shop.get('/api/v1/events?per_page=100')).body;
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'payment.voided',
      'payment.authorized',
    ]);
    const { alerts, timeline } = await read(`/payments/${payment.id}`);
    expect(alerts).toMatchObject([{ kind: 'hold_voided' }]);
    const kinds = timeline.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['payment.voided', 'alert.hold_voided']));
    expect((await read('/home')).attention.alerts.data).toMatchObject([
      { payment: payment.id, kind: 'hold_voided' },
    ]);
    expect(await mailsOf(shop)).toMatchObject([{ subject: expect.stringContaining('hold was released') }]);
    const { charges } = await shop.ledger();
    expect(charges).toMatchObject([{ reference: payment.id, status: 'voided' }]);
    const again = await shop.post(`/api/v1/payments/${payment.id}/capture`);
    expect(again.status).toBe(422);
  });

  it('has no alert where the merchant voided it', async () => {
    const { shop, read } = await open('processor_b');
    const payment = (await shop.pay({ capture_method: 'manual' })).body;
    expect((await shop.post(`/api/v1/payments/${payment.id}/void`)).body.status).toBe('voided');
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 6 });
    const other = (await shop.pay({ card: { holder_name: 'SIM-DISPUTE-CHARGEBACK' } })).body;
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 6 });
    // By then the notifications that were sent before the dispute are applied.
    await until(
      'the dispute is there',
      async () => (await read(`/payments/${other.id}`)).disputes.length === 1,
    );
    expect((await read(`/payments/${payment.id}`)).alerts).toEqual([]);
    expect((await read('/home')).attention.alerts.total).toBe(0);
  });

  it('is refused by the simulator where nothing is held', async () => {
    const { shop } = await open('processor_b');
    const payment = (await shop.pay({ customer: { email: freshEmail() } })).body;
    await expect(till('sandbox', 'void-hold', '--payment', payment.id)).rejects.toThrow('nothing_held');
  });
});
