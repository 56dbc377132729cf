import { randomBytes } from 'node:crypto';
import { roles } from '@till/contract/dashboard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockAccount } from '../../accounts/accounts.ts';
import { languages } from '../../checkout/pages/texts/languages.ts';
import { palettes } from '../../checkout/pages/theme.ts';
import { createDashboardKit, type DashboardKit } from '../test-kit.ts';
import { codeOf } from '../test-things.ts';
import { settingsDashboardRoutes } from './routes.ts';

let kit: DashboardKit;
beforeAll(async () => {
  kit = await createDashboardKit();
  const { db, clock } = kit;
  settingsDashboardRoutes(kit.api, {
    db,
    clock,
    randomBytes,
    connect: () => undefined,
    liveSimulation: false,
    checkConnection: async () => [],
    publicAddress: () => 'https://pay.example',
    sendsMail: true,
  });
});
afterAll(() => kit.drop());

/** A PNG of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const form = (content: Buffer, field = 'logo') => ({
  payload: Buffer.concat([
    Buffer.from(
      `--edge\r\ncontent-disposition: form-data; name="${field}"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n`,
    ),
    content,
    Buffer.from('\r\n--edge--\r\n'),
  ]),
  headers: { 'content-type': 'multipart/form-data; boundary=edge' },
});

const open = async (role: (typeof roles)[number] = 'admin') => {
  const account = await kit.openAccount();
  const { call } = await kit.signIn(account, role);
  const path = `/accounts/${account}/settings/branding`;
  return {
    account,
    call,
    path,
    read: async () => (await call('GET', path)).body,
    change: (body: object) => call('PATCH', path, { body }),
    upload: (content: Buffer, field?: string) => call('POST', `${path}/logo`, form(content, field)),
  };
};

describe('the branding', () => {
  it('is nothing at first, with the page’s own colours and the languages of the page', async () => {
    const { read } = await open('viewer');
    expect(await read()).toMatchObject({
      display_name: null,
      colour: null,
      default_locale: null,
      logo: null,
      saved: false,
      colours: { colour: '#0b57d0', light: { button: '#0b57d0', button_text: '#ffffff' } },
      languages: languages.map(({ tag, name }) => ({ tag, name })),
    });
  });

  it('changes one thing at a time, and the log keeps what was there before', async () => {
    const { account, read, change } = await open();
    const first = await change({ display_name: '  <b>Ada</b> & Co ', colour: 'FFD500' });
    const { light, dark } = palettes('ffd500');
    expect(first.body).toMatchObject({
      display_name: '<b>Ada</b> & Co',
      colour: '#ffd500',
      saved: true,
      colours: {
        colour: '#ffd500',
        light: { button: `#${light.accent}`, button_text: '#000000', link: `#${light.strong}` },
        dark: { button: `#${dark.accent}`, button_text: '#000000', link: `#${dark.strong}` },
      },
    });
    kit.clock.move(1);
    const second = await change({ default_locale: 'pt-BR', colour: null });
    expect(second.body).toMatchObject({ display_name: '<b>Ada</b> & Co', colour: null });
    expect(await read()).toEqual(second.body);
    expect((await kit.audit(account)).slice(-2)).toMatchObject([
      {
        action: 'branding.changed',
        object_id: account,
        before: { display_name: null, colour: null },
        after: { display_name: '<b>Ada</b> & Co', colour: '#ffd500' },
      },
      {
        before: { colour: '#ffd500', default_locale: null },
        after: { colour: null, default_locale: 'pt-BR' },
      },
    ]);
  });

  it('is refused with the field at fault, and nothing changes', async () => {
    const { account, change, read } = await open();
    const before = await read();
    for (const [body, param] of [
      [{ display_name: ' ' }, 'display_name'],
      [{ display_name: 'x'.repeat(101) }, 'display_name'],
      [{ display_name: 'two\nlines' }, 'display_name'],
      [{ display_name: 7 }, 'display_name'],
      [{ colour: 'red' }, 'colour'],
      [{ colour: '#fff' }, 'colour'],
      [{ colour: '#0b57d0;}' }, 'colour'],
      [{ default_locale: 'tlh' }, 'default_locale'],
      [{ default_locale: 'pt' }, 'default_locale'],
    ] as const) {
      const { status, body: answer } = await change(body);
      expect([status, answer.error.param], JSON.stringify(body)).toEqual([422, param]);
    }
    expect(await read()).toEqual(before);
    expect((await kit.audit(account)).filter(({ action }) => action === 'branding.changed')).toEqual([]);
  });

  it('says what a colour would become, without saving it', async () => {
    const { call, path, read } = await open('viewer');
    const ask = async (query: string) => call('GET', `${path}/colours${query}`);
    const { light } = palettes('2e90fa');
    expect((await ask('?colour=%232E90FA')).body).toMatchObject({
      colour: '#2e90fa',
      light: { button: `#${light.accent}`, button_text: '#ffffff' },
    });
    expect(light.accent).not.toBe('2e90fa');
    expect((await ask('')).body).toEqual((await read()).colours);
    expect((await ask('?colour=red')).body.error).toMatchObject({ param: 'colour' });
  });
});

describe('the logo', () => {
  it('is written anew, shown, replaced and removed, and its bytes stand in no log', async () => {
    const { account, call, path, upload, read } = await open();
    const behind = Buffer.concat([png, Buffer.from('<script>')]);
    const answer = await upload(behind);
    expect(answer).toMatchObject({
      status: 201,
      body: { saved: true, logo: { content_type: 'image/png', width: 1, height: 1 } },
    });
    const { id } = answer.body.logo;
    const picture = await call('GET', `${path}/logo/${id}`);
    expect(picture.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
    });
    expect(picture.text).not.toContain('<script>');
    kit.clock.move(1);
    expect((await call('DELETE', `${path}/logo`)).body).toMatchObject({ logo: null, saved: true });
    expect((await read()).logo).toBeNull();
    expect((await call('GET', `${path}/logo/${id}`)).status).toBe(404);
    const entries = (await kit.audit(account)).filter(({ action }) => action === 'branding.changed');
    expect(entries).toMatchObject([
      { before: { logo: null }, after: { logo: { id, content_type: 'image/png', width: 1, height: 1 } } },
      { before: { logo: { id } }, after: { logo: null } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(png.toString('base64').slice(0, 30));
  });

  it('is no other file, none that is damaged, and none that is too large', async () => {
    const { upload, read } = await open();
    for (const [content, status] of [
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 422],
      [png.subarray(0, 40), 422],
      [Buffer.alloc(0), 422],
      [Buffer.concat([png, Buffer.alloc(2_000_000)]), 422],
      [Buffer.alloc(2 * 1024 * 1024 + 1), 413],
    ] as const) {
      const reply = await upload(content);
      expect([reply.status, reply.body.error.param]).toEqual([status, 'logo']);
    }
    expect((await upload(png, 'file')).body.error.param).toBe('logo');
    expect((await read()).logo).toBeNull();
  });

  it('is read before the account is locked, so that nothing else of the account waits for it', async () => {
    const { account, upload } = await open();
    await kit.db.transaction(async (tx) => {
      await lockAccount(tx, account);
      expect((await upload(png.subarray(0, 40))).status).toBe(422);
    });
  });

  it('belongs to one account', async () => {
    const [mine, theirs] = [await open(), await open()];
    const { id } = (await mine.upload(png)).body.logo;
    expect((await theirs.call('GET', `${theirs.path}/logo/${id}`)).status).toBe(404);
    expect((await theirs.call('GET', `${mine.path}/logo/${id}`)).status).toBe(404);
  });
});

it('every role looks, owners and admins change, and nobody from elsewhere', async () => {
  const { account, path } = await open();
  const stranger = (await kit.signIn(await kit.openAccount(), 'owner')).call;
  for (const role of roles) {
    const { call } = await kit.signIn(account, role);
    const may = role === 'owner' || role === 'admin';
    expect((await call('GET', path)).status, role).toBe(200);
    expect((await call('GET', `${path}/colours`)).status, role).toBe(200);
    const changes = [
      await call('PATCH', path, { body: { display_name: 'Shop' } }),
      await call('POST', `${path}/logo`, form(png)),
      await call('DELETE', `${path}/logo`),
    ];
    for (const reply of changes) expect(codeOf(reply) === 'forbidden', role).toBe(!may);
  }
  expect((await stranger('GET', path)).status).toBe(404);
  expect((await stranger('PATCH', path, { body: { display_name: 'Mine' } })).status).toBe(404);
  expect((await stranger('POST', `${path}/logo`, form(png))).status).toBe(404);
  expect((await stranger('DELETE', `${path}/logo`)).status).toBe(404);
});
