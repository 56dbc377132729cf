import { beforeAll, describe, expect, it } from 'vitest';
import { addStaff, Browser, staffPassword } from '../../support/dashboard.ts';
import { queryDatabase } from '../../support/fresh-database.ts';
import { freshEmail, Merchant, type Reply, target, till } from '../../support/merchant.ts';
import { totpCode } from '../../support/totp.ts';

let databaseUrl: string;
let shop: Merchant;

beforeAll(async () => {
  databaseUrl = (await till<{ url: string }>('db', 'url')).url;
  shop = await Merchant.open();
});

const browser = () => new Browser();

/** Adds a new person with a password. */
async function person(): Promise<string> {
  const email = freshEmail();
  await addStaff(target(), shop.id, email, 'owner');
  return email;
}

async function signedIn(email: string): Promise<Browser> {
  const one = browser();
  expect((await one.signIn(email)).status).toBe(200);
  return one;
}

const expectRefusal = (reply: Reply, status: number, code: string) =>
  expect([reply.status, reply.body?.error?.code]).toEqual([status, code]);

describe('an authenticator', () => {
  it('is asked for at sign-in, takes each code once, and recovery codes where it is lost', async () => {
    const email = await person();
    const one = await signedIn(email);
    const begun = await one.post('/security/totp');
    expect(begun.status).toBe(201);
    const { secret, uri, qr_svg: svg } = begun.body;
    expect(uri).toMatch(/^otpauth:\/\/totp\//);
    expect(svg).toMatch(/^<svg /);
    expect((await browser().signIn(email)).status).toBe(200);
    expectRefusal(await one.post('/security/totp/activate', { code: '000000' }), 401, 'invalid_code');
    const on = await one.post('/security/totp/activate', { code: totpCode(secret) });
    const { recovery_codes: codes } = on.body;
    expect(new Set(codes).size).toBe(10);
    expect((await one.get('/security')).body.totp).toMatchObject({ enabled: true, recovery_codes_left: 10 });

    expectRefusal(await browser().signIn(email), 401, 'code_required');
    expectRefusal(
      await browser().signIn(email, 'a wrong password', totpCode(secret, 1)),
      401,
      'invalid_credentials',
    );
    const code = totpCode(secret, 1);
    expect((await browser().signIn(email, staffPassword, code)).body.user.totp_enabled).toBe(true);
    expectRefusal(await browser().signIn(email, staffPassword, code), 401, 'invalid_code');
    expect((await browser().signIn(email, staffPassword, codes[0])).status).toBe(200);
    expectRefusal(await browser().signIn(email, staffPassword, codes[0]), 401, 'invalid_code');

    expect((await one.post('/security/recovery_codes')).body.recovery_codes).toHaveLength(10);
    expectRefusal(await browser().signIn(email, staffPassword, codes[1]), 401, 'invalid_code');
    expect((await one.delete('/security/totp')).status).toBe(200);
    expect((await browser().signIn(email)).status).toBe(200);
  });

  it('stores neither its secret nor the codes in plain text', async () => {
    const one = await signedIn(await person());
    const { secret } = (await one.post('/security/totp')).body;
    const { recovery_codes: codes } = (await one.post('/security/totp/activate', { code: totpCode(secret) }))
      .body;
    const rows = JSON.stringify([
      await queryDatabase(databaseUrl, 'select t::text as row from user_totp t'),
      await queryDatabase(databaseUrl, 'select c::text as row from recovery_codes c'),
      await queryDatabase(databaseUrl, 'select a::text as row from audit_log a'),
    ]);
    for (const secretText of [secret, ...codes]) expect(rows).not.toContain(secretText);
  });
});

describe('sessions', () => {
  it('are listed with their origin, and ended one by one or all but this one', async () => {
    const email = await person();
    const here = await signedIn(email);
    const others = [await signedIn(email), await signedIn(email), await signedIn(email)] as const;
    const { sessions } = (await here.get('/security')).body;
    expect(sessions).toHaveLength(4);
    expect(sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    expect(sessions[0]).toMatchObject({ ip: '127.0.0.1', user_agent: expect.any(String) });
    const ended = (await others[0].get('/security')).body.sessions.find(
      ({ current }: { current: boolean }) => current,
    );
    expect((await here.delete(`/security/sessions/${ended.id}`)).status).toBe(200);
    expectRefusal(await others[0].get('/session'), 401, 'not_signed_in');
    expectRefusal(await here.delete(`/security/sessions/${ended.id}`), 404, 'not_found');
    expect((await here.delete('/security/sessions')).body).toEqual({ ended: 2 });
    for (const one of others) expectRefusal(await one.get('/session'), 401, 'not_signed_in');
    expect((await here.get('/session')).status).toBe(200);
  });

  it('of another member cannot be ended', async () => {
    const [one, other] = [await signedIn(await person()), await signedIn(await person())];
    const [{ id }] = (await other.get('/security')).body.sessions;
    expectRefusal(await one.delete(`/security/sessions/${id}`), 404, 'not_found');
    expect((await other.get('/session')).status).toBe(200);
  });

  it('end with a change of the password, but for the current one', async () => {
    const email = await person();
    const [here, elsewhere] = [await signedIn(email), await signedIn(email)];
    const { cookie } = here;
    const options = { current_password: staffPassword, new_password: 'another long password' };
    const wrong = await here.post('/security/password', { ...options, current_password: 'x' });
    expectRefusal(wrong, 401, 'invalid_credentials');
    expect((await here.post('/security/password', options)).status).toBe(200);
    expect(here.cookie).not.toBe(cookie);
    expect((await here.get('/session')).status).toBe(200);
    expectRefusal(await elsewhere.get('/session'), 401, 'not_signed_in');
    expectRefusal(await browser().signIn(email), 401, 'invalid_credentials');
    expect((await browser().signIn(email, options.new_password)).status).toBe(200);
  });

  it('ask for the password again where ten minutes have passed', async () => {
    const email = await person();
    const one = await signedIn(email);
    await queryDatabase(
      databaseUrl,
      `update sessions set confirmed_at = confirmed_at - interval '11 minutes'
       where user_id = (select id from users where email = $1)`,
      [email],
    );
    expect((await one.get('/session')).body.confirmed_until).toBeNull();
    expectRefusal(await one.post('/security/totp'), 401, 'confirmation_required');
    expectRefusal(await one.post('/session/confirm', { password: 'wrong' }), 401, 'invalid_credentials');
    const confirmed = await one.post('/session/confirm', { password: staffPassword });
    expect(confirmed.body.confirmed_until).toMatch(/Z$/);
    expect((await one.post('/security/totp')).status).toBe(201);
  });
});
