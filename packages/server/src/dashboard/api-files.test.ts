import { rolesFor } from '@till/contract/dashboard';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { startSession } from '../users/sign-in/sessions.ts';
import { client } from '../users/test-kit.ts';
import { createDashboardKit, sentBy } from './test-kit.ts';
import { operations } from './test-things.ts';

describe('a cookie', () => {
  it('of a site on https is bound to it', async () => {
    const secure = await createDashboardKit('https://till.example');
    secure.api.mountSession(operations.anyone, async () => ({
      status: 200,
      body: {},
      cookie: { token: 'abc' },
    }));
    secure.api.mountSession(operations.signedIn, async () => ({ status: 200, body: {}, cookie: 'clear' }));
    const user = await secure.addUser();
    const { token } = await startSession(secure.people, user, client);
    const headers = { ...sentBy(token), origin: 'https://till.example' };
    const send = (url: string, cookie: string) =>
      secure.app.inject({ method: 'POST', url: `/dashboard/api${url}`, headers: { ...headers, cookie } });
    expect((await send('/anyone', '')).headers['set-cookie']).toBe(
      '__Host-till_session=abc; Max-Age=1209600; Path=/; HttpOnly; Secure; SameSite=Lax',
    );
    expect((await send('/mine', `till_session=${token}`)).statusCode).toBe(401);
    expect((await send('/mine', `__Host-till_session=${token}`)).headers['set-cookie']).toBe(
      '__Host-till_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    );
    await secure.drop();
  });
});

describe('an answer with a file', () => {
  it('is offered under its name, whatever is in it', async () => {
    const open = await createDashboardKit();
    const download = {
      id: 'download',
      method: 'GET',
      path: '/accounts/:account/export',
      roles: rolesFor.viewing,
      answers: {},
    } as const;
    async function* rows() {
      yield 'a,b\n';
      yield '1,2\n';
    }
    open.api.mount(download, async () => ({
      file: { name: 'Zahlungen "März"\r\n.csv', contentType: 'text/csv; charset=utf-8', content: rows() },
    }));
    const place = await open.openAccount();
    const { call } = await open.signIn(place, 'viewer');
    const reply = await call('GET', `/accounts/${place}/export`);
    expect(reply.text).toBe('a,b\n1,2\n');
    expect(reply.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition':
        'attachment; filename="Zahlungen _M_rz___.csv"; filename*=UTF-8\'\'Zahlungen%20%22M%C3%A4rz%22%0D%0A.csv',
      'x-content-type-options': 'nosniff',
    });
    await open.drop();
  });
});

describe('an operation with a file', () => {
  it('takes it as a form, from our page only', async () => {
    const open = await createDashboardKit();
    const upload = {
      id: 'upload',
      method: 'POST',
      movesMoney: false,
      path: '/accounts/:account/files',
      roles: rolesFor.money,
      upload: { field: 'file', maxBytes: 10 },
      answers: { 201: Type.Object({ size: Type.Integer() }) },
      audit: 'file.added',
    } as const;
    open.api.mount(upload, async (call) => ({
      status: 201,
      body: { size: (await call.upload()).content.length },
    }));
    const place = await open.openAccount();
    const { call } = await open.signIn(place, 'support');
    const form = (content: string) => ({
      payload: `--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n${content}\r\n--x--\r\n`,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    const url = `/accounts/${place}/files`;
    expect((await call('POST', url, form('12345'))).body).toEqual({ size: 5 });
    expect((await call('POST', url, form('12345678901'))).status).toBe(413);
    const foreign = { ...form('1'), headers: { ...form('1').headers, origin: 'https://evil.example' } };
    expect((await call('POST', url, foreign)).status).toBe(403);
    await open.drop();
  });
});
