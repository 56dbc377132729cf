import { failureCodes } from '@till/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleCancel, sampleConfirm, sampleLookUp } from './fixtures.ts';
import type {
  ChargeOutcome,
  ChargeRequest,
  ConfirmRequest,
  ProcessorConnection,
  ProcessorPort,
  ReturnParameters,
  UpstreamIds,
} from './port/port.ts';
import type { RefundRequest } from './port/refunds.ts';
import { type Transport, TransportError } from './wire/transport.ts';

/** How the test's upstream handles a charge. */
export type UpstreamBehaviour =
  | 'approves'
  | 'declines'
  /** Waits for the buyer; `approve` acts in the buyer's place. */
  | 'asks_buyer'
  /** Executes the charge and loses the first response; a repeat under the same key gets it. */
  | 'drops_answer'
  /** Responds with something that does not follow the protocol. */
  | 'answers_nonsense';

/** An adapter and the upstream behind it, created anew for every test. */
export interface ConformanceHarness {
  readonly port: ProcessorPort;
  readonly connection: ProcessorConnection;
  /** A charge of a new payment that the upstream handles with this behaviour. */
  chargeThat(behaviour: UpstreamBehaviour): ChargeRequest;
  /** How often the upstream has charged the payment. */
  executed(paymentId: string): Promise<number>;
  /** Approves the payment as the buyer. Resolves with what the browser brings back. */
  approve(request: ChargeRequest, upstream: UpstreamIds): Promise<ReturnParameters>;
  /** Makes the upstream execute the next request that changes something, and lose its response. */
  loseNextAnswer(): void;
  close?(): Promise<void>;
}

/** A transport that loses the response to the next request that changes something, when the test asks for it. */
export function losingTransport(transport: Transport): { transport: Transport; loseNextAnswer: () => void } {
  let losing = false;
  return {
    async transport(request) {
      const answer = await transport(request);
      const changes = request.method !== 'GET' && !request.url.endsWith('/oauth2/token');
      if (losing && changes) {
        losing = false;
        throw new TransportError('timeout');
      }
      return answer;
    },
    loseNextAnswer: () => {
      losing = true;
    },
  };
}

/** The contract of `ProcessorPort` as tests, for every adapter and every upstream that it can have. */
export function describeConformance(name: string, makeHarness: () => Promise<ConformanceHarness>): void {
  describe(`${name} implements the processor port`, () => {
    let harness: ConformanceHarness;
    const current = () => harness;

    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(async () => {
      await harness.close?.();
    });

    describeCharges(current);
    describeConfirmations(current);
    describeRecovery(current);
  });
}

/** The contract of refunds in `ProcessorPort` as tests, for every adapter whose upstream supports refunds. */
export function describeRefunds(name: string, makeHarness: () => Promise<ConformanceHarness>): void {
  describe(`${name} refunds payments`, () => {
    let harness: ConformanceHarness;

    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(async () => {
      await harness.close?.();
    });
    const refund = (request: RefundRequest) => harness.port.refund(harness.connection, request);
    const refundable = async (): Promise<RefundRequest> => {
      const request = harness.chargeThat('approves');
      const upstream = idsOf(await harness.port.charge(harness.connection, request));
      const { paymentId, amount, currency } = request;
      const refundId = 're_0mfy2k9a7c3e5g1h8j4m6p2q';
      const same = { refundId, upstreamKey: refundId, reason: null, note: null };
      return { ...same, paymentId, upstream, amount, currency };
    };

    it('a refund is idempotent under its key', async () => {
      const request = await refundable();
      const first = await refund(request);
      expect(['pending', 'succeeded']).toContain(first.kind);
      expect(await refund(request)).toEqual(first);
    });

    it('a refund whose answer is lost is unknown, and found under the same key', async () => {
      const request = await refundable();
      harness.loseNextAnswer();
      expect(await refund(request)).toMatchObject({ kind: 'unknown', answer: 'provider_unavailable' });
      expect(['pending', 'succeeded']).toContain((await refund(request)).kind);
    });

    it('refuses a refund above the captured amount', async () => {
      const request = await refundable();
      await refund(request);
      const another = {
        ...request,
        refundId: `${request.refundId}x`,
        upstreamKey: `${request.upstreamKey}x`,
      };
      expect((await refund(another)).kind).toBe('failed');
    });
  });
}

/** Returns the harness of the running test. */
export type Current = () => ConformanceHarness;

/** Charges through the running test's adapter. */
export const chargeOf = (current: Current) => (request: ChargeRequest) =>
  current().port.charge(current().connection, request);

/** The upstream ids of an outcome, which must have facts. */
export function idsOf(outcome: ChargeOutcome): UpstreamIds {
  expect(outcome).toHaveProperty('facts.upstream');
  return 'facts' in outcome ? outcome.facts.upstream : {};
}

const moneyOf = ({ paymentId, amount, currency, captureMethod }: ChargeRequest) => ({
  paymentId,
  amount,
  currency,
  captureMethod,
});

