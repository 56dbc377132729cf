import {
  type ConformanceHarness,
  describeConformance,
  losingTransport,
  type UpstreamBehaviour,
} from '../conformance.ts';
import { sampleCard, sampleCharge } from '../fixtures.ts';
import type { ChargeRequest } from '../port/port.ts';
import { describeHolds } from '../test-hold-conformance.ts';
import type { JsonObject } from '../wire/json.ts';
import { bodyOf, reply } from '../wire/test-transport.ts';
import { TransportError, type WireRequest, type WireResponse } from '../wire/transport.ts';
import { createProcessorB } from './adapter.ts';
import { connection } from './test-kit.ts';

interface Order {
  readonly id: string;
  readonly intent: 'CAPTURE' | 'AUTHORIZE';
  readonly unit: JsonObject;
  status: string;
  capture?: string;
  authorization?: string;
}

const refusal = (status: number, issue: string) => reply(status, { details: [{ issue }] });

/** A minimal upstream that stores idempotency keys; the names of card and shop select its behaviour. */
class ScriptedUpstream {
  private readonly answers = new Map<string, WireResponse | 'in flight'>();
  private readonly orders: Order[] = [];
  private readonly collected: unknown[] = [];

  readonly transport = async (request: WireRequest): Promise<WireResponse> => {
    if (request.url.endsWith('/oauth2/token')) return reply(200, { access_token: 'token', expires_in: 3600 });
    if (request.method === 'GET') return this.read(request.url);
    const key = request.headers['paypal-request-id'] ?? '';
    const known = this.answers.get(key);
    if (known !== undefined) {
      return known === 'in flight' ? refusal(409, 'PREVIOUS_REQUEST_IN_PROGRESS') : known;
    }
    this.answers.set(key, 'in flight');
    await new Promise((resolve) => setTimeout(resolve, 5));
    return this.carryOut(key, request);
  };

  executed(paymentId: string): number {
    return this.collected.filter((id) => id === paymentId).length;
  }

  approve(id: string | undefined): void {
    const order = this.orders.find((candidate) => candidate.id === id);
    if (order !== undefined) order.status = 'APPROVED';
  }

  private carryOut(key: string, request: WireRequest): WireResponse {
    const body = bodyOf(request);
    const source = body.payment_source ?? {};
    const behaviour = source.card?.name ?? source.paypal?.experience_context.brand_name;
    if (behaviour === 'answers_nonsense') return { status: 201, headers: {}, body: request.body };
    const answer = request.url.endsWith('/orders') ? this.create(body, behaviour) : this.change(request.url);
    // Refusals are not stored, so the key may be used again.
    if (answer.status < 400) this.answers.set(key, answer);
    else this.answers.delete(key);
    if (behaviour === 'drops_answer') throw new TransportError('dropped');
    return answer;
  }

  private create(
    body: JsonObject & { intent: Order['intent']; purchase_units: [JsonObject] },
    behaviour: string,
  ) {
    const order: Order = {
      id: `ORDER${this.orders.length}`,
      intent: body.intent,
      unit: body.purchase_units[0],
      status: 'PAYER_ACTION_REQUIRED',
    };
    this.orders.push(order);
    if (behaviour !== 'asks_buyer') this.complete(order, behaviour !== 'declines');
    return reply(201, this.show(order));
  }

  private complete(order: Order, approved: boolean): void {
    order.status = 'COMPLETED';
    if (order.intent === 'AUTHORIZE') order.authorization = 'CREATED';
    else this.collect(order, approved);
  }

  private collect(order: Order, approved = true): void {
    order.capture = approved ? 'COMPLETED' : 'DECLINED';
    if (approved) this.collected.push(order.unit.custom_id);
  }

  private read(url: string): WireResponse {
    const order = this.find(url);
    if (order === undefined) return refusal(404, 'INVALID_RESOURCE_ID');
    return reply(200, url.includes('/authorizations/') ? this.showAuthorization(order) : this.show(order));
  }

