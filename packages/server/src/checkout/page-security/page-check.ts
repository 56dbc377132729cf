import { type Inventory, type InventoryEntry, integrityOf } from '../pages/assets.ts';
import { hostedFields } from '../pages/hosted-fields.ts';
import { contentSecurityPolicy, pageHeaders } from './policy.ts';

/** A page as a browser gets it, before any script runs. */
export interface ServedPage {
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
}

/** What the page of this release consists of. */
export interface ExpectedPage {
  readonly inventory: Inventory;
  /** The style sheet as built, without a shop's colours. */
  readonly style: Buffer;
}

export interface CheckResult {
  readonly scripts: number;
  readonly styles: number;
  /** The differences, worded for people; empty if there are none. */
  readonly findings: readonly string[];
}

const theme =
  /^(:root\{(--[a-z-]+:#[0-9a-f]{6};?)+\}|@media \(prefers-color-scheme:dark\)\{:root\{(--[a-z-]+:#[0-9a-f]{6};?)+\}\})+$/;

/** Whether a page of this release has this policy: plain, with a bank's frame, or with the processor's fields. */
function isOurPolicy(policy: string): boolean {
  const frame = /frame-src 'self' (https?:\/\/[^\s;]+)/.exec(policy)?.[1];
  return [
    contentSecurityPolicy(),
    ...hostedFields.map(({ origins }) => contentSecurityPolicy({ fieldsFrom: origins })),
    ...(frame === undefined ? [] : [contentSecurityPolicy({ frame })]),
  ].includes(policy);
}

function checkHeaders({ headers }: ServedPage): string[] {
  const policy = headers.get('content-security-policy') ?? '';
  const wrong = Object.entries(pageHeaders())
    .filter(([name, value]) => name !== 'content-security-policy' && headers.get(name) !== value)
    .map(([name, value]) => `The header ${name} is "${headers.get(name) ?? ''}" instead of "${value}".`);
  return isOurPolicy(policy)
    ? wrong
    : [`The Content-Security-Policy is not that of this release: ${policy}`, ...wrong];
}

interface Link {
  readonly path: string;
  readonly integrity: string;
}

const scriptTag = /<script src="([^"]*)"(?: integrity="([^"]*)")? defer><\/script>/g;
const styleTag = /<link rel="stylesheet" href="([^"]*)" integrity="([^"]*)">/g;
const linksIn = (text: string, tag: RegExp): Link[] =>
  [...text.matchAll(tag)].map(([, path = '', integrity = '']) => ({ path, integrity }));

/** Matches everything that could run or load something, once the tags that this release writes are removed. */
const foreign: readonly (readonly [RegExp, string])[] = [
  [/<script/i, 'a script that is not in the inventory'],
  [/<link(?! rel="icon" href="\/checkout\/logo\/)/i, 'a linked file that is not in the inventory'],
  [/<style/i, 'styles inside the page'],
  [/<(iframe|frame|object|embed|applet|base|portal)\b/i, 'an element that loads something else'],
  [/<meta http-equiv="(?!refresh")/i, 'a header inside the page'],
  [/<[^>]*\s(on[a-z]+|style|srcdoc|formaction)\s*=/i, 'an attribute that runs or restyles something'],
  [/=\s*["']?\s*(javascript|data|vbscript):/i, 'an address that runs something'],
  [/<form(?![^>]* action="\/checkout\/pay\/)/i, 'a form that goes elsewhere'],
  [/<(img|source|video|audio)(?![^>]* src="\/checkout\/logo\/)/i, 'a picture or sound of somebody else'],
];

function checkText(text: string): string[] {
  const rest = text.replaceAll(scriptTag, '').replaceAll(styleTag, '');
  return foreign
    .filter(([pattern]) => pattern.test(rest))
    .map(([pattern, what]) => `The page holds ${what}: ${(pattern.exec(rest)?.[0] ?? '').slice(0, 80)}`);
}

type Fetch = (url: string) => Promise<Buffer>;

async function checkScript(
  link: Link,
  page: ServedPage,
  { scripts }: Inventory,
  fetch: Fetch,
): Promise<string[]> {
  const theirs = hostedFields.find(({ script: address }) => address === link.path);
  if (theirs !== undefined) {
    const policy = page.headers.get('content-security-policy') ?? '';
    const mayLoad = theirs.origins.every((origin) => policy.includes(origin));
    return mayLoad ? [] : [`The page loads ${link.path}, which its policy does not know.`];
  }
  const known = scripts.find(({ path }) => path === link.path);
  if (known === undefined) return [`The script ${link.path} is not in the inventory.`];
  const content = await fetch(new URL(link.path, page.url).href);
  return [
    ...(link.integrity === known.integrity ? [] : [`The page names another integrity for ${link.path}.`]),
    ...(integrityOf(content) === known.integrity
      ? []
      : [`The server sends another content for ${link.path}.`]),
  ];
}

const withoutColour = (path: string) => path.replace(/-[0-9a-f]{6}\.css$/, '.css');

async function checkStyle(
  link: Link,
  page: ServedPage,
  expected: ExpectedPage,
  fetch: Fetch,
): Promise<string[]> {
  const isKnown = ({ path }: InventoryEntry) => path === withoutColour(link.path);
  if (!expected.inventory.styles.some(isKnown)) {
    return [`The style sheet ${link.path} is not in the inventory.`];
  }
  const content = await fetch(new URL(link.path, page.url).href);
  const { style } = expected;
  const ours = content.subarray(0, style.length).equals(style);
  const colours = content.subarray(style.length).toString('utf8');
  return [
    ...(ours && theme.test(colours) ? [] : [`The server sends another content for ${link.path}.`]),
    ...(link.integrity === integrityOf(content)
      ? []
      : [`The page names another integrity for ${link.path}.`]),
  ];
}

/**
 * Compares a served checkout page with this release: its headers, every script and style sheet byte by byte, and that
 * nothing else in it can run or load anything (PCI DSS 4.0.1, 6.4.3 and 11.6.1).
 */
export async function checkPage(
  page: ServedPage,
  expected: ExpectedPage,
  fetch: Fetch,
): Promise<CheckResult> {
  const scripts = linksIn(page.text, scriptTag);
  const styles = linksIn(page.text, styleTag);
  const files = await Promise.all([
    ...scripts.map((link) => checkScript(link, page, expected.inventory, fetch)),
    ...styles.map((link) => checkStyle(link, page, expected, fetch)),
  ]);
  const missing = expected.inventory.scripts
    .filter(({ path }) => !scripts.some((link) => link.path === path))
    .map(({ path }) => `The page does not load ${path}.`);
  return {
    scripts: scripts.length,
    styles: styles.length,
    findings: [...checkHeaders(page), ...checkText(page.text), ...missing, ...files.flat()],
  };
}
