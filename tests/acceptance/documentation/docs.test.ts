import { describe, expect, it } from 'vitest';
import { errorTable } from '../../support/expect-error.ts';
import { Merchant, target } from '../../support/merchant.ts';
import { publishedTriggers } from '../../support/triggers.ts';

async function page(path: string): Promise<{ response: Response; text: string }> {
  const response = await fetch(`${target().baseUrl}${path}`);
  return { response, text: await response.text() };
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const cells = (row: string) => row.split('<td>').slice(1);

describe('/docs/testing', () => {
  it('lists each trigger of the table with its field, processor, outcome and failure code', async () => {
    const { response, text } = await page('/docs/testing');
    expect(response.status).toBe(200);
    const tables = text.split('<div class="trigger-table">').slice(1);
    for (const { trigger, processor, outcome, failure_code: failureCode } of await publishedTriggers()) {
      const letter = processor === 'processor_a' ? 'A' : 'B';
      const found = tables
        .filter((table) => table.split('</p>', 1)[0]?.includes(`<code>${trigger.field}</code>`))
        .flatMap((table) => table.split('<tr>').slice(1))
        .some((row) => {
          const [value, what, code = '', on = ''] = cells(row);
          return (
            value === `<code>${escapeHtml(trigger.value)}</code>` &&
            on.includes(letter) &&
            what === escapeHtml(outcome) &&
            (failureCode === undefined || code.includes(`#${failureCode}"><code>${failureCode}</code>`))
          );
        });
      expect(found, `${processor} ${trigger.field} ${trigger.value}`).toBe(true);
    }
  });

  it('publishes the same as data', async () => {
    const rows = await publishedTriggers();
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row).toMatchObject({
        trigger: { field: expect.stringMatching(/\S/), value: expect.stringMatching(/\S/) },
        processor: expect.stringMatching(/^processor_[ab]$/),
        outcome: expect.stringMatching(/\S/),
      });
    }
    const keys = rows.map(({ trigger, processor }) => `${processor} ${trigger.field} ${trigger.value}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('has test cards that pass the Luhn check, but for the one that is published as mistyped', async () => {
    const luhn = (number: string) =>
      Array.from(number)
        .reverse()
        .reduce(
          (sum, digit, n) =>
            sum + Number(digit) * (n % 2 === 0 ? 1 : 2) - (n % 2 === 1 && digit > '4' ? 9 : 0),
          0,
        ) %
        10 ===
      0;
    const numbers = (await publishedTriggers()).filter(
      (row) => row.trigger.field === 'payment_method.number',
    );
    for (const row of numbers) {
      expect(luhn(row.trigger.value), row.trigger.value).toBe(!/Luhn/.test(row.outcome));
    }
  });
});

describe('/docs/errors', () => {
  it.each(Object.entries(errorTable))(
    'has a part for %s with status and type',
    async (code, [statuses, type]) => {
      const { response, text } = await page('/docs/errors');
      expect(response.status).toBe(200);
      const [, facts = ''] =
        new RegExp(`<h3 id="${code}">.*?<p class="facts">(.*?)</p>`, 's').exec(text) ?? [];
      expect(facts).toContain(`<code>${type}</code>`);
      expect(statuses.some((status) => facts.includes(`HTTP ${status}<`))).toBe(true);
    },
  );

  it('is linked by errors in body and header, also when they are replayed', async () => {
    const [shop, wallets] = await Promise.all([Merchant.open(), Merchant.open('processor_b')]);
    const noApproval = () =>
      wallets.pay(
        { payment_method: { type: 'processor_b' }, description: 'SIM-WALLET-NO-APPROVAL-URL' },
        { idempotencyKey: 'no-approval' },
      );
    const replies = [
      await shop.get('/api/v1/payments/x'),
      await shop.post('/api/v1/payments', {}),
      await shop.call('GET', '/api/v1/payments', { key: null }),
      await shop.call('PUT', '/api/v1/payments'),
      await shop.get('/nowhere'),
      await noApproval(),
      await noApproval(),
    ];
    expect(replies.at(-1)?.headers.get('idempotent-replayed')).toBe('true');
    const { text } = await page('/docs/errors');
    for (const { body, headers, status } of replies) {
      expect(status).toBeGreaterThanOrEqual(400);
      const { code, doc_url: address } = body.error;
      expect(address).toBe(`${target().baseUrl}/docs/errors#${code}`);
      expect(headers.get('link')).toBe(`<${address}>; rel="help"`);
      expect(text).toContain(`<h3 id="${code}">`);
    }
    expect((await shop.pay()).headers.get('link')).toBeNull();
  });
});

/** Every page that the overview links to, including the overview. */
async function allPages(): Promise<string[]> {
  const { text } = await page('/docs');
  const links = [...text.matchAll(/href="(\/docs[^"#?]*)"/g)].map(([, path = '']) => path);
  return [...new Set(links)].filter((path) => !/assets|\.\w+$/.test(path));
}

describe('every page', () => {
  it('is HTML under a strict content security policy, in no frame of another site', async () => {
    const paths = await allPages();
    expect(paths.length).toBeGreaterThan(15);
    for (const path of paths) {
      const { response, text } = await page(path);
      expect(response.status, path).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('*');
      if (path !== '/docs/reference') expect(policy, path).not.toMatch(/unsafe-|data:/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('service-request-id')).toMatch(/^\S+$/);
      expect(text).toMatch(/^<!doctype html>\s*<html lang="en">/i);
      expect(text).toMatch(/<title>[^<]+<\/title>/);
    }
  });

  it('keeps its own policy and has no dead links', async () => {
    const seen = new Map<string, string>();
    const load = async (path: string) => {
      const known = seen.get(path);
      if (known !== undefined) return known;
      const { response, text } = await page(path);
      expect(response.status, path).toBe(200);
      seen.set(path, text);
      return text;
    };
    for (const path of await allPages()) {
      const text = await load(path);
      expect(text, path).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
      for (const [, kind, link = ''] of text.matchAll(/\s(href|src)="([^"]+)"/g)) {
        if (/^https?:/.test(link)) {
          expect(kind, `${path} loads ${link}`).toBe('href');
          continue;
        }
        const [to = '', fragment] = link.split('#', 2);
        const there = await load(to === '' ? path : (to.split('?', 1)[0] ?? ''));
        if (fragment !== undefined) expect(there.includes(`id="${fragment}"`), `${path}: ${link}`).toBe(true);
      }
    }
  });

  it('is compressed, with an ETag', async () => {
    const ask = (headers: Record<string, string>) => fetch(`${target().baseUrl}/docs/webhooks`, { headers });
    const first = await ask({ 'accept-encoding': 'br' });
    expect(first.headers.get('content-encoding')).toBe('br');
    expect(await first.text()).toContain('<h1>Webhooks</h1>');
    expect((await ask({ 'if-none-match': first.headers.get('etag') ?? '' })).status).toBe(304);
  });
});

describe('/llms.txt', () => {
  it('names every guide as Markdown, on this server', async () => {
    const { response, text } = await page('/llms.txt');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^# Till\n\n> /);
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(15);
    for (const link of links) {
      expect(link.startsWith(`${target().baseUrl}/`), link).toBe(true);
      const answer = await fetch(link);
      expect(answer.status, link).toBe(200);
      expect(answer.headers.get('content-type'), link).toMatch(/^(text\/markdown|application\/json)/);
      await answer.arrayBuffer();
    }
  });
});
