import type { Provider } from '@till/contract';
import type { Tenant } from '../../packages/server/src/store/tenant.ts';
import type { MerchantName } from './merchants.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** Where a redirect leads. */
  readonly location?: string | undefined;
}

/** A merchant account with a key and an endpoint that gets all of its events. */
export interface Shop extends Tenant {
  readonly processor: Provider;
  readonly secretKey: string;
  /** What the browser of a member who may do everything sends to the dashboard. */
  readonly staff: Readonly<Record<string, string>>;
}

/** What a client sees of the service, and how it spends the time until it tries again. */
export interface Service {
  /** Sends a request. Undefined where no complete answer came. */
  send(request: ApiRequest): Promise<Reply | undefined>;
  /** Opens an address as the buyer's browser does. @returns whether an answer came */
  visit(url: string): Promise<boolean>;
  /** The buyer agrees on the processor's page. @returns where the browser goes then; null where nothing waits */
  approve(redirectUrl: string): Promise<string | null>;
  /** The buyer's bank disputes a payment at the processor. */
  dispute(shop: Shop, paymentId: string): Promise<void>;
  /** Leads a shop's connection to a merchant account at its processor; what it made with another one stays there. */
  connect(shop: Shop, merchant: MerchantName): Promise<void>;
  /** No answer came. @param tries how many there were of this request */
  afterSilence(tries: number): Promise<void>;
  /** The service asked to try again later. @param tries how many there were of this request */
  later(tries: number): Promise<void>;
  /** Time passes, and what is due is done. */
  pass(ms: number): Promise<void>;
  /** Time passes while nothing works and no processor sends anything. */
  skip(ms: number): void;
}

const maxTries = 150;

/** What the API answered a client under one idempotency key, oldest first. Only what ends the request is kept. */
export interface Exchanged {
  readonly key: string;
  readonly path: string;
  readonly replies: Reply[];
}

/** What a client reads of a payment. */
export interface Answered {
  readonly id: string;
  readonly status: string;
  readonly customer: string | null;
  readonly payment_method_id: string | null;
  readonly next_action?: { readonly redirect_url?: string; readonly checkout_url?: string };
}

/** A request of the merchant API under an idempotency key. */
export const apiPost = (
  { secretKey }: Pick<Shop, 'secretKey'>,
  path: string,
  idempotencyKey: string,
  body: object,
): ApiRequest => ({
  method: 'POST',
  path,
  headers: {
    authorization: `Bearer ${secretKey}`,
    'idempotency-key': idempotencyKey,
    'content-type': 'application/json',
  },
  body: JSON.stringify(body),
});

const isFinal = (reply: Reply | undefined): reply is Reply =>
  reply !== undefined &&
  // Only a new key brings another answer than this one.
  ((reply.status < 500 && reply.status !== 429) || reply.text.includes('"missing_approval_url"'));

/**
 * A merchant's program that keeps to the retry guidance: what got no answer, or 5xx, is sent again under the same key
 * until there is an answer.
 */
export class Client {
  readonly shop: Shop;
  /** Names this run in references and keys. */
  readonly run: string;
  /** All that was asked, by key. */
  readonly exchanged = new Map<string, Exchanged>();
  readonly #service: Service;

  constructor(service: Service, shop: Shop, run: string) {
    this.#service = service;
    this.shop = shop;
    this.run = run;
  }

