import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { queryDatabase } from '../../support/fresh-database.ts';
import { heldSeconds, holdNotifications } from '../../support/late-notifications.ts';
import { freshEmail, Merchant, target, till } from '../../support/merchant.ts';
import { commandJson } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { linkOf, onwards, type Page, shown, submit, visit } from './browser.ts';
import { chargesOf, goodCard, openCardFields, read, withQuery } from './kit.ts';

/** The bank refuses to authenticate this card, without a challenge. */
const refusedCard = { ...goodCard, number: '4868719158130060' };
const cleanUp = new CleanUp();
let shop: Merchant;
let strict: Merchant;

beforeAll(async () => {
  [shop, strict] = await Promise.all([
    Merchant.open('processor_b'),
    Merchant.open('processor_b', '--three-d-secure', 'enabled'),
  ]);
});
afterAll(cleanUp.run);

const query = async (sql: string, values: unknown[]) =>
  queryDatabase(
    target().environment.DATABASE_URL ?? (await till<{ url: string }>('db', 'url')).url,
    sql,
    values,
  );

describe('a card that is refused before anything is charged', () => {
  it('leaves an empty form for another card, with the reason', async () => {
    const { id, url } = await openCardFields(strict);
    const page = await submit(await visit(url), refusedCard);
    expect(page.status).toBe(422);
    expect(shown(page)).toContain(
      'This card was refused. No money has been taken. Use another card. The bank could not confirm that it was you.',
    );
    expect(page.text).toContain('<title>Error: Pay Test shop</title>');
    expect(page.text).not.toContain(refusedCard.number);
    expect((await read(strict, id)).status).toBe('requires_action');
    expect(onwards(await submit(page, goodCard))).toBe(`${withQuery.success_url}&payment_id=${id}`);
    expect(await chargesOf(strict, id)).toHaveLength(1);
  });

  it('five times closes the page, against card testing', async () => {
    const { id, url } = await openCardFields(strict);
    const form = await visit(url);
    for (let card = 0; card < 5; card += 1) expect((await submit(form, refusedCard)).status).toBe(422);
    const page = await submit(form, goodCard);
    expect(shown(page)).toContain('Too many cards were tried. No money has been taken.');
    expect(linkOf(page, 'Return to Test shop')).toBe(`${withQuery.failure_url}&payment_id=${id}`);
    expect((await read(strict, id)).status).toBe('requires_action');
    expect(await chargesOf(strict, id)).toEqual([]);
  });
});

describe('an outage', () => {
  it('with an unknown outcome says so with the request’s id, and shows the outcome once it is known', async () => {
    const unnotified = await Merchant.open('processor_b');
    await holdNotifications(cleanUp, unnotified);
    const { id, url } = await openCardFields(unnotified);
    const page = await submit(await visit(url), { ...goodCard, name: 'SIM-500-DONE' });
    expect(page.status).toBe(503);
    expect(shown(page)).toContain('We do not know yet whether the payment finished: do not pay again.');
    expect(shown(page)).toContain(page.headers.get('service-request-id') ?? 'none');
    const again = await visit(linkOf(page, 'Check again'));
    expect(shown(again)).toMatch(/^Processing\. Do not pay again\./);
    expect(again.text).toContain('<noscript><meta http-equiv="refresh" content="3; url=');
    expect(shown(await visit(url))).toMatch(/^Processing\. Do not pay again\./);
    expect(shown(await submit({ ...page, url, text: '<form method="post" action="">' }, goodCard))).toMatch(
      /^Processing\. Do not pay again\./,
    );
    await till('clock', 'advance', '--account', unnotified.id, '--seconds', String(heldSeconds));
    await until('it is known', async () => (await read(unnotified, id)).status === 'succeeded');
    const end = await visit(`${url}/wait`);
    expect(onwards(end)).toBe(`${withQuery.success_url}&payment_id=${id}`);
    expect(await chargesOf(unnotified, id)).toHaveLength(1);
  });
});

