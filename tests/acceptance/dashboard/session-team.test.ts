import { beforeAll, describe, expect, it } from 'vitest';
import { addStaff, Browser, staffPassword } from '../../support/dashboard.ts';
import { freshEmail, Merchant, type Reply, target, till } from '../../support/merchant.ts';

let shop: Merchant;
let owner: Browser;

beforeAll(async () => {
  shop = await Merchant.open();
  owner = await Browser.of(shop, 'owner');
});

const path = (rest: string) => `/accounts/${shop.id}${rest}`;
const tokenOf = (url: string) => url.split('/').at(-1) ?? '';
const codeOf = (reply: Reply) => [reply.status, reply.body?.error?.code];

async function memberId(browser: Browser): Promise<string> {
  return (await browser.get('/session')).body.user.id;
}

const invite = (browser: Browser, email: string, role = 'support') =>
  browser.post(path('/team/invitations'), { email, role });

describe('an invitation', () => {
  it('makes somebody new a member, by a link that is shown once', async () => {
    const email = freshEmail();
    const sent = await invite(owner, email, 'developer');
    expect(sent.status).toBe(201);
    const { invitation, url } = sent.body;
    expect(invitation).toMatchObject({ email, role: 'developer', expired: false });
    expect(url).toContain(`${target().baseUrl}/dashboard/invite/`);
    const listed = await owner.get(path('/team'));
    expect(listed.body.invitations).toMatchObject([{ id: invitation.id, email }]);
    expect(listed.text).not.toContain(tokenOf(url));

    const guest = new Browser();
    const shown = await guest.get(`/invitations/${tokenOf(url)}`);
    expect(shown.body).toMatchObject({
      account_name: 'Test shop',
      email,
      role: 'developer',
      has_user: false,
    });
    const short = await guest.post('/invitations', { token: tokenOf(url), password: 'short' });
    expect(codeOf(short)).toEqual([422, 'weak_password']);
    const accepted = await guest.post('/invitations', { token: tokenOf(url), password: staffPassword });
    expect(accepted.status).toBe(201);
    expect(accepted.body.accounts).toMatchObject([{ id: shop.id, role: 'developer' }]);
    expect((await guest.get(path(''))).body).toMatchObject({ role: 'developer', livemode: false });
    expect(codeOf(await guest.get(`/invitations/${tokenOf(url)}`))).toEqual([404, 'link_not_valid']);
    const { members, invitations } = (await owner.get(path('/team'))).body;
    expect(members).toContainEqual(expect.objectContaining({ email, role: 'developer', you: false }));
    expect(invitations).toEqual([]);
  });

  it('is mailed, and accepted by a user of another account with their password', async () => {
    const other = await Merchant.open();
    const email = freshEmail();
    await addStaff(target(), other.id, email, 'owner');
    const { url, mailed } = (await invite(owner, email)).body;
    expect(mailed).toBe(false);
    const { data } = await till<{ data: { to: string; text: string; state: string }[] }>(
      'mails',
      'list',
      '--account',
      shop.id,
    );
    const mail = data.find(({ to }) => to === email);
    expect(mail?.state).toBe('kept');
    expect(mail?.text).toContain(url);
    const guest = new Browser();
    expect((await guest.get(`/invitations/${tokenOf(url)}`)).body.has_user).toBe(true);
    const wrong = await guest.post('/invitations', { token: tokenOf(url), password: 'a wrong password' });
    expect(codeOf(wrong)).toEqual([401, 'invalid_credentials']);
    await guest.signIn(email);
    const accepted = await guest.post('/invitations', { token: tokenOf(url) });
    expect(accepted.body.accounts).toHaveLength(2);
  });

  it('is refused once it is withdrawn', async () => {
    const { invitation, url } = (await invite(owner, freshEmail())).body;
    expect((await owner.delete(path(`/team/invitations/${invitation.id}`))).body).toEqual({
      id: invitation.id,
      deleted: true,
    });
    const late = await new Browser().post('/invitations', { token: tokenOf(url), password: staffPassword });
    expect(codeOf(late)).toEqual([404, 'link_not_valid']);
    expect(codeOf(await owner.delete(path(`/team/invitations/${invitation.id}`)))).toEqual([
      404,
      'not_found',
    ]);
  });

  it('is refused for a member, a wrong address, and an unknown role', async () => {
    const email = freshEmail();
    await addStaff(target(), shop.id, email, 'viewer');
    expect(codeOf(await invite(owner, email.toUpperCase()))).toEqual([422, 'already_member']);
    expect((await invite(owner, 'nobody')).body.error).toMatchObject({
      code: 'invalid_params',
      param: 'email',
    });
    expect((await invite(owner, freshEmail(), 'king')).body.error).toMatchObject({ param: 'role' });
  });
});

