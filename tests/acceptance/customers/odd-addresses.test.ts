import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { cardPayment, freshEmail, Merchant, target } from '../../support/merchant.ts';

let a: Merchant;

beforeAll(async () => {
  a = await Merchant.open('processor_a');
});

describe('a path with a trailing slash', () => {
  it('is the same route for every method', async () => {
    const { body: customer } = await a.post('/api/v1/customers/', { email: freshEmail() });
    expect((await a.get('/api/v1/customers/')).body).toMatchObject({ object: 'list' });
    expect((await a.get(`/api/v1/customers/${customer.id}/`)).body).toEqual(customer);
    expect((await a.get(`/api/v1/customers/${customer.id}/payment_methods/`)).status).toBe(200);
    const changed = await a.call('PATCH', `/api/v1/customers/${customer.id}/`, { body: { name: 'Jane' } });
    expect(changed.body.name).toBe('Jane');
    const { body: payment } = await a.post('/api/v1/payments/?', cardPayment());
    expect((await a.get(`/api/v1/payments/${payment.id}/`)).body.status).toBe('succeeded');
    const refund = await a.post(`/api/v1/payments/${payment.id}/refunds/`, { amount: 1 });
    expect(refund.status).toBe(201);
    expect((await a.get('/healthz')).status).toBe(200);
    expect((await a.get('/healthz/')).status).toBe(200);
  });

  it('shares the scope of its idempotency key', async () => {
    const options = { idempotencyKey: randomUUID() };
    const first = await a.post('/api/v1/payments', cardPayment(), options);
    const again = await a.post('/api/v1/payments/', cardPayment(), options);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expectError(await a.post('/api/v1/payments/', cardPayment({ amount: 1 }), options), 'key_reused');
  });

  it('has the same checks: key, rate limit headers, methods', async () => {
    expectError(await a.call('GET', '/api/v1/payments/', { key: null }), 'missing_api_key');
    expectError(
      await a.call('POST', '/api/v1/payments/', { body: cardPayment(), idempotencyKey: null }),
      'missing_idempotency_key',
    );
    expect((await a.get('/api/v1/payments/')).headers.get('ratelimit-limit')).toMatch(/^\d+$/);
    const wrong = await a.call('DELETE', '/api/v1/payments/');
    expectError(wrong, 'method_not_allowed');
    expect(wrong.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
  });
});

describe('an unknown path', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const open = (path: string, headers: Record<string, string>) =>
    fetch(`${target().baseUrl}${path}`, { headers });

  it.each(['/', '/nothing', '/docs/nothing', '/docs/nothing/at/all', '/api'])(
    'is an HTML page for browsers: %s',
    async (path) => {
      const answer = await open(path, browser);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(answer.headers.get('service-request-id')).toMatch(/^req_/);
      expect(await answer.text()).toMatch(/^<!doctype html>[\s\S]*<a [^>]*href="\/docs"/i);
    },
  );

  it.each([
    ['/', {}],
    ['/nothing', { accept: '*/*' }],
    ['/nothing', { accept: 'text/html, application/json' }],
    ['/nothing', { accept: 'application/json, text/html;q=0.5' }],
    ['/docs/nothing', { accept: 'application/json' }],
    ['/api/v1/nothing', browser],
    ['/dashboard/api/nothing', browser],
    ['/api/v1/payments/pay_000000000000000000000000/x', browser],
  ])('is JSON for other clients: %s %j', async (path, headers) => {
    const answer = await open(path, headers);
    const body = await answer.json();
    expectError({ status: answer.status, headers: answer.headers, body }, 'not_found');
  });
});

describe('a 401', () => {
  it.each([
    ['missing_api_key', null, 'Bearer realm="Till API"'],
    ['invalid_api_key', 'sk_test_x', 'Bearer realm="Till API", error="invalid_token"'],
  ])('says how to authenticate: %s', async (code, key, challenge) => {
    for (const path of ['/api/v1/payments', '/api/v1/events/stream']) {
      const reply = await a.call('GET', path, { key });
      expectError(reply, code);
      expect(reply.headers.get('www-authenticate')).toBe(challenge);
    }
  });
});