  /** @param step names the request within the run: the same step is the same request */
  async post(step: string, path: string, body: object = {}): Promise<Answered> {
    const request = apiPost(this.shop, path, this.#keyOf(step), body);
    return this.#answered(step, request);
  }

  /**
   * As `post`, where the processor's refusal is what is expected. A recovery that comes before the repetition finds nothing
   * at the processor, and ends the payment as not processed.
   * @throws Error where there is neither
   */
  async refused(step: string, path: string, body: object): Promise<void> {
    const request = apiPost(this.shop, path, this.#keyOf(step), body);
    const reply = await this.#untilAnswered(request, this.#keyOf(step));
    if (reply.status >= 400) return;
    const { failure } = JSON.parse(reply.text) as { failure?: { code: string } | null };
    if (failure?.code !== 'not_processed') {
      throw new Error(`${this.#keyOf(step)} was not refused: ${reply.text}`);
    }
    this.#keep(step, path, reply);
  }

  /** As `post`, by a member of the account in the dashboard. @param path below the account */
  async asStaff(step: string, path: string, body: object): Promise<Answered> {
    return this.#answered(step, {
      method: 'POST',
      path: `/dashboard/api/accounts/${this.shop.accountId}${path}`,
      headers: {
        ...this.shop.staff,
        'idempotency-key': this.#keyOf(step),
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  }

  /** Reads, or deletes what may be gone already. */
  async ask<Body>(method: 'GET' | 'DELETE', path: string): Promise<Body> {
    const headers = { authorization: `Bearer ${this.shop.secretKey}` };
    return JSON.parse((await this.#untilAnswered({ method, path, headers }, path)).text) as Body;
  }

  /** The buyer's browser opens a page or sends its form. @returns where it is sent on to */
  async browse(url: string, form?: Readonly<Record<string, string>>): Promise<string | undefined> {
    const { pathname, search } = new URL(url);
    const request: ApiRequest = {
      method: form === undefined ? 'GET' : 'POST',
      path: `${pathname}${search}`,
      headers: form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' },
      ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
    };
    const reply = await this.#service.send(request);
    if (reply === undefined) await this.#service.afterSilence(0);
    return reply?.location;
  }

  /** The buyer disputes a payment. @returns the dispute, once it is recorded here */
  async dispute({ id }: Answered): Promise<Answered> {
    const path = `/api/v1/disputes?payment=${id}`;
    const known = async () => (await this.ask<{ data: Answered[] }>('GET', path)).data[0];
    const before = await known();
    if (before !== undefined) return before;
    await this.#service.dispute(this.shop, id);
    for (let tries = 0; tries < maxTries; tries += 1) {
      await this.#service.later(tries);
      const opened = await known();
      if (opened !== undefined) return opened;
    }
    throw new Error(`${id}: the dispute was not recorded`);
  }

  /** Waits before something is tried again. @param tries how often it was tried */
  later(tries: number): Promise<void> {
    return this.#service.later(tries);
  }

  /** The buyer agrees on a page of the processor. @returns where the browser goes then */
  approveAt(redirectUrl: string): Promise<string | null> {
    return this.#service.approve(redirectUrl);
  }

  /**
   * Sends a request once, whatever comes of it; a refusal counts as no answer.
   * @returns undefined where it was not carried out, as far as the client knows
   */
  async once(step: string, path: string, body: object = {}): Promise<Answered | undefined> {
    const reply = await this.#service.send(apiPost(this.shop, path, this.#keyOf(step), body));
    if (reply === undefined || reply.status >= 400) return undefined;
    this.#keep(step, path, reply);
    return JSON.parse(reply.text) as Answered;
  }

  /** The buyer agrees at the processor and comes back; a page that does not load is loaded again. */
  async approve({ next_action: action }: Answered): Promise<void> {
    const returnUrl = action?.redirect_url && (await this.#service.approve(action.redirect_url));
    if (!returnUrl) return;
    for (let tries = 0; !(await this.#service.visit(returnUrl)); tries += 1) {
      await this.#service.afterSilence(tries);
    }
  }

  /** Leads the shop's connection to a merchant account at its processor. */
  connect(merchant: MerchantName): Promise<void> {
    return this.#service.connect(this.shop, merchant);
  }

  pass(ms: number): Promise<void> {
    return this.#service.pass(ms);
  }

  skip(ms: number): void {
    this.#service.skip(ms);
  }

  #keyOf(step: string): string {
    return `${this.run}-${step}`;
  }

  async #answered(step: string, request: ApiRequest): Promise<Answered> {
    const reply = await this.#untilAnswered(request, this.#keyOf(step));
    this.#keep(step, request.path, reply);
    return JSON.parse(reply.text) as Answered;
  }

  async #untilAnswered(request: ApiRequest, what: string): Promise<Reply> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const reply = await this.#service.send(request);
      if (isFinal(reply)) return reply;
      if (reply === undefined) await this.#service.afterSilence(tries);
      else await this.#service.later(tries);
    }
    throw new Error(`${what} got no answer in ${maxTries} tries`);
  }

  #keep(step: string, path: string, reply: Reply): void {
    const key = this.#keyOf(step);
    const known = this.exchanged.get(key) ?? { key, path, replies: [] };
    known.replies.push(reply);
    this.exchanged.set(key, known);
  }
}
