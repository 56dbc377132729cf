import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type BuildManifest, preloadsOf } from './preloads.ts';

const account = 'acct_000000000000000000000000';
const manifest: BuildManifest = {
  'index.html': { file: 'assets/index.js', imports: ['_shared.js'], css: ['assets/index.css'] },
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
const styles = '</dashboard/assets/index.css>; rel=preload; as=style; crossorigin';
const own = script('index.js');
const ofTheAccount = [data('/session'), data(`/accounts/${account}`)];

describe('the first things that a page asks for', () => {
  it('are the styles, the scripts, the session, the workspace and what Home shows, and what runs last', () => {
    expect(of(account)).toEqual([
      styles,
      script('shared.js'),
      script('home.js'),
      ...ofTheAccount,
      data(`/accounts/${account}/home`),
      own,
    ]);
    expect(of(`${account}/`)).toEqual(of(account));
  });

  it('hold what a script imports before it, each file once', () => {
    expect(of(`${account}/payments`)).toEqual([
      styles,
      script('table.js'),
      script('shared.js'),
      script('payments.js'),
      ...ofTheAccount,
      data(`/accounts/${account}/payments?sort=-created&page=1&per_page=50`),
      own,
    ]);
  });

  it('leave a list out that the address filters', () => {
    expect(of(`${account}/payments`, true)).toEqual([
      styles,
      script('table.js'),
      script('shared.js'),
      script('payments.js'),
      ...ofTheAccount,
      own,
    ]);
  });

  it('find a page that lies beside others', () => {
    expect(of(`${account}/settings/team`)).toEqual([
      styles,
      script('shared.js'),
      script('team.js'),
      ...ofTheAccount,
      own,
    ]);
  });

  it('are styles and scripts alone where nobody has signed in', () => {
    expect(of('login')).toEqual([styles, script('shared.js'), script('login.js'), own]);
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