  private change(url: string): WireResponse {
    const order = this.find(url);
    if (order === undefined) return refusal(404, 'INVALID_RESOURCE_ID');
    return url.includes('/authorizations/') ? this.changeHold(order, url) : this.pay(order);
  }

  private pay(order: Order): WireResponse {
    if (order.status !== 'APPROVED') {
      return refusal(422, order.status === 'COMPLETED' ? 'ORDER_ALREADY_CAPTURED' : 'ORDER_NOT_APPROVED');
    }
    this.complete(order, true);
    return reply(201, this.show(order));
  }

  private changeHold(order: Order, url: string): WireResponse {
    const releases = url.endsWith('/void');
    if (order.authorization === 'CAPTURED') {
      return refusal(422, releases ? 'PREVIOUSLY_CAPTURED' : 'AUTHORIZATION_ALREADY_CAPTURED');
    }
    if (order.authorization === 'VOIDED') {
      return refusal(422, releases ? 'PREVIOUSLY_VOIDED' : 'AUTHORIZATION_VOIDED');
    }
    if (releases) {
      order.authorization = 'VOIDED';
      return reply(200, this.showAuthorization(order));
    }
    order.authorization = 'CAPTURED';
    this.collect(order);
    return reply(201, this.showCapture(order));
  }

  private find(url: string): Order | undefined {
    const id = /\/(?:orders\/|authorizations\/A)([^/]+)/.exec(url)?.[1];
    return this.orders.find((order) => order.id === id);
  }

  private show(order: Order): object {
    const payments = {
      ...(order.authorization === undefined ? {} : { authorizations: [this.showAuthorization(order)] }),
      ...(order.capture === undefined ? {} : { captures: [this.showCapture(order)] }),
    };
    return {
      id: order.id,
      status: order.status,
      purchase_units: [{ ...order.unit, payments }],
      links: [{ rel: 'payer-action', href: `https://www.paypal.example/${order.id}` }],
    };
  }

  private showCapture({ id, capture, unit }: Order): object {
    return { id: `C${id}`, status: capture, amount: unit.amount, custom_id: unit.custom_id };
  }

  private showAuthorization({ id, authorization, unit }: Order): object {
    return { id: `A${id}`, status: authorization, amount: unit.amount, custom_id: unit.custom_id };
  }
}

let payments = 0;

function harness(buyerInstrument: 'card' | 'wallet'): ConformanceHarness {
  const upstream = new ScriptedUpstream();
  const { transport, loseNextAnswer } = losingTransport(upstream.transport);
  const chargeThat = (behaviour: UpstreamBehaviour): ChargeRequest => {
    payments += 1;
    const paymentId = `pay_${String(payments).padStart(24, '0')}`;
    const usesWallet = behaviour === 'asks_buyer' && buyerInstrument === 'wallet';
    return sampleCharge({
      paymentId,
      upstreamKey: `${paymentId}:c`,
      merchantName: behaviour,
      instrument: usesWallet
        ? { kind: 'wallet' }
        : { kind: 'card', card: { ...sampleCard, holderName: behaviour } },
    });
  };
  return {
    port: createProcessorB({
      transport,
      delay: () => new Promise((resolve) => setTimeout(resolve, 10)),
      elapsed: () => 0,
      now: () => new Date('2026-11-20T12:00:00Z'),
    }),
    connection,
    chargeThat,
    executed: async (paymentId) => upstream.executed(paymentId),
    approve: async (_, { order = '' }) => {
      upstream.approve(order);
      return { token: order, PayerID: 'BUYER' };
    },
    loseNextAnswer,
  };
}

describeConformance('processor_b over a scripted upstream', async () => harness('card'));
describeConformance('processor_b with a wallet over a scripted upstream', async () => harness('wallet'));
describeHolds('processor_b over a scripted upstream', async () => harness('card'));
