import type { StoredInstrument } from '../port/instruments.ts';
import type { ProcessorConnection, ProcessorPort } from '../port/port.ts';
import type { UpstreamObservation } from '../upstream/observation.ts';
import { reply, type Step, scriptedTransport } from '../wire/test-transport.ts';
import type { WireResponse } from '../wire/transport.ts';
import { createProcessorA } from './adapter.ts';

export const connection: ProcessorConnection = {
  accountId: 'acct_1',
  livemode: false,
  baseUrl: 'https://checkout-test.example/v71',
  disputesUrl: 'https://ca-test.example/v30',
  credentials: { apiKey: 'key', merchantAccount: 'TillTest' },
};

/** A refusal by the upstream, with a text that must not be passed on anywhere. */
export const fault = (
  status: number,
  errorCode: string,
  headers: Record<string, string> = {},
): WireResponse =>
  reply(status, { status, errorCode, message: 'Card 4111111111111111 is bad', pspReference: 'P1' }, headers);

export const approved = reply(200, { resultCode: 'Authorised', pspReference: 'P2' });
export const inFlight = fault(422, '704', { 'transient-error': 'true' });

/** Runs one operation against a transport that plays the steps in order and repeats the last one. */
export async function run<Outcome>(
  steps: readonly Step[],
  operation: (port: ProcessorPort) => Promise<Outcome>,
) {
  const { transport, sent } = scriptedTransport(steps);
  const delays: number[] = [];
  const observed: UpstreamObservation[] = [];
  const port = createProcessorA({
    transport,
    delay: async (ms) => {
      delays.push(ms);
    },
    elapsed: () => sent.length * 10,
    observe: (observation) => observed.push(observation),
  });
  const outcome = await operation(port);
  return { outcome, sent, delays, observed, keys: sent.map((request) => request.headers['idempotency-key']) };
}

export const buyer = {
  id: 'cus_0mfy2k9a7c3e5g1h8j4m6p2q',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  phone: '+442079460958',
  locale: 'en-GB',
  dateOfBirth: '1815-12-10',
};

export function storedCard(changes: Partial<StoredInstrument> = {}): StoredInstrument {
  return {
    kind: 'stored',
    method: 'card',
    token: 'M5N7TQ4TG5PFWR50',
    upstreamCustomer: null,
    model: 'subscription',
    initiator: 'merchant',
    networkTransactionReference: 'MCC123456789012',
    ...changes,
  };
}
