import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import type { ChargeRequest, WithheldInstrument } from '../../port/port.ts';
import { reply, type Step } from '../../wire/test-transport.ts';
import {
  authorized,
  captured,
  cardResult,
  connection,
  fault,
  link,
  orderBody,
  orderId,
  run,
} from '../test-kit.ts';
import { buyer, connectSimulator, createSimulatorDatabase, newCharge, save } from '../test-simulator.ts';

const card: WithheldInstrument = { kind: 'withheld', method: 'card', initiator: 'customer' };
const wallet: WithheldInstrument = { ...card, method: 'wallet' };
const alone: WithheldInstrument = { ...card, initiator: 'merchant' };
const ask = (steps: readonly Step[], instrument: WithheldInstrument = card) =>
  run(steps, (port) => port.charge(connection, sampleCharge({ instrument })));
const waiting = (rel: string) => orderBody('PAYER_ACTION_REQUIRED', {}, { links: [link(rel)] });

describe('a repeat of a charge without its card', () => {
  it.each([
    [captured(), { kind: 'succeeded' }],
    [authorized(), { kind: 'authorized' }],
    [captured({ status: 'DECLINED' }), { kind: 'declined' }],
    [orderBody('VOIDED'), { kind: 'declined', code: 'not_processed' }],
  ])('%# returns the outcome of the first request', async (body, outcome) => {
    const asked = await ask([reply(200, body)]);
    expect(asked.outcome).toMatchObject(outcome);
    expect(asked.keys).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:c']);
  });

  it.each([card, wallet, alone])('%# reports that nothing was carried out', async (instrument) => {
    const body = orderBody('CREATED', {}, { links: [link('approve')] });
    const { outcome, sent } = await ask([reply(201, body)], instrument);
    expect(outcome).toMatchObject({ kind: 'not_carried_out', facts: { upstream: { order: orderId } } });
    expect(sent).toHaveLength(1);
  });

  it.each([
    [card, 'processor_b_payer_action'],
    [wallet, 'processor_b_wallet'],
  ])('%# returns the buyer’s action that the first request asked for', async (instrument, action) => {
    const { outcome } = await ask([reply(200, waiting('payer-action'))], instrument);
    expect(outcome).toMatchObject({ kind: 'requires_action', action, redirectUrl: expect.any(String) });
  });

  it('no action where the merchant charges without the buyer', async () => {
    const { outcome } = await ask([reply(200, waiting('payer-action'))], alone);
    expect(outcome).toMatchObject({ kind: 'declined', code: 'refused' });
  });

  it('completes an approved card under the same key as a retry', async () => {
    const approved = { ...orderBody('APPROVED'), ...cardResult('Y', 'Y', 'POSSIBLE') };
    const { outcome, keys } = await ask([reply(200, approved), reply(201, captured())]);
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(keys[1]).toBe('pay_0mfy2k9a7c3e5g1h8j4m6p2q:c:f');
  });
});

it('in doubt for an order without a card: no request with a card created it', async () => {
  const { outcome } = await run([reply(200, orderBody('CREATED'))], (port) =>
    port.charge(connection, sampleCharge({})),
  );
  expect(outcome).toMatchObject({ kind: 'unknown', reason: 'order without its card' });
});

describe('a changed copy of a charge', () => {
  const berlin = { line1: 'Torstraße 12', city: 'Berlin', postal_code: '10119', country: 'DE' };
  const charge = (commitKey: NonNullable<ChargeRequest['commitKey']>) =>
    run([fault(422, 'BILLING_ADDRESS_INVALID'), reply(201, captured())], (port) =>
      port.charge(connection, sampleCharge({ billingAddress: berlin, commitKey })),
    );

  it('is sent once its key is committed', async () => {
    const committed: string[] = [];
    const { outcome, keys } = await charge(async (key) => {
      committed.push(key);
      return true;
    });
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(committed).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:c:b']);
    expect(keys[1]).toBe(committed[0]);
  });

  it('is not sent where another request holds the lease', async () => {
    const { outcome, sent } = await charge(async () => false);
    expect(outcome).toMatchObject({ kind: 'unknown' });
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['s', []],
    ['b', ['vault', 'shipping']],
    ['d', ['vault', 'billing_address']],
    ['a', ['vault']],
    ['s:b:d', []],
  ])('a repeat under its key sends it first: %s', async (copy, sentParts) => {
    const upstreamKey = `pay_0mfy2k9a7c3e5g1h8j4m6p2q:c:${copy}`;
    const addresses = copy === 's' ? {} : { billingAddress: berlin, deliveryAddress: berlin };
    const { keys, sent } = await run([reply(200, captured())], (port) =>
      port.charge(
        connection,
        sampleCharge({ upstreamKey, buyer, save: { ...save, required: false }, ...addresses }),
      ),
    );
    expect(keys).toEqual([upstreamKey]);
    const body = sent[0]?.body.toString() ?? '';
    expect(
      ['vault', 'billing_address', 'shipping'].filter((part) => body.includes(`"${part}"`)).sort(),
    ).toEqual([...sentParts].sort());
  });
});

describe('withheld charges at the simulator', () => {
  let database: Awaited<ReturnType<typeof createSimulatorDatabase>>;

  beforeAll(async () => {
    database = await createSimulatorDatabase();
  });
  afterAll(() => database.drop());

  it.each(['automatic', 'manual'] as const)(
    'the card is charged once under a new key after a repeat without it came first: %s',
    async (captureMethod) => {
      const upstream = connectSimulator(database.pool);
      const request = newCharge({ captureMethod });
      const probe = await upstream.charge({ ...request, instrument: card });
      expect(probe).toMatchObject({ kind: 'not_carried_out' });
      expect(await upstream.charge(request)).toMatchObject({ kind: 'unknown' });
      const outcome = await upstream.charge({ ...request, upstreamKey: `${request.paymentId}:op_2` });
      expect(outcome.kind).toBe(captureMethod === 'manual' ? 'authorized' : 'succeeded');
      const { charges } = await upstream.ledger();
      expect(charges.filter(({ reference }) => reference === request.paymentId)).toHaveLength(1);
    },
  );

  it('a repeat without the card finds the charge', async () => {
    const upstream = connectSimulator(database.pool);
    const request = newCharge();
    await upstream.charge(request);
    expect(await upstream.charge({ ...request, instrument: card })).toMatchObject({ kind: 'succeeded' });
    expect(await upstream.collected(request.paymentId)).toBe(1);
  });

  it('a retry and a repeat under the key of a changed copy find its charge', async () => {
    const upstream = connectSimulator(database.pool);
    const committed: string[] = [];
    const request = newCharge({
      buyer,
      save: { ...save, required: false },
      order: { lineItems: [], description: 'SIM-SAVE-REFUSED' },
      commitKey: async (key) => {
        committed.push(key);
        return true;
      },
    });
    expect(await upstream.charge(request)).toMatchObject({ kind: 'succeeded' });
    expect(committed).toEqual([`${request.upstreamKey}:s`]);
    const retry = { ...request, upstreamKey: committed[0] ?? '' };
    expect(await upstream.charge(retry)).toMatchObject({ kind: 'succeeded' });
    expect(await upstream.charge({ ...retry, instrument: card })).toMatchObject({ kind: 'succeeded' });
    expect(await upstream.collected(request.paymentId)).toBe(1);
    expect(committed).toHaveLength(1);
  });
});