describe('a payment that ends without the buyer', () => {
  it('says that it was cancelled once the shop released the hold', async () => {
    const { id, url } = await openCardFields(shop, { capture_method: 'manual' });
    await submit(await visit(url), goodCard);
    expect(shown(await visit(url))).toContain(
      'This payment is already authorized. The amount is reserved once and has not been taken yet.',
    );
    await shop.post(`/api/v1/payments/${id}/void`);
    expect(shown(await visit(url))).toContain('This payment was cancelled. No money has been taken.');
  });

  it.each([
    ['CCREJECT-IF', 'The bank says that there is not enough money available.'],
    ['CCREJECT-EC', 'The bank says that the card has expired.'],
    ['CCREJECT-CVV_F', 'The bank says that the security code is wrong.'],
    ['CCREJECT-LS', ''],
    ['SIM-STOLEN', ''],
    ['SIM-PICKUP', ''],
    ['CCREJECT-IRC', ''],
  ])('by a decline (%s) shows the buyer only reasons that help: %j', async (name, reason) => {
    const { url } = await openCardFields(shop, { success_url: null, failure_url: null });
    const page = await submit(await visit(url), { ...goodCard, name });
    expect(shown(page)).toBe(
      `Payment declined Your bank declined this payment. No money has been taken.${reason === '' ? '' : ` ${reason}`} If you still want to pay, go back to Test shop and start again.`,
    );
  });
});

const cookieOf = ({ headers }: Page) => (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';

describe('another browser', () => {
  it('may open the link, but not continue once the first one has submitted something', async () => {
    const { id, url } = await openCardFields(shop);
    const [first, second] = [await visit(url), await visit(url)];
    const [mine, theirs] = [{ cookie: cookieOf(first) }, { cookie: cookieOf(second) }];
    expect(mine.cookie).not.toBe(theirs.cookie);
    expect((await submit(first, {}, mine)).status).toBe(422);
    for (const page of [await visit(url, theirs), await submit(second, goodCard, theirs), await visit(url)]) {
      expect(page.status).toBe(403);
      expect(shown(page)).toContain('This payment was started in another browser. This page takes no money.');
      expect(page.text).not.toContain('<form');
    }
    expect(await chargesOf(shop, id)).toEqual([]);
    expect((await visit(url, mine)).status).toBe(200);
    await submit(first, goodCard, mine);
    expect((await read(shop, id)).status).toBe('succeeded');
    const after = await visit(url, theirs);
    expect(shown(after)).toBe(
      'Payment complete This payment is already complete. You have not been charged twice.',
    );
  });

  it('that only reads, as mail scanners do, does not claim the page', async () => {
    const { id, url } = await openCardFields(shop);
    for (const address of [url, `${url}/wait`, `${url}/state`, `${url}/card`]) await visit(address);
    const form = await visit(url);
    await submit(form, goodCard, { cookie: cookieOf(form) });
    expect((await read(shop, id)).status).toBe('succeeded');
  });
});

describe('the language', () => {
  const heading = (page: Page) => /<html lang="([^"]+)" dir="([^"]+)"/.exec(page.text)?.slice(1).join(' ');

  it('is the customer’s, then the browser’s, then English', async () => {
    const customer = { email: freshEmail(), locale: 'fr-CA' };
    const french = await openCardFields(shop, { customer });
    expect(heading(await visit(french.url, { 'accept-language': 'de' }))).toBe('fr ltr');
    const { url } = await openCardFields(shop);
    expect(heading(await visit(url, { 'accept-language': 'tlh, sv;q=0.2, pt-PT;q=0.8' }))).toBe('pt-BR ltr');
    expect(heading(await visit(url, { 'accept-language': 'ar-EG,en;q=0.5' }))).toBe('ar rtl');
    expect(heading(await visit(url, { 'accept-language': 'zh-TW' }))).toBe('en ltr');
    expect(heading(await visit(url))).toBe('en ltr');
    const declared = await openCardFields(shop, { browser_info: { language: 'nl-BE' } });
    expect(heading(await visit(declared.url, { 'accept-language': 'de' }))).toBe('nl ltr');
  });

  it('can be chosen on the page, and stays', async () => {
    const { url } = await openCardFields(shop);
    const page = await visit(linkOf(await visit(url), 'Polski'));
    expect(shown(page)).toContain('Płatność dla Test shop');
    expect(shown(page)).toContain('49,90 EUR'.replace(' EUR', ''));
    expect(heading(await visit(url, { 'accept-language': 'de' }))).toBe('pl ltr');
    expect(shown(await submit(page, {}))).toContain('Pieniądze nie zostały pobrane.');
  });
});

describe('a shop with its own branding', () => {
  it('shows its name, its logo and its colour', async () => {
    const merchant = await Merchant.open('processor_b');
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    await query(
      `insert into account_branding (account_id, display_name, colour, default_locale, logo, logo_type, logo_width,
         logo_height, logo_sha256, updated_at)
       values ($1, 'Café "Ölmütz"', 'ffd500', 'de', $2, 'image/png', 400, 120, $3, '2026-01-01')`,
      [merchant.id, png, 'c0ffee'],
    );
    const page = await visit((await openCardFields(merchant)).url);
    expect(shown(page)).toContain('Zahlung an Café "Ölmütz"');
    const [, logo = ''] = /<img src="([^"]+)" alt="" width="400" height="120">/.exec(page.text) ?? [];
    const picture = await fetch(new URL(logo, page.url));
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(picture.headers.get('cache-control')).toContain('immutable');
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(png);
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page.text) ?? [];
    expect(style).toContain('-ffd500.css');
    expect((await visit(new URL(style, page.url).href)).text).toContain(
      '--accent:#ffd500;--on-accent:#000000',
    );
    expect((await fetch(new URL(logo.replace('c0ffee', 'c0ffef'), page.url))).status).toBe(404);
    for (const elsewhere of ['garbage', 'acct_%27%7D', 'acct_000000000000000000000000']) {
      expect((await fetch(new URL(`/checkout/logo/${elsewhere}/abc`, page.url))).status, elsewhere).toBe(404);
    }
  });
});

