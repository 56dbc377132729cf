import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type BuildManifest, preloadsOf } from './preloads.ts';

const account = 'acct_000000000000000000000000';
const manifest: BuildManifest = {
  'index.html': { file: 'assets/index.js', imports: ['_shared.js'] },
  '_shared.js': { file: 'assets/shared.js' },
  '_table.js': { file: 'assets/table.js', imports: ['_shared.js'] },
  'src/pages/home/home.tsx': { file: 'assets/home.js', imports: ['_shared.js', 'index.html'] },
  'src/pages/payments/payments.tsx': { file: 'assets/payments.js', imports: ['_table.js', 'index.html'] },
  'src/pages/settings/team.tsx': { file: 'assets/team.js' },
  'src/pages/session/login.tsx': { file: 'assets/login.js', imports: ['_shared.js'] },
};
const of = (path: string, hasQuery = false) => preloadsOf(manifest)(path, hasQuery)?.split(', ');
const data = (path: string) => `</dashboard/api${path}>; rel=preload; as=fetch; crossorigin`;
const script = (file: string) => `</dashboard/assets/${file}>; rel=modulepreload`;
const ofEveryPage = [data('/session'), data(`/accounts/${account}`)];

describe('the first things that a page asks for', () => {
  it('are the session, the workspace, what Home shows, and its script', () => {
    expect(of(account)).toEqual([...ofEveryPage, data(`/accounts/${account}/home`), script('home.js')]);
    expect(of(`${account}/`)).toEqual(of(account));
  });

  it('hold what a script imports, but for what the page names itself', () => {
    const list = data(`/accounts/${account}/payments?sort=-created&page=1&per_page=50`);
    expect(of(`${account}/payments`)).toEqual([
      ...ofEveryPage,
      list,
      script('payments.js'),
      script('table.js'),
    ]);
  });

  it('leave a list out that the address filters', () => {
    expect(of(`${account}/payments`, true)).toEqual([
      ...ofEveryPage,
      script('payments.js'),
      script('table.js'),
    ]);
  });

  it('find a page that lies beside others', () => {
    expect(of(`${account}/settings/team`)).toEqual([...ofEveryPage, script('team.js')]);
  });

  it('are a script alone where nobody has signed in', () => {
    expect(of('login')).toEqual([script('login.js')]);
  });

  it.each(['', 'nowhere', 'acct_short/payments', '<script>/x'])('are none for %j', (path) => {
    expect(of(path)).toBeUndefined();
  });

  it('are known of every page that the sidebar leads to', () => {
    const built = new URL('../../../../dashboard/dist/app/.vite/manifest.json', import.meta.url);
    const preloads = preloadsOf(JSON.parse(readFileSync(built, 'utf8')) as BuildManifest);
    const pages = ['', 'payments', 'refunds', 'customers', 'disputes', 'ledger', 'sandbox', 'mails']
      .concat(['keys', 'webhooks', 'events', 'logs'].map((page) => `developers/${page}`))
      .concat(['business', 'branding', 'payments', 'team', 'security'].map((page) => `settings/${page}`));
    expect(
      pages.filter((page) => preloads(`${account}/${page}`, false)?.includes('modulepreload') !== true),
    ).toEqual([]);
  });
});
