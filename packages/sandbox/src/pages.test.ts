import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { html } from './pages/html.ts';
import { createSandboxPages, type SandboxPages } from './pages.ts';
import { createTestClient as createClientA, payment } from './processor-a/test-client.ts';
import {
  createTestClient,
  order,
  type TestClient,
  walletSource,
  withSca,
} from './processor-b/test-client.ts';
import { resolveApproval } from './simulators.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let db: TestDatabase;
let client: TestClient;
let pages: SandboxPages;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
  pages = createSandboxPages(client.deps);
});
afterAll(() => db.drop());

interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

async function visit(path: string, form?: Record<string, string>): Promise<Page> {
  const response = await pages.handle({
    method: form === undefined ? 'GET' : 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams(form).toString()),
  });
  return { status: response.status, headers: response.headers, text: response.body.toString('utf8') };
}

/** Presses a button and follows the redirect to the next page. */
async function press(path: string, form: Record<string, string>): Promise<Page> {
  const answer = await visit(path, form);
  expect(answer).toMatchObject({ status: 303, headers: { location: `${path}/return` } });
  return visit(`${path}/return`);
}

let keys = 0;
async function orderPage(source: unknown, change = {}): Promise<{ id: string; path: string }> {
  const { json } = await client.post('shop', '/v2/checkout/orders', order(source, change), `page-${keys++}`);
  const { href } = json.links.find((link: { rel: string }) => link.rel === 'payer-action');
  return { id: json.id, path: new URL(href).pathname };
}

async function challengePage(number = '4917610000000000'): Promise<{ id: string; path: string }> {
  const { json } = await createClientA(db.pool).pay(payment('bank', { number }));
  const path = new URL(json.action?.url ?? '').pathname;
  return { id: path.split('/').at(-1) ?? '', path };
}

function expectSafe({ headers, text }: Page): void {
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'",
  );
  expect(headers['cache-control']).toBe('no-store');
  expect(text).toContain('Sandbox: no real money moves');
  expect(text).toMatch(/<html lang="en">/);
  expect(text.match(/<h1>/g)).toHaveLength(1);
  expect(text).not.toMatch(/<script|<style|style=|onclick|javascript:/i);
}

describe('the approval page', () => {
  test('shows shop and amount, escaped, with three buttons', async () => {
    const { path } = await orderPage({
      paypal: { experience_context: { brand_name: '<b>Acme & Söhne</b>' } },
    });
    const page = await visit(path);
    expect(page.status).toBe(200);
    expectSafe(page);
    expect(page.text).toContain('&lt;b&gt;Acme &amp; Söhne&lt;/b&gt;');
    expect(page.text).toContain('EUR\u00a019.99');
    for (const action of ['approve', 'decline', 'cancel']) expect(page.text).toContain(`value="${action}"`);
  });

  test.each([
    ['approve', 'token?kept=1&token=', 'PayerID='],
    ['decline', 'token?kept=1&token=', 'PayerID='],
    ['cancel', 'token?cancel=1&token=', 'token='],
  ])('%s brings the buyer back', async (action, start, part) => {
    const { id, path } = await orderPage(walletSource);
    const page = await press(path, { action });
    expectSafe(page);
    const target = (page.headers.refresh ?? '').replace('0; url=', '');
    expect(target).toContain(start + id);
    expect(target).toContain(part);
    expect(page.text).toContain(`href="${target.replaceAll('&', '&amp;')}"`);
  });

  test('can be used again after a cancellation, and not after an approval', async () => {
    const { path } = await orderPage(walletSource);
    await press(path, { action: 'cancel' });
    expect((await visit(path)).text).toContain('value="approve"');
    const approved = await press(path, { action: 'approve' });
    expect((await visit(path)).headers.refresh).toBe(approved.headers.refresh);
    expect((await press(path, { action: 'cancel' })).headers.refresh).toBe(approved.headers.refresh);
  });

  test('without a way back says that the window can be closed', async () => {
    const { path } = await orderPage({ paypal: {} });
    const page = await press(path, { action: 'approve' });
    expect(page.headers).not.toHaveProperty('refresh');
    expect(page.text).toContain('close this window');
  });

  test('that nobody can approve says so', async () => {
    const { path } = await orderPage(walletSource, { description: 'SIM-WALLET-NEVER' });
    expect((await press(path, { action: 'approve' })).text).toContain('role="status"');
  });
});

