import { describe, expect, it } from 'vitest';
import { errorTable } from '../support/expect-error.ts';
import { target } from '../support/merchant.ts';
import { publishedTriggers } from '../support/triggers.ts';

async function page(path: string): Promise<{ response: Response; text: string }> {
  const response = await fetch(`${target().baseUrl}${path}`);
  return { response, text: await response.text() };
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

describe('/docs/testing', () => {
  it('lists each trigger of the table with its field, outcome and failure code', async () => {
    const { response, text } = await page('/docs/testing');
    expect(response.status).toBe(200);
    const rows = text.split('<tr>').slice(1);
    for (const { trigger, outcome, failure_code: code = '' } of await publishedTriggers()) {
      const found = rows.some((row) =>
        [`>${trigger.field}<`, `>${trigger.value}<`, escapeHtml(outcome), `>${code}<`].every((part) =>
          row.includes(part),
        ),
      );
      expect(found, `${trigger.field} ${trigger.value}`).toBe(true);
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
    'has an anchor for %s with status and type',
    async (code, [statuses, type]) => {
      const { response, text } = await page('/docs/errors');
      expect(response.status).toBe(200);
      const row = new RegExp(`<tr id="${code}">.*?</tr>`, 's').exec(text)?.[0] ?? '';
      expect(row).toContain(type);
      expect(statuses.some((status) => row.includes(`>${status}<`))).toBe(true);
    },
  );
});

describe.each(['/docs/testing', '/docs/errors'])('the page %s', (path) => {
  it('is HTML that no other site may use, under a strict content security policy', async () => {
    const { response, text } = await page(path);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-|\*/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('service-request-id')).toMatch(/^\S+$/);
    expect(text).toMatch(/^<!doctype html>\s*<html lang="en">/i);
    expect(text).toMatch(/<title>[^<]+<\/title>/);
    expect(text).toMatch(/<h1>[^<]+<\/h1>/);
  });

  it('keeps to its own policy: no inline script or style, nothing from elsewhere', async () => {
    const { text } = await page(path);
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/i);
    const links = [...text.matchAll(/\s(?:href|src)="([^"]+)"/g)].map((match) => match[1] ?? '');
    for (const link of links) {
      expect(link).toMatch(/^[/#]/);
      expect((await fetch(`${target().baseUrl}${link}`)).status).toBe(200);
    }
  });
});
