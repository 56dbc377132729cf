import { sampleCharge } from '../fixtures.ts';
import type { ProcessorConnection } from '../port/port.ts';
import type { RefundRequest } from '../port/refunds.ts';
import type { UpstreamObservation } from '../upstream/observation.ts';
import { reply, type Step, scriptedTransport } from '../wire/test-transport.ts';
import { createProcessorB } from './adapter.ts';

/** A connection with all of its credentials. */
export const connection: ProcessorConnection = {
  accountId: 'acct_1',
  livemode: false,
  baseUrl: 'https://api-m.example',
  disputesUrl: 'https://api-m.example',
  credentials: { clientId: 'client', clientSecret: 'secret', merchantId: 'MERCHANT12345' },
};

const token = reply(200, { access_token: 'token', token_type: 'Bearer', expires_in: 32_400 });

/**
 * Runs one operation of the adapter against an upstream that plays the steps in order and repeats the last one. Token
 * requests are answered separately and are not recorded.
 */
export async function run<Outcome>(
  steps: readonly Step[],
  operation: (port: ReturnType<typeof createProcessorB>) => Promise<Outcome>,
) {
  const { transport, sent } = scriptedTransport(steps);
  const observed: UpstreamObservation[] = [];
  const port = createProcessorB({
    transport: async (request) => (request.url.endsWith('/oauth2/token') ? token : transport(request)),
    delay: async () => {},
    elapsed: () => sent.length * 10,
    now: () => new Date('2026-11-20T12:00:00Z'),
    observe: (observation) => observed.push(observation),
  });
  const outcome = await operation(port);
  return {
    outcome,
    sent,
    observed,
    keys: sent.map((request) => request.headers['paypal-request-id']),
    calls: sent.map(({ method, url }) => `${method} ${url.slice(connection.baseUrl.length)}`),
  };
}

/** Id of every order in these fixtures. */
export const orderId = '5O190127TN364715T';
const { paymentId } = sampleCharge();
const amount = { currency_code: 'EUR', value: '49.99' };

/** A refund of a part of the payment that `sampleCharge` starts. */
export const sampleRefund = (changes: Partial<RefundRequest> = {}): RefundRequest => ({
  refundId: 're_0mfy2k9a7c3e5g1h8j4m6p2q',
  paymentId,
  upstreamKey: 're_0mfy2k9a7c3e5g1h8j4m6p2q',
  upstream: { order: orderId, capture: '3C679366HH908993F' },
  amount: 1000,
  currency: 'EUR',
  reason: null,
  note: null,
  ...changes,
});

/** A capture of the payment that `sampleCharge` starts. */
export const captureBody = (changes: object = {}) => ({
  id: '3C679366HH908993F',
  status: 'COMPLETED',
  amount,
  custom_id: paymentId,
  ...changes,
});

/** An authorization of the payment that `sampleCharge` starts. */
export const authorizationBody = (changes: object = {}) => ({
  id: '0AW2184448108334S',
  status: 'CREATED',
  amount,
  custom_id: paymentId,
  create_time: '2026-11-20T12:00:00Z',
  expiration_time: '2026-12-19T12:00:00Z',
  ...changes,
});

/** An order of that payment, with the given captures or authorizations. */
export const orderBody = (status: string, payments: object = {}, changes: object = {}) => ({
  id: orderId,
  status,
  purchase_units: [{ reference_id: paymentId, custom_id: paymentId, amount, payments }],
  ...changes,
});

/** A completed order with one capture. */
export const captured = (changes: object = {}) =>
  orderBody('COMPLETED', { captures: [captureBody(changes)] });
/** A completed order with one authorization. */
export const authorized = (changes: object = {}) =>
  orderBody('COMPLETED', { authorizations: [authorizationBody(changes)] });

/** A link of an order. */
export const link = (rel: string, href = `https://www.paypal.example/${rel}?token=${orderId}`) => ({
  rel,
  href,
  method: 'GET',
});

/** A card in an order response, with the three members of a 3-D Secure result. */
export const cardResult = (enrollment?: string, authentication?: string, liabilityShift?: string) => ({
  payment_source: {
    card: {
      brand: 'VISA',
      last_digits: '1111',
      expiry: '2030-03',
      authentication_result: {
        liability_shift: liabilityShift,
        three_d_secure: { enrollment_status: enrollment, authentication_status: authentication },
      },
    },
  },
});

/** A saved card or wallet in an order response. */
export const vaulted = (source: 'card' | 'paypal', changes: object = {}) => ({
  payment_source: {
    [source]: {
      attributes: {
        vault: { id: '8kk845', status: 'VAULTED', customer: { id: '1234567890' }, ...changes },
      },
    },
  },
});

/** A dispute about the payment that `sampleCharge` starts; it waits for the merchant. */
export const disputeBody = (changes: object = {}) => ({
  dispute_id: 'PP-R-NMW-10060356',
  create_time: '2026-11-20T12:00:00.000Z',
  disputed_transactions: [{ seller_transaction_id: '3C679366HH908993F', custom: paymentId }],
  reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
  status: 'WAITING_FOR_SELLER_RESPONSE',
  dispute_amount: amount,
  external_reason_code: '13.1',
  dispute_life_cycle_stage: 'CHARGEBACK',
  seller_response_due_date: '2026-12-01T00:00:00.000Z',
  ...changes,
});

/** The upstream's response for an id that it does not know. */
export const missing = reply(404, {
  name: 'RESOURCE_NOT_FOUND',
  message: 'The specified resource does not exist.',
  debug_id: 'd1',
  details: [{ issue: 'INVALID_RESOURCE_ID', description: 'Specified resource ID does not exist.' }],
});
/** An intermediary's response for a URL that it does not know. */
export const foreignPage = reply(404, '<html>Not Found</html>');

/** An error body with one issue. */
export const fault = (status: number, issue: string, field?: string, changes: object = {}) =>
  reply(status, {
    name: 'UNPROCESSABLE_ENTITY',
    message: 'Card 4111111111111111 is bad',
    debug_id: 'd1',
    details: [{ issue, field, value: '4111111111111111', description: 'Card 4111111111111111 is bad' }],
    ...changes,
  });
