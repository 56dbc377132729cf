import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readLedger } from '../../packages/sandbox/src/ledger.ts';
import type { SandboxDependencies } from '../../packages/sandbox/src/lib/dependencies.ts';
import { createTestDatabase, type TestDatabase } from '../../packages/sandbox/src/test-database.ts';
import {
  type ConformanceHarness,
  describeConformance,
  describeRefunds,
  losingTransport,
  type UpstreamBehaviour,
} from '../../packages/server/src/processors/conformance.ts';
import { sampleCard, sampleCharge } from '../../packages/server/src/processors/fixtures.ts';
import { type Transport, TransportError } from '../../packages/server/src/processors/wire/transport.ts';
import { processorC } from './adapter/processor.ts';
import { processorC as simulator } from './simulator/processor.ts';
import { createStore } from './simulator/store.ts';
import { challengedName, declinedName } from './simulator/wire.ts';

let database: TestDatabase;
let accounts = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(simulator.schema);
});
afterAll(() => database.drop());

const holders: Partial<Record<UpstreamBehaviour, string>> = {
  declines: declinedName,
  asks_buyer: challengedName,
};

/** A harness over the simulator. The connection breaks if the holder name asks for it. */
async function harness(): Promise<ConformanceHarness> {
  accounts += 1;
  const merchantAccount = `acct_${accounts}`;
  const deps: SandboxDependencies = {
    database: { query: (text, values = []) => database.pool.query(text, [...values]) },
    now: () => new Date(),
    randomBytes: (length) => randomBytes(length),
    delay: async () => {},
    publicUrl: () => 'https://till.example',
  };
  const wire = simulator.create(deps);
  const dropped = new Set<string>();
  const breaking: Transport = async (request) => {
    const text = request.body.toString();
    if (text.includes('answers_nonsense')) return { status: 201, headers: {}, body: request.body };
    const answer = await wire.handle(request);
    const key = request.headers['idempotency-key'] ?? '';
    if (text.includes('drops_answer') && !dropped.has(key)) {
      dropped.add(key);
      throw new TransportError('dropped');
    }
    return answer;
  };
  const { transport, loseNextAnswer } = losingTransport(breaking);
  let payments = 0;
  return {
    port: processorC.createAdapter({
      transport,
      delay: async () => {},
      elapsed: () => 0,
      now: () => new Date(),
    }),
    connection: {
      accountId: merchantAccount,
      livemode: false,
      baseUrl: 'https://processor-c.sandbox.invalid',
      disputesUrl: 'https://processor-c.sandbox.invalid',
      credentials: { secretKey: merchantAccount, merchantId: merchantAccount },
    },
    chargeThat(behaviour) {
      payments += 1;
      const paymentId = `pay_${accounts}x${payments}`;
      const card = { ...sampleCard, holderName: holders[behaviour] ?? behaviour };
      return sampleCharge({ paymentId, upstreamKey: `${paymentId}:c`, instrument: { kind: 'card', card } });
    },
    async executed(paymentId) {
      const { charges } = await readLedger(deps.database, merchantAccount);
      return charges.filter(({ reference }) => reference === paymentId).length;
    },
    async approve(_request, { psp }) {
      const waiting = await createStore(deps).find('psp_reference', psp ?? '');
      const answered = await simulator.answerBuyer?.(deps, waiting?.id ?? '', 'approved');
      return Object.fromEntries(new URL(answered?.returnUrl ?? '').searchParams);
    },
    loseNextAnswer,
  };
}

describeConformance('a third processor over its simulator', harness);
describeRefunds('a third processor over its simulator', harness);

it('withheld card: replays the charge of its key, and charges nothing under a new key', async () => {
  const ours = await harness();
  const { port, connection } = ours;
  const typed = ours.chargeThat('approves');
  const withheld = {
    ...typed,
    instrument: { kind: 'withheld', method: 'card', initiator: 'customer' },
  } as const;
  expect(await port.charge(connection, withheld)).toMatchObject({ kind: 'not_carried_out' });
  const again = ours.chargeThat('approves');
  await port.charge(connection, again);
  expect(
    await port.charge(connection, { ...withheld, ...again, instrument: withheld.instrument }),
  ).toMatchObject({
    kind: 'succeeded',
  });
  expect([await ours.executed(typed.paymentId), await ours.executed(again.paymentId)]).toEqual([0, 1]);
});

it('answers a refund with its final status', async () => {
  const ours = await harness();
  const { port, connection } = ours;
  const { paymentId, amount, currency, ...request } = ours.chargeThat('approves');
  const charged = await port.charge(connection, { ...request, paymentId, amount, currency });
  const upstream = 'facts' in charged ? charged.facts.upstream : {};
  const refund = { refundId: 're_1', upstreamKey: 're_1', reason: null, note: null };
  const outcome = await port.refund(connection, { ...refund, paymentId, upstream, amount, currency });
  expect(outcome.kind).toBe('succeeded');
});
