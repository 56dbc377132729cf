/** A page as a browser without JavaScript has it before it. */
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

/** Opens an address and goes no further by itself. Keeps no cookies, as some browsers do. */
export const visit = (url: string, headers: Fields = {}): Promise<Page> => load(url, { headers });

/** Sends the page's first form, filled in like this. */
export function submit(page: Page, form: Fields, headers: Fields = {}): Promise<Page> {
  const action = /<form method="post" action="([^"]*)"/.exec(page.text)?.[1];
  if (action === undefined) throw new Error(`no form on ${page.url}: ${page.text}`);
  return load(new URL(plain(action), page.url).href, { form, headers });
}

/** Where the browser goes on by itself, by a redirect or a `Refresh` header; undefined where it stays. */
export function onwards({ url, status, headers }: Page): string | undefined {
  const location = status >= 300 && status < 400 ? headers.get('location') : null;
  const refresh = /^0; url=(.*)$/.exec(headers.get('refresh') ?? '')?.[1];
  const target = location ?? refresh;
  return target === undefined ? undefined : new URL(target, url).href;
}

/** Goes on by itself as long as the way stays on this server. @returns the last page of this server */
export async function follow(page: Page): Promise<Page> {
  const next = onwards(page);
  if (next === undefined || new URL(next).origin !== new URL(page.url).origin) return page;
  return follow(await load(next));
}

/** The address of the link with that text. */
export function linkOf(page: Page, text: string): string {
  const links = [...page.text.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs)];
  const link = links.find(([, , label = '']) => textIn(label) === text);
  if (link?.[1] === undefined) throw new Error(`no link ${text} on ${page.url}: ${page.text}`);
  return new URL(plain(link[1]), page.url).href;
}

/** The attributes of the input of that name; those without a value are ''. */
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

/** What stands in the element of that id, without its tags. */
export function textOf(page: Page, id: string): string {
  const inner = new RegExp(` id="${id}"[^>]*>([^<]*)<`).exec(page.text)?.[1];
  if (inner === undefined) throw new Error(`nothing called ${id} on ${page.url}`);
  return plain(inner);
}

/** HTML without its tags. */
const textIn = (html: string): string => plain(html.replaceAll(/<[^>]*>/g, '')).trim();

/** What a reader has before them: the text of the page's main part. */
export const shown = (page: Page): string =>
  textIn(/<main>(.*)<\/main>/s.exec(page.text)?.[1] ?? page.text).replaceAll(/\s+/g, ' ');
