/** A page as a browser without JavaScript loads it. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};
const plain = (html: string) =>
  html.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? '');

type Fields = Readonly<Record<string, string>>;

async function load(
  url: string,
  { form, headers = {} }: { form?: Fields; headers?: Fields } = {},
): Promise<Page> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers,
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
  });
  return { url, status: response.status, headers: response.headers, text: await response.text() };
}

/** Loads a URL without following redirects. Keeps no cookies, as some browsers do. */
export const visit = (url: string, headers: Fields = {}): Promise<Page> => load(url, { headers });

/** Submits the first form of the page with these values. */
export function submit(page: Page, form: Fields, headers: Fields = {}): Promise<Page> {
  const action = /<form method="post" action="([^"]*)"/.exec(page.text)?.[1];
  if (action === undefined) throw new Error(`no form on ${page.url}: ${page.text}`);
  return load(new URL(plain(action), page.url).href, { form, headers });
}

/** The URL that the browser goes to by itself, because of a redirect or a `Refresh` header; undefined if it stays. */
export function onwards({ url, status, headers }: Page): string | undefined {
  const location = status >= 300 && status < 400 ? headers.get('location') : null;
  const refresh = /^0; url=(.*)$/.exec(headers.get('refresh') ?? '')?.[1];
  const target = location ?? refresh;
  return target === undefined ? undefined : new URL(target, url).href;
}

/** Follows redirects as long as they stay on this server. @returns the last page of this server */
export async function follow(page: Page): Promise<Page> {
  const next = onwards(page);
  if (next === undefined || new URL(next).origin !== new URL(page.url).origin) return page;
  return follow(await load(next));
}

/** The URL of the link with this text. */
export function linkOf(page: Page, text: string): string {
  const links = [...page.text.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs)];
  const link = links.find(([, , label = '']) => textIn(label) === text);
  if (link?.[1] === undefined) throw new Error(`no link ${text} on ${page.url}: ${page.text}`);
  return new URL(plain(link[1]), page.url).href;
}

/** The attributes of the input with this name. An attribute without a value is ''. */
export function inputOf(page: Page, name: string): Record<string, string> {
  const tags = [...page.text.matchAll(/<input ([^>]*)>/g)].map(([, text = '']) =>
    Object.fromEntries(
      [...text.matchAll(/([a-z0-9-]+)(?:="([^"]*)")?/g)].map(([, key = '', value = '']) => [
        key,
        plain(value),
      ]),
    ),
  );
  const found = tags.find((attributes) => attributes.name === name);
  if (found === undefined) throw new Error(`no input ${name} on ${page.url}`);
  return found;
}

/** The text of the element with this id, without tags. */
export function textOf(page: Page, id: string): string {
  const inner = new RegExp(` id="${id}"[^>]*>([^<]*)<`).exec(page.text)?.[1];
  if (inner === undefined) throw new Error(`nothing called ${id} on ${page.url}`);
  return plain(inner);
}

/** HTML without its tags. */
const textIn = (html: string): string => plain(html.replaceAll(/<[^>]*>/g, '')).trim();

/** The text that a reader sees: that of the page's main part. */
export const shown = (page: Page): string =>
  textIn(/<main>(.*)<\/main>/s.exec(page.text)?.[1] ?? page.text).replaceAll(/\s+/g, ' ');