describe('the files of the page', () => {
  it('match the hashes in scripts.json', async () => {
    const page = await visit((await openCardFields(shop)).url);
    const inventory = JSON.parse((await visit(new URL('/checkout/scripts.json', page.url).href)).text);
    const [script] = inventory.scripts;
    expect(page.text).toContain(`<script src="${script.path}" integrity="${script.integrity}" defer>`);
    for (const encoding of ['identity', 'gzip', 'br']) {
      const answer = await fetch(new URL(script.path, page.url), {
        headers: { 'accept-encoding': encoding },
      });
      expect(answer.headers.get('content-encoding') ?? 'identity').toBe(encoding);
      const bytes = await answer.arrayBuffer();
      const digest = await crypto.subtle.digest('SHA-384', bytes);
      expect(`sha384-${Buffer.from(digest).toString('base64')}`).toBe(script.integrity);
    }
    expect((await visit(new URL('/checkout/assets/other.js', page.url).href)).status).toBe(404);
  });

  it('are compared with the release by till pagecheck, on every page', async () => {
    const { url } = await openCardFields(shop);
    expect(await till('pagecheck', '--url', url)).toEqual({ url, matches: true, scripts: 1, styles: 1 });
    const other = `${target().baseUrl}/docs/testing`;
    await expect(till('pagecheck', '--url', other)).rejects.toThrow('page_differs');
    await expect(till('pagecheck', '--url', 'ftp://shop.example')).rejects.toThrow('invalid_url');
    // Without --url, links start with the address at which the environment says that the server listens.
    const elsewhere = (settings: Record<string, string>) => commandJson(settings, ['pagecheck']);
    await expect(elsewhere({ HOST: '::1', PORT: '9' })).rejects.toThrow('http://[::1]:9 does not answer');
    await expect(elsewhere({ PORT: '0' })).rejects.toThrow('address_unknown');
  });

  it('report violations of their content security policy', async () => {
    const report = (body: string) =>
      fetch(`${target().baseUrl}/checkout/csp-reports`, {
        method: 'POST',
        headers: { 'content-type': 'application/csp-report' },
        body,
      });
    const violation = {
      'violated-directive': 'script-src',
      'blocked-uri': 'https://evil.example/x.js?pan=1',
    };
    for (const body of [JSON.stringify({ 'csp-report': violation }), '[]', 'nonsense', '']) {
      expect((await report(body)).status).toBe(204);
    }
  });
});
