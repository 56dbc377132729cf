import { freshEmail, type Merchant, type Reply, type Target, target } from './merchant.ts';
import { commandJson } from './server.ts';

export interface StaffCallOptions {
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null sends no header. Default: the dashboard's own origin. */
  readonly origin?: string | null;
  /** Null sends no header. Default: the session's token. */
  readonly csrf?: string | null;
}

export const staffPassword = 'a long enough password';

/**
 * A browser that shows the dashboard. It keeps the session cookie and sends the same headers as the pages.
 */
export class Browser {
  readonly #place: Target;
  cookie: string | null = null;
  csrf: string | null = null;

  constructor(place: Target = target()) {
    this.#place = place;
  }

  /** Adds a member to the account and returns their browser, signed in. */
  static async of(merchant: Merchant, role: string, place: Target = target()): Promise<Browser> {
    const email = freshEmail();
    await addStaff(place, merchant.id, email, role);
    const browser = new Browser(place);
    const reply = await browser.signIn(email);
    if (reply.status !== 200) throw new Error(`sign-in: ${reply.text}`);
    return browser;
  }

  async signIn(email: string, password = staffPassword, code?: string): Promise<Reply> {
    return this.post('/session', { email, password, ...(code === undefined ? {} : { code }) });
  }

  /** @param path relative to `/dashboard/api` */
  async call(method: string, path: string, options: StaffCallOptions = {}): Promise<Reply> {
    const { origin = new URL(this.#place.baseUrl).origin, csrf = this.csrf } = options;
    const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const headers: Record<string, string> = {
      'sec-fetch-site': 'same-origin',
      ...(this.cookie === null ? {} : { cookie: this.cookie }),
      ...(method === 'GET' || origin === null ? {} : { origin }),
      ...(method === 'GET' || csrf === null ? {} : { 'x-csrf-token': csrf }),
      ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    };
    const response = await fetch(`${this.#place.baseUrl}/dashboard/api${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(payload === undefined ? {} : { body: payload }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const body = isJson && text !== '' ? JSON.parse(text) : undefined;
    this.#keep(response.headers.getSetCookie(), body);
    return { status: response.status, headers: response.headers, text, body };
  }

  /** Stores the cookie as a browser does, and the CSRF token as the page does. */
  #keep(cookies: readonly string[], body: { csrf_token?: string } | undefined): void {
    for (const cookie of cookies) {
      const [pair = ''] = cookie.split(';');
      this.cookie = /;\s*max-age=0/i.test(cookie) ? null : pair;
    }
    if (body?.csrf_token !== undefined) this.csrf = body.csrf_token;
  }

  get(path: string): Promise<Reply> {
    return this.call('GET', path);
  }

  post(path: string, body?: unknown, options: StaffCallOptions = {}): Promise<Reply> {
    return this.call('POST', path, { ...(body === undefined ? {} : { body }), ...options });
  }

  delete(path: string): Promise<Reply> {
    return this.call('DELETE', path);
  }
}

/** Makes a person a member of an account. */
export async function addStaff(
  place: Target,
  accountId: string,
  email: string,
  role: string,
  password = staffPassword,
): Promise<{ id: string }> {
  const parameters = ['--account', accountId, '--email', email, '--password', password, '--role', role];
  return commandJson(place.environment, ['users', 'create', ...parameters]);
}