function describeCharges(current: Current): void {
  const charge = chargeOf(current);

  it('an approved charge has the upstream ids', async () => {
    const request = current().chargeThat('approves');
    const outcome = await charge(request);
    expect(outcome.kind).toBe('succeeded');
    expect(Object.values(idsOf(outcome))).not.toEqual([]);
    expect(await current().executed(request.paymentId)).toBe(1);
  });

  it('a declined charge has a failure code of the contract', async () => {
    const request = current().chargeThat('declines');
    const outcome = await charge(request);
    expect(outcome.kind).toBe('declined');
    expect(failureCodes).toContain(outcome.kind === 'declined' ? outcome.code : undefined);
    expect(await current().executed(request.paymentId)).toBe(0);
  });

  it('a charge is idempotent under its key', async () => {
    const request = current().chargeThat('approves');
    const first = await charge(request);
    expect(await charge(request)).toEqual(first);
    expect(await current().executed(request.paymentId)).toBe(1);
  });

  it('two concurrent charges under one key charge once', async () => {
    const request = current().chargeThat('approves');
    const outcomes = await Promise.all([charge(request), charge(request)]);
    for (const outcome of outcomes) {
      expect(['succeeded', 'unknown']).toContain(outcome.kind);
    }
    expect(await current().executed(request.paymentId)).toBe(1);
  });

  it('a charge whose answer is lost is unknown, and found under the same key', async () => {
    const request = current().chargeThat('drops_answer');
    expect(await charge(request)).toMatchObject({ kind: 'unknown', answer: 'provider_unavailable' });
    expect(await charge(request)).toMatchObject({ kind: 'succeeded' });
    expect(await current().executed(request.paymentId)).toBe(1);
  });

  it('an unreadable answer settles nothing', async () => {
    const outcome = await charge(current().chargeThat('answers_nonsense'));
    expect(['unknown', 'not_executed']).toContain(outcome.kind);
  });

  it('a fault reveals nothing of the card', async () => {
    const request = current().chargeThat('answers_nonsense');
    const outcome = JSON.stringify(await charge(request));
    const card = request.instrument.kind === 'card' ? request.instrument.card : undefined;
    for (const secret of [card?.number, card?.cvc, card?.holderName]) {
      expect(outcome).not.toContain(secret ?? 'no card');
    }
  });
}

function describeConfirmations(current: Current): void {
  /** Starts a payment that waits for its buyer; also returns how to confirm it. */
  const begin = async () => {
    const request = current().chargeThat('asks_buyer');
    const outcome = await chargeOf(current)(request);
    const upstream = idsOf(outcome);
    const confirmation = sampleConfirm({
      ...moneyOf(request),
      upstreamKey: `${request.paymentId}:f:1`,
      upstream,
    });
    return { request, outcome, confirmation };
  };
  const confirm = (request: ConfirmRequest) => current().port.confirm(current().connection, request);

  it('redirects the buyer without charging', async () => {
    const { request, outcome } = await begin();
    expect(outcome).toMatchObject({
      kind: 'requires_action',
      redirectUrl: expect.stringMatching(/^https?:/),
    });
    expect(await current().executed(request.paymentId)).toBe(0);
  });

  it('does not charge before the buyer approves', async () => {
    const { request, confirmation } = await begin();
    expect(await confirm(confirmation)).toMatchObject({ kind: 'not_approved' });
    expect(await current().executed(request.paymentId)).toBe(0);
  });

  it('charges once after approval, however often it is confirmed', async () => {
    const { request, confirmation } = await begin();
    const returned = [await current().approve(request, confirmation.upstream)];
    const approved = { ...confirmation, returned };
    expect(await confirm(approved)).toMatchObject({ kind: 'succeeded' });
    expect(await confirm(approved)).toMatchObject({ kind: 'succeeded' });
    expect(await current().executed(request.paymentId)).toBe(1);
  });

  it('charges once for two concurrent confirmations', async () => {
    const { request, confirmation } = await begin();
    const returned = [await current().approve(request, confirmation.upstream)];
    const approved = { ...confirmation, returned };
    for (const outcome of await Promise.all([confirm(approved), confirm(approved)])) {
      expect(['succeeded', 'unknown']).toContain(outcome.kind);
    }
    expect(await current().executed(request.paymentId)).toBe(1);
  });

  it('a confirmation whose answer is lost is unknown, and found under the same key', async () => {
    const { request, confirmation } = await begin();
    const returned = [await current().approve(request, confirmation.upstream)];
    current().loseNextAnswer();
    expect(await confirm({ ...confirmation, returned })).toMatchObject({ kind: 'unknown' });
    expect(await confirm({ ...confirmation, returned })).toMatchObject({ kind: 'succeeded' });
    expect(await current().executed(request.paymentId)).toBe(1);
  });
}

function describeRecovery(current: Current): void {
  const charge = chargeOf(current);

  it.each([
    ['approves', ['succeeded', 'cannot_tell']],
    ['declines', ['declined', 'cannot_tell', 'nothing']],
    ['asks_buyer', ['open', 'cannot_tell']],
  ] as const)('looks up a charge that the upstream %s, or is unknown', async (behaviour, kinds) => {
    const request = current().chargeThat(behaviour);
    const upstream = idsOf(await charge(request));
    const question = sampleLookUp({ ...moneyOf(request), upstream });
    const answer = await current().port.lookUp(current().connection, question);
    expect(kinds).toContain(answer.kind);
  });

  it('unknown without an upstream id', async () => {
    const { paymentId } = current().chargeThat('approves');
    const answer = await current().port.lookUp(current().connection, sampleLookUp({ paymentId }));
    expect(answer).toEqual({ kind: 'cannot_tell' });
  });

  it.each([
    ['approves', ['already_captured', 'accepted']],
    ['asks_buyer', ['cancelled', 'accepted']],
  ] as const)('cancels a charge that the upstream %s', async (behaviour, kinds) => {
    const request = current().chargeThat(behaviour);
    const upstream = idsOf(await charge(request));
    const { paymentId } = request;
    const cancellation = sampleCancel({ paymentId, upstreamKey: `${paymentId}:x`, upstream });
    const answer = await current().port.cancel(current().connection, cancellation);
    expect(kinds).toContain(answer.kind);
  });
}