describe('a role', () => {
  it('allows by raw request what the table of permissions says', async () => {
    const place = await Merchant.open();
    const viewer = await addStaff(target(), place.id, freshEmail(), 'viewer');
    const at = (rest: string) => `/accounts/${place.id}${rest}`;
    const manages = ['owner', 'admin'];
    for (const role of ['owner', 'admin', 'developer', 'support', 'viewer']) {
      const browser = await Browser.of(place, role);
      const expected = (allowed: readonly string[], good: number) =>
        allowed.includes(role) ? [good, undefined] : [403, 'forbidden'];
      const invited = await browser.post(at('/team/invitations'), { email: freshEmail(), role: 'viewer' });
      expect(codeOf(invited), role).toEqual(expected(manages, 201));
      const asOwner = await browser.post(at('/team/invitations'), { email: freshEmail(), role: 'owner' });
      expect(codeOf(asOwner), role).toEqual(expected(['owner'], 201));
      const changed = await browser.call('PATCH', at(`/team/${viewer.id}`), { body: { role: 'viewer' } });
      expect(codeOf(changed), role).toEqual(expected(manages, 200));
      const promoted = await browser.call('PATCH', at(`/team/${await memberId(browser)}`), {
        body: { role: 'owner' },
      });
      expect(codeOf(promoted), role).toEqual(expected(['owner'], 200));
      const log = await browser.get(at('/audit_log'));
      expect(codeOf(log), role).toEqual(expected([...manages, 'developer'], 200));
      expect((await browser.get(at('/team'))).status, role).toBe(200);
      const { allowed_operations: allowed } = (await browser.get(at(''))).body;
      expect(allowed.includes('inviteMember'), role).toBe(manages.includes(role));
    }
  });

  it('that is removed ends at once; the last owner cannot be removed', async () => {
    const admin = await Browser.of(shop, 'admin');
    const id = await memberId(admin);
    expect((await invite(admin, freshEmail())).status).toBe(201);
    const changed = await owner.call('PATCH', path(`/team/${id}`), { body: { role: 'viewer' } });
    expect(changed.body).toMatchObject({ user_id: id, role: 'viewer' });
    expect(codeOf(await invite(admin, freshEmail()))).toEqual([403, 'forbidden']);
    expect((await owner.delete(path(`/team/${id}`))).body).toEqual({ id, deleted: true });
    expect(codeOf(await admin.get(path('')))).toEqual([404, 'not_found']);
    expect((await admin.get('/session')).body.accounts).toEqual([]);
    const own = path(`/team/${await memberId(owner)}`);
    expect(codeOf(await owner.delete(own))).toEqual([422, 'last_owner']);
    expect(codeOf(await owner.call('PATCH', own, { body: { role: 'admin' } }))).toEqual([422, 'last_owner']);
  });
});

describe('the audit log', () => {
  it('has actor, action, object, former and new values, newest first', async () => {
    const place = await Merchant.open();
    const [boss, support] = [await Browser.of(place, 'owner'), await Browser.of(place, 'support')];
    const id = await memberId(support);
    const at = (rest: string) => `/accounts/${place.id}${rest}`;
    await boss.call('PATCH', at(`/team/${id}`), { body: { role: 'viewer' } });
    const { url } = (await boss.post(at('/team/invitations'), { email: freshEmail(), role: 'viewer' })).body;
    const log = async (query = '') => (await boss.get(at(`/audit_log${query}`))).body;
    const actionsOf = ({ data }: { data: { action: string }[] }) => data.map(({ action }) => action);
    const all = await log();
    expect(actionsOf(all).toSorted()).toEqual([
      'member.added',
      'member.added',
      'member.invited',
      'member.role_changed',
      'session.created',
      'session.created',
    ]);
    expect([all.total_count, all.has_more]).toEqual([6, false]);
    const { email } = (await boss.get('/session')).body.user;
    // Only entries that the server wrote: the clock of the command that added the two people may be ahead of the
    // server's.
    const own = await log(`?actor=${encodeURIComponent(email.toUpperCase())}`);
    expect(actionsOf(own)).toEqual(['member.invited', 'member.role_changed', 'session.created']);
    expect((await log('?action=member.role_changed')).data).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        action: 'member.role_changed',
        actor: { type: 'user', user_id: await memberId(boss), email },
        object_id: id,
        before: { email: expect.any(String), role: 'support' },
        after: { email: expect.any(String), role: 'viewer' },
        ip: '127.0.0.1',
        livemode: false,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
    ]);
    expect((await log(`?actor=${id}`)).total_count).toBe(1);
    expect((await log(`?object=${id}`)).total_count).toBe(2);
    expect((await log('?action=member')).total_count).toBe(4);
    expect((await log('?action=mem')).total_count).toBe(0);
    expect((await log('?to=2020-01-01T00:00:00Z')).total_count).toBe(0);
    expect((await log('?from=2020-01-01T00:00:00Z')).total_count).toBe(6);
    const pages = [await log('?per_page=4'), await log('?per_page=4&page=2')];
    expect(pages.map((page) => [page.data.length, page.has_more])).toEqual([
      [4, true],
      [2, false],
    ]);
    expect(JSON.stringify(await log())).not.toContain(tokenOf(url));
    expect(codeOf(await boss.get(at('/audit_log?from=2020-02-31T00:00:00Z')))).toEqual([
      422,
      'invalid_params',
    ]);
  });

  it('contains its own account only', async () => {
    const [one, other] = [await Merchant.open(), await Merchant.open()];
    const browser = await Browser.of(one, 'owner');
    await Browser.of(other, 'owner');
    const { data } = (await browser.get(`/accounts/${one.id}/audit_log`)).body;
    expect(data).toHaveLength(2);
    for (const id of [other.id, 'garbage', 'acct_%27%7D', `${one.id},${other.id}`]) {
      expect(codeOf(await browser.get(`/accounts/${id}/audit_log`)), id).toEqual([404, 'not_found']);
    }
  });
});
