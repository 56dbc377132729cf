import { target } from '../../support/merchant.ts';
import { onwards, type Page } from '../checkout/browser.ts';

type Fields = Readonly<Record<string, string>>;

const entity: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
};
const plain = (html: string) => html.replaceAll(/&(?:quot|#39|amp|lt|gt);/g, (found) => entity[found] ?? '');

/** A browser without JavaScript. It keeps cookies and follows redirects, but never to another server. */
export class Buyer {
  #cookie = '';
  readonly #language: string;

  constructor(language = 'en') {
    this.#language = language;
  }

  async #load(url: string, form?: Fields): Promise<Page> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: {
        'accept-language': this.#language,
        ...(this.#cookie === '' ? {} : { cookie: this.#cookie }),
      },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    const set = response.headers.get('set-cookie');
    if (set !== null) this.#cookie = set.split(';', 1)[0] ?? '';
    return { url, status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Follows immediate redirects. */
  async #follow(page: Page): Promise<Page> {
    const next = onwards(page);
    if (next === undefined || new URL(next).origin !== new URL(page.url).origin) return page;
    return this.#follow(await this.#load(next));
  }

  async open(url: string): Promise<Page> {
    return this.#follow(await this.#load(url));
  }

  /** Submits the first form of a page, including its hidden fields. */
  async send(page: Page, fields: Fields = {}): Promise<Page> {
    const [form = ''] = /<form method="post"[\s\S]*?<\/form>/.exec(page.text) ?? [];
    const action = /action="([^"]*)"/.exec(form)?.[1];
    if (action === undefined) throw new Error(`no form on ${page.url}: ${page.text}`);
    const hidden = Object.fromEntries(
      [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
        ([, name = '', value = '']) => [name, plain(value)],
      ),
    );
    return this.#follow(await this.#load(new URL(plain(action), page.url).href, { ...hidden, ...fields }));
  }
}

/** The URL of a link's page on the server under test. */
export const addressOf = (url: string): string => new URL(new URL(url).pathname, target().baseUrl).href;
