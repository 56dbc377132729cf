import type { Provider } from '@till/contract';

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
export interface Shop {
  readonly accountId: string;
  readonly processor: Provider;
  readonly secretKey: string;
}

/** What a client sees of the service, and how it spends the time until it tries again. */
export interface Service {
  /** Sends a request. Undefined where no complete answer came. */
  send(request: ApiRequest): Promise<Reply | undefined>;
  /** Opens an address as the buyer's browser does. @returns whether an answer came */
  visit(url: string): Promise<boolean>;
  /** The buyer agrees on the processor's page. @returns where the browser goes then; null where nothing waits */
  approve(redirectUrl: string): Promise<string | null>;
  /** No answer came. @param tries how many there were of this request */
  afterSilence(tries: number): Promise<void>;
  /** The service asked to try again later. @param tries how many there were of this request */
  later(tries: number): Promise<void>;
  /** Time passes, and what is due is done. */
  pass(ms: number): Promise<void>;
  /** Time passes while nothing works and no processor tells anything. */
  skip(ms: number): void;
}

const mostTries = 150;

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
  readonly next_action?: { readonly redirect_url?: string };
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
  reply !== undefined && reply.status < 500 && reply.status !== 429;

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
    const reply = await this.#untilAnswered(request, this.#keyOf(step));
    this.#keep(step, path, reply);
    return JSON.parse(reply.text) as Answered;
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

  pass(ms: number): Promise<void> {
    return this.#service.pass(ms);
  }

  skip(ms: number): void {
    this.#service.skip(ms);
  }

  #keyOf(step: string): string {
    return `${this.run}-${step}`;
  }

  async #untilAnswered(request: ApiRequest, what: string): Promise<Reply> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const reply = await this.#service.send(request);
      if (isFinal(reply)) return reply;
      if (reply === undefined) await this.#service.afterSilence(tries);
      else await this.#service.later(tries);
    }
    throw new Error(`${what} got no answer in ${mostTries} tries`);
  }

  #keep(step: string, path: string, reply: Reply): void {
    const key = this.#keyOf(step);
    const known = this.exchanged.get(key) ?? { key, path, replies: [] };
    known.replies.push(reply);
    this.exchanged.set(key, known);
  }
}
