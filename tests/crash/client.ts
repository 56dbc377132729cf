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
  /** The target of a redirect. */
  readonly location?: string | undefined;
}

/** A merchant account with an API key and a webhook endpoint for all its events. */
export interface Shop extends Tenant {
  readonly processor: Provider;
  readonly secretKey: string;
  /** The headers that the browser of a member with all permissions sends to the dashboard. */
  readonly staff: Readonly<Record<string, string>>;
}

/** The service as a client sees it, and how time passes until the client retries. */
export interface Service {
  /** Sends a request. @returns undefined if there was no complete response */
  send(request: ApiRequest): Promise<Reply | undefined>;
  /** Opens a URL as the buyer's browser does. @returns whether there was a response */
  visit(url: string): Promise<boolean>;
  /** Approves as the buyer on the processor's page. @returns the URL to return to; null if no approval is pending */
  approve(redirectUrl: string): Promise<string | null>;
  /** Disputes a payment at the processor as the buyer's bank. */
  dispute(shop: Shop, paymentId: string): Promise<void>;
  /** Switches a shop's connection to a merchant account at its processor. Objects of another merchant account stay there. */
  connect(shop: Shop, merchant: MerchantName): Promise<void>;
  /** Waits after a request without a response. @param tries how often it was sent */
  afterSilence(tries: number): Promise<void>;
  /** Waits after the service asked for a retry. @param tries how often the request was sent */
  later(tries: number): Promise<void>;
  /** Lets time pass, and background work run. */
  pass(ms: number): Promise<void>;
  /** Lets time pass without background work and without notifications of processors. */
  skip(ms: number): void;
}

const maxTries = 150;

/** The final responses of the API to a client for one idempotency key, oldest first. */
export interface Exchanged {
  readonly key: string;
  readonly path: string;
  readonly replies: Reply[];
}

/** The fields of a payment that a client reads. */
export interface Answered {
  readonly id: string;
  readonly status: string;
  readonly customer: string | null;
  readonly payment_method_id: string | null;
  readonly next_action?: { readonly redirect_url?: string; readonly checkout_url?: string };
}

/** A POST request to the merchant API with an idempotency key. */
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
  // For `missing_approval_url` only a request with a new key gets a different response.
  ((reply.status < 500 && reply.status !== 429) || reply.text.includes('"missing_approval_url"'));

/**
 * A merchant's program that follows the guidance on retries: a request without a response, or with a 5xx, is sent again with the
 * same key until there is a final response.
 */
export class Client {
  readonly shop: Shop;
  /** The name of this run, which is part of references and keys. */
  readonly run: string;
  /** All requests with their responses, by key. */
  readonly exchanged = new Map<string, Exchanged>();
  readonly #service: Service;

  constructor(service: Service, shop: Shop, run: string) {
    this.#service = service;
    this.shop = shop;
    this.run = run;
  }

  /** @param step the name of the request within the run. The same step repeats the same request */
  async post(step: string, path: string, body: object = {}): Promise<Answered> {
    const request = apiPost(this.shop, path, this.#keyOf(step), body);
    return this.#answered(step, request);
  }

  /**
   * As `post`, but expects a refusal by the processor. If recovery runs before the retry, it finds nothing at the processor and
   * ends the payment as not processed, which is accepted too.
   * @throws Error for any other response
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

  /** As `post`, but as a member of the account in the dashboard. @param path the path below the account */
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

  /** Reads or deletes an object. A deletion may be repeated. */
  async ask<Body>(method: 'GET' | 'DELETE', path: string): Promise<Body> {
    const headers = { authorization: `Bearer ${this.shop.secretKey}` };
    return JSON.parse((await this.#untilAnswered({ method, path, headers }, path)).text) as Body;
  }

  /** Opens a page, or submits its form, as the buyer's browser. @returns the target of a redirect */
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

  /** Disputes a payment. @returns the dispute, once Till has recorded it */
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

  /** Waits before a retry. @param tries the number of attempts so far */
  later(tries: number): Promise<void> {
    return this.#service.later(tries);
  }

  /** Approves as the buyer on a page of the processor. @returns the URL to which the browser returns */
  approveAt(redirectUrl: string): Promise<string | null> {
    return this.#service.approve(redirectUrl);
  }

  /**
   * Sends a request only once. A refusal counts as no response.
   * @returns undefined if the request was not executed, as far as the client knows
   */
  async once(step: string, path: string, body: object = {}): Promise<Answered | undefined> {
    const reply = await this.#service.send(apiPost(this.shop, path, this.#keyOf(step), body));
    if (reply === undefined || reply.status >= 400) return undefined;
    this.#keep(step, path, reply);
    return JSON.parse(reply.text) as Answered;
  }

  /** Approves at the processor as the buyer, and returns. A page that does not load is loaded again. */
  async approve({ next_action: action }: Answered): Promise<void> {
    const returnUrl = action?.redirect_url && (await this.#service.approve(action.redirect_url));
    if (!returnUrl) return;
    for (let tries = 0; !(await this.#service.visit(returnUrl)); tries += 1) {
      await this.#service.afterSilence(tries);
    }
  }

  /** Switches the shop's connection to a merchant account at its processor. */
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
