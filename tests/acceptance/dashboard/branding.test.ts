import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { Merchant, type Reply } from '../../support/merchant.ts';
import { visit } from '../checkout/browser.ts';
import { openCardFields } from '../checkout/kit.ts';

const payload = `<img src=x onerror="alert(1)">`;
const codeOf = (reply: Reply) => [reply.status, reply.body?.error?.code];
const faultOf = (reply: Reply) => [reply.status, reply.body?.error?.param];

/** A picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let shop: Merchant;
let owner: Browser;
beforeAll(async () => {
  shop = await Merchant.open('processor_b');
  owner = await Browser.of(shop, 'owner');
});

const at = (rest = '', account = shop.id) => `/accounts/${account}/settings/branding${rest}`;
const change = (body: object, browser = owner) => browser.call('PATCH', at(), { body });

function upload(content: Uint8Array, browser = owner, field = 'logo'): Promise<Reply> {
  const boundary = 'till-acceptance-boundary';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${payload}.png"\r\n\r\n`;
  return browser.call('POST', at('/logo'), {
    raw: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
}

describe('the branding', () => {
  it('shows on the page at once, in the sandbox and live, as text and nothing else', async () => {
    const { url } = await openCardFields(shop);
    const saved = await change({ display_name: payload, colour: '#FFD500', default_locale: 'pl' });
    expect(saved.body).toMatchObject({ display_name: payload, colour: '#ffd500', default_locale: 'pl' });
    const picture = await upload(png);
    expect(picture.body.logo).toMatchObject({ content_type: 'image/png', width: 1, height: 1 });
    const page = await visit(url);
    expect(page.text).toContain('<html lang="pl"');
    expect(page.text).not.toContain('<img src=x');
    expect(page.text).toContain('&lt;img src=x');
    const { light } = saved.body.colours;
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page.text) ?? [];
    expect((await visit(new URL(style, url).href)).text).toContain(
      `--accent:${light.button};--on-accent:${light.button_text};--strong:${light.link}`,
    );
    const [, logo = ''] = /<img src="(\/checkout\/logo\/[^"]+)"/.exec(page.text) ?? [];
    const shown = Buffer.from(await (await fetch(new URL(logo, url))).arrayBuffer());
    const own = await owner.get(at(`/logo/${picture.body.logo.id}`));
    expect(own.headers.get('content-type')).toBe('image/png');
    expect(Buffer.byteLength(own.text)).toBeGreaterThan(0);
    expect(shown.subarray(1, 4).toString()).toBe('PNG');
    expect((await owner.call('DELETE', at('/logo'))).body.logo).toBeNull();
    const bare = await change({ display_name: null, colour: null, default_locale: null });
    expect(bare.body).toMatchObject({ display_name: null, colour: null, saved: true });
    const again = (await visit(url)).text;
    expect(again).toContain('<html lang="en"');
    expect(again).toContain('Test shop');
    expect(again).not.toContain('/checkout/logo/');
  });

  it('is in the audit log with the former values, and without the picture', async () => {
    const log = (await owner.get(`/accounts/${shop.id}/audit_log?action=branding.changed`)).body;
    expect(log.data.map(({ after }: { after: object }) => Object.keys(after))).toEqual([
      ['display_name', 'colour', 'default_locale'],
      ['logo'],
      ['logo'],
      ['display_name', 'colour', 'default_locale'],
    ]);
    expect(log.data[0].before).toEqual({
      display_name: payload,
      colour: '#ffd500',
      default_locale: 'pl',
    });
    expect(JSON.stringify(log)).not.toContain(png.toString('base64').slice(0, 24));
  });

  it('refuses wrong values and names the field', async () => {
    const before = (await owner.get(at())).body;
    for (const colour of ['red', '#12345', '#1234567', '0x0b57d0', '#0b57d0;}', '']) {
      expect(faultOf(await change({ colour })), colour).toEqual([422, 'colour']);
    }
    for (const name of [' ', 'x'.repeat(101), 'a\u0000b', 'x'.repeat(1001)]) {
      expect(faultOf(await change({ display_name: name }))).toEqual([422, 'display_name']);
    }
    expect(faultOf(await change({ default_locale: 'xx' }))).toEqual([422, 'default_locale']);
    expect(faultOf(await owner.get(at('/colours?colour=blue')))).toEqual([422, 'colour']);
    expect((await owner.get(at())).body).toEqual(before);
  });

  it('takes no other file than a small picture', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    const bomb = Buffer.concat([png.subarray(0, 41), deflateSync(Buffer.alloc(1000)), png.subarray(41)]);
    for (const content of [svg, Buffer.from('GIF89a'), png.subarray(0, 50), bomb, Buffer.alloc(0)]) {
      expect(faultOf(await upload(content))).toEqual([422, 'logo']);
    }
    expect(faultOf(await upload(Buffer.alloc(2 * 1024 * 1024 + 1, 1)))).toEqual([413, 'logo']);
    expect(faultOf(await upload(png, owner, 'file'))).toEqual([422, 'logo']);
    const json = await owner.post(at('/logo'), { logo: png.toString('base64') });
    expect(codeOf(json)).toEqual([400, 'missing_field']);
    expect((await owner.get(at())).body.logo).toBeNull();
  });
});

it('is read by every role, changed by owners and admins, and 404 for another account', async () => {
  const stranger = await Browser.of(await Merchant.open(), 'owner');
  const { id } = (await upload(png)).body.logo;
  const changes = (browser: Browser) => [
    () => change({ display_name: 'Shop' }, browser),
    () => upload(png, browser),
    () => browser.call('DELETE', at('/logo')),
  ];
  const reads = [at(), at('/colours?colour=0b57d0'), at(`/logo/${id}`)];
  for (const role of ['developer', 'support', 'viewer']) {
    const browser = await Browser.of(shop, role);
    for (const path of reads) expect((await browser.get(path)).status, role).toBe(200);
    for (const send of changes(browser)) expect(codeOf(await send()), role).toEqual([403, 'forbidden']);
  }
  for (const path of reads) expect(codeOf(await stranger.get(path))).toEqual([404, 'not_found']);
  for (const send of changes(stranger)) expect(codeOf(await send())).toEqual([404, 'not_found']);
  for (const path of reads) expect((await new Browser().get(path)).status).toBe(401);
  const admin = await Browser.of(shop, 'admin');
  for (const send of changes(admin)) expect([200, 201]).toContain((await send()).status);
});
