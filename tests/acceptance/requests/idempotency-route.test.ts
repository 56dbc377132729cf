import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { cardPayment, Merchant, target } from '../../support/merchant.ts';
import { sendPlain } from '../../support/raw-http.ts';

const payments = '/api/v1/payments';

describe('another spelling of an address', () => {
  const host = () => new URL(target().baseUrl).host;
  const sendTo = (path: string, headers: Record<string, string>, body: object) =>
    sendPlain({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', host: host(), ...headers },
      body: Buffer.from(JSON.stringify(body)),
    });
  const idempotent = (merchant: Merchant) => ({
    authorization: `Bearer ${merchant.key}`,
    'idempotency-key': randomUUID(),
  });

  it('is the same request: one charge, and its answer to all', async () => {
    const merchant = await Merchant.open();
    const headers = idempotent(merchant);
    const body = cardPayment({ reference: 'spelled' });
    const first = await sendTo(payments, headers, body);
    expect(first.status).toBe(201);
    const spellings = [
      '/api/v1/%70ayments',
      '/api/v1/payment%73',
      '/api/%76%31/payments',
      '/api/v1/payments?x=1',
      '/api/v1/payments?',
      '/api/v1/payments#a',
      `http://${host()}/api/v1/payments`,
      'http://elsewhere.example/api/v1/payments',
      'HTTP://elsewhere.example/api/v1/payments',
    ];
    for (const path of spellings) {
      const reply = await sendTo(path, headers, body);
      expect([path, reply.status, reply.text]).toEqual([path, 201, first.text]);
      expect(reply.headers.get('idempotent-replayed')).toBe('true');
    }
    const { charges } = await merchant.ledger();
    expect(charges).toHaveLength(1);
    expect((await merchant.get(payments)).body.total_count).toBe(1);
  });

  it('of an id is the same request too: one refund', async () => {
    const merchant = await Merchant.open();
    const { id } = (await merchant.pay()).body;
    const headers = idempotent(merchant);
    const paths = [id, `%70${id.slice(1)}`, id.replace('_', '%5F'), id.replace('_', '%5f')].map(
      (spelled) => `${payments}/${spelled}/refunds`,
    );
    const replies = [];
    for (const path of paths) replies.push(await sendTo(path, headers, { amount: 100 }));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
    expect((await merchant.ledger()).refunds).toHaveLength(1);
  });

  it('is another request where it names something else', async () => {
    const merchant = await Merchant.open();
    const [one, two] = [(await merchant.pay()).body.id, (await merchant.pay()).body.id];
    const headers = idempotent(merchant);
    const replies = [];
    for (const id of [one, two]) {
      replies.push(await sendTo(`${payments}/${id}/refunds`, headers, { amount: 100 }));
    }
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(2);
  });

  it('is the same request in the dashboard: one refund', async () => {
    const merchant = await Merchant.open();
    const { id } = (await merchant.pay()).body;
    const browser = await Browser.of(merchant, 'support');
    const headers = {
      cookie: browser.cookie ?? '',
      'x-csrf-token': browser.csrf ?? '',
      origin: target().baseUrl,
      'idempotency-key': randomUUID(),
    };
    const path = `/dashboard/api/accounts/${merchant.id}/payments/${id}/refunds`;
    const first = await sendTo(path, headers, { amount: 100 });
    expect(first.status).toBe(201);
    for (const spelled of [path.replace('payments', '%70ayments'), path.replace('pay_', 'pay%5F')]) {
      expect((await sendTo(spelled, headers, { amount: 100 })).text).toBe(first.text);
    }
    expect((await merchant.ledger()).refunds).toHaveLength(1);
  });
});