describe('the challenge page', () => {
  const kinds = [
    ['processor_b', () => orderPage(withSca('SCA_ALWAYS')), 'liability_shift=POSSIBLE', 'liability_shift=NO'],
    ['processor_a', () => challengePage(), 'redirectResult=sim_', 'redirectResult=sim_'],
  ] as const;

  test.each(kinds)('of %s asks for a password', async (_name, open, passed, failed) => {
    const { path } = await open();
    const page = await visit(path);
    expectSafe(page);
    expect(page.text).toContain('<label for="password">');
    expect(page.text).toContain('EUR\u00a019.99');
    expect(page.text).toMatch(/ending in \d{4}/);
    expect((await press(path, { action: 'password', password: 'password' })).headers.refresh).toContain(
      passed,
    );
    const wrong = await open();
    expect((await press(wrong.path, { action: 'password', password: 'Password' })).headers.refresh).toContain(
      failed,
    );
  });

  test.each(kinds)('of %s has buttons for every result', async (_name, open, passed, failed) => {
    const pressed = async (action: string) => (await press((await open()).path, { action })).headers.refresh;
    expect(await pressed('pass')).toContain(passed);
    expect(await pressed('fail')).toContain(failed);
    expect(await pressed('cancel')).toMatch(/cancel=1|redirectResult=/);
  });

  test('of a bank that never answers stays', async () => {
    for (const { path } of [
      await challengePage('4868719494697210'),
      await orderPage(withSca('SCA_WHEN_REQUIRED', { number: '4868719494697210' })),
    ]) {
      const page = await press(path, { action: 'pass' });
      expect(page.status).toBe(200);
      expect(page.headers).not.toHaveProperty('refresh');
      expect(page.text).toContain('The answer never came back');
    }
  });
});

describe('other requests', () => {
  test('get the style sheet', async () => {
    const sheet = await visit('/sandbox/style.css');
    expect(sheet).toMatchObject({ status: 200, headers: { 'content-type': 'text/css; charset=utf-8' } });
  });

  test('of what is not there are answered by a page too', async () => {
    const wallet = await orderPage(walletSource);
    for (const path of [
      '/sandbox/processor-b/approve/NOTHING',
      '/sandbox/processor-a/challenge/NOTHING',
      '/sandbox/processor-a/approve/NOTHING',
      wallet.path.replace('approve', 'challenge'),
      '/sandbox/',
    ]) {
      const page = await visit(path);
      expect(page.status, path).toBe(404);
      expectSafe(page);
    }
    expect(await visit(wallet.path, { action: 'steal' })).toMatchObject({ status: 400 });
    const removed = await pages.handle({
      method: 'DELETE',
      url: wallet.path,
      headers: {},
      body: Buffer.alloc(0),
    });
    expect(removed.status).toBe(405);
    const head = await pages.handle({ method: 'HEAD', url: wallet.path, headers: {}, body: Buffer.alloc(0) });
    expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  test('come too late for an order that is gone', async () => {
    const { path } = await orderPage(walletSource);
    const start = client.clock.now;
    client.clock.now = new Date(start.getTime() + 4 * 3_600_000);
    expect(await visit(path)).toMatchObject({ status: 410 });
    client.clock.now = start;
  });
});

test('helpers do what the buttons do', async () => {
  const wallet = await orderPage(walletSource);
  const resolved = await resolveApproval(client.deps, wallet.id, 'approved');
  expect((await visit(wallet.path)).headers.refresh).toBe(`0; url=${resolved?.returnUrl}`);
  const bank = await challengePage();
  const answered = await resolveApproval(client.deps, bank.id, 'failed');
  expect((await visit(bank.path)).headers.refresh).toBe(`0; url=${answered?.returnUrl}`);
  expect(await resolveApproval(client.deps, 'NOTHING', 'approved')).toBeNull();
});

test('HTML is built of escaped text', () => {
  expect(html`<p title="${'"x"'}">${`<'&'>`}${html`<b>${'ok'}</b>`}</p>`.html).toBe(
    '<p title="&quot;x&quot;">&lt;&#39;&amp;&#39;&gt;<b>ok</b></p>',
  );
});
