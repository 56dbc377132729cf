import {
  type ConformanceHarness,
  describeConformance,
  describeRefunds,
  losingTransport,
  type UpstreamBehaviour,
} from '../conformance.ts';
import { sampleCard, sampleCharge } from '../fixtures.ts';
import { reply } from '../wire/test-transport.ts';
import { TransportError, type WireRequest, type WireResponse } from '../wire/transport.ts';
import { createProcessorA } from './adapter.ts';

interface Payment {
  readonly pspReference: string;
  readonly merchantReference: string;
  readonly amount: object;
}

/** A minimal upstream that stores idempotency keys; the card holder's name selects its behaviour. */
function scriptedUpstream() {
  const answers = new Map<string, WireResponse | 'in flight'>();
  const waiting = new Map<string, Payment>();
  const charges: string[] = [];
  const refunded = new Set<string>();

  const settle = (payment: Payment, behaviour: UpstreamBehaviour): WireResponse => {
    if (behaviour === 'declines') {
      return reply(200, { ...payment, resultCode: 'Refused', refusalReasonCode: '2' });
    }
    if (behaviour === 'asks_buyer') {
      const redirectResult = `r-${payment.merchantReference}`;
      waiting.set(redirectResult, payment);
      const url = `https://checkout-test.example/redirect?${redirectResult}`;
      return reply(200, { resultCode: 'RedirectShopper', action: { type: 'redirect', method: 'GET', url } });
    }
    charges.push(payment.merchantReference);
    return reply(200, { ...payment, resultCode: 'Authorised' });
  };

  const answer = (request: WireRequest, behaviour: UpstreamBehaviour): WireResponse => {
    const body = JSON.parse(request.body.toString());
    if (request.url.endsWith('/payments')) {
      const { reference: merchantReference, amount } = body;
      return settle({ pspReference: `PSP${answers.size}`, merchantReference, amount }, behaviour);
    }
    if (request.url.endsWith('/payments/details')) {
      const payment = waiting.get(body.details.redirectResult);
      return payment === undefined
        ? reply(422, { status: 422, errorCode: '14_018' })
        : settle(payment, 'approves');
    }
    return request.url.endsWith('/refunds')
      ? refund(request.url, body.amount)
      : reply(201, { status: 'received' });
  };

  const refund = (url: string, amount: object): WireResponse => {
    if (refunded.has(url)) return reply(422, { status: 422, errorCode: '137' });
    refunded.add(url);
    return reply(201, { status: 'received', pspReference: `PSP${answers.size}`, amount });
  };

  const transport = async (request: WireRequest): Promise<WireResponse> => {
    const key = request.headers['idempotency-key'] ?? '';
    const known = answers.get(key);
    if (known !== undefined) {
      return known === 'in flight'
        ? reply(422, { status: 422, errorCode: '704' }, { 'transient-error': 'true' })
        : known;
    }
    answers.set(key, 'in flight');
    const behaviour = JSON.parse(request.body.toString()).paymentMethod?.holderName;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (behaviour === 'answers_nonsense') return { status: 200, headers: {}, body: request.body };
    const response = answer(request, behaviour);
    answers.set(key, response);
    if (behaviour === 'drops_answer') throw new TransportError('dropped');
    return response;
  };

  return { transport, executed: (reference: string) => charges.filter((each) => each === reference).length };
}

async function harness(): Promise<ConformanceHarness> {
  const upstream = scriptedUpstream();
  const { transport, loseNextAnswer } = losingTransport(upstream.transport);
  return {
    port: createProcessorA({
      transport,
      delay: () => new Promise((resolve) => setTimeout(resolve, 10)),
      elapsed: () => 0,
    }),
    connection: {
      accountId: 'acct_1',
      livemode: false,
      baseUrl: 'https://checkout-test.example/v71',
      disputesUrl: 'https://ca-test.example/v30',
      credentials: { apiKey: 'key', merchantAccount: 'TillTest' },
    },
    chargeThat: (behaviour) =>
      sampleCharge({ instrument: { kind: 'card', card: { ...sampleCard, holderName: behaviour } } }),
    executed: async (paymentId) => upstream.executed(paymentId),
    approve: async ({ paymentId }) => ({ redirectResult: `r-${paymentId}` }),
    loseNextAnswer,
  };
}

describeConformance('processor_a over a scripted upstream', harness);
describeRefunds('processor_a over a scripted upstream', harness);
