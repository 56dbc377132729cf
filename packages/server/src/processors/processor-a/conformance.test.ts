import { type ConformanceHarness, describeConformance, type UpstreamBehaviour } from '../conformance.ts';
import { sampleCharge } from '../fixtures.ts';
import { TransportError, type WireRequest, type WireResponse } from '../transport.ts';
import { createProcessorA } from './adapter.ts';

const reply = (status: number, body: unknown, headers: Record<string, string> = {}): WireResponse => ({
  status,
  headers,
  body: Buffer.from(JSON.stringify(body)),
});

/** The least of an upstream that keeps its idempotency keys; the holder's name says how it behaves. */
function scriptedUpstream() {
  const answers = new Map<string, WireResponse | 'in flight'>();
  const charges: string[] = [];

  const settle = (
    body: { reference: string; amount: object },
    behaviour: UpstreamBehaviour,
  ): WireResponse => {
    const common = {
      pspReference: `PSP${answers.size}`,
      merchantReference: body.reference,
      amount: body.amount,
    };
    if (behaviour === 'declines') {
      return reply(200, { ...common, resultCode: 'Refused', refusalReasonCode: '2' });
    }
    charges.push(body.reference);
    return reply(200, { ...common, resultCode: 'Authorised' });
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
    const body = JSON.parse(request.body.toString());
    const behaviour: UpstreamBehaviour = body.paymentMethod.holderName;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (behaviour === 'answers_nonsense') {
      return { status: 200, headers: {}, body: request.body };
    }
    const answer = settle(body, behaviour);
    answers.set(key, answer);
    if (behaviour === 'drops_answer') {
      throw new TransportError('dropped');
    }
    return answer;
  };

  return { transport, executed: (reference: string) => charges.filter((each) => each === reference).length };
}

describeConformance('processor_a over a scripted upstream', async (): Promise<ConformanceHarness> => {
  const upstream = scriptedUpstream();
  const sample = sampleCharge();
  return {
    port: createProcessorA({
      transport: upstream.transport,
      delay: () => new Promise((resolve) => setTimeout(resolve, 10)),
      elapsed: () => 0,
    }),
    connection: {
      accountId: 'acct_1',
      livemode: false,
      baseUrl: 'https://checkout-test.example/v71',
      credentials: { apiKey: 'key', merchantAccount: 'TillTest' },
    },
    chargeThat: (behaviour) => sampleCharge({ card: { ...sample.card, holderName: behaviour } }),
    executed: async (paymentId) => upstream.executed(paymentId),
  };
});
