import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { disputeDirectives } from '../../directives/dispute-directives.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { upstreamIdOf } from '../../test-opened.ts';
import { createTestClient, payment, type TestClient } from '../test-client.ts';
import { moveDisputeA, openDisputeA } from './disputes.ts';
import { ask, charge, defend, notified, open } from './test-disputes.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const tenDays = 10 * 24 * 60 * 60;

/** Charges a card with a directive that opens a dispute, and waits until it is open. */
async function disputed(client: TestClient, account: string, directive: string) {
  const paid = await charge(client, account, { holderName: directive });
  const deliveries = await client.pass(account, 4);
  return { ...paid, deliveries, upstreamId: deliveries[0]?.item.pspReference ?? '' };
}

describe('the dispute that a directive asks for', () => {
  test.each([
    ['SIM-DISPUTE-RFI', ['REQUEST_FOR_INFORMATION Unresponded'], []],
    ['SIM-DISPUTE-CHARGEBACK', ['NOTIFICATION_OF_CHARGEBACK Undefended'], []],
    ['SIM-DISPUTE-CHARGEBACK-LOSE', ['NOTIFICATION_OF_CHARGEBACK Undefended'], []],
    ['SIM-DISPUTE-PARTIAL', ['NOTIFICATION_OF_CHARGEBACK Undefended'], []],
    [
      'SIM-DISPUTE-PREARB',
      ['NOTIFICATION_OF_CHARGEBACK Undefended'],
      ['CHARGEBACK_REVERSED Won', 'PREARBITRATION_OPEN Undefended'],
    ],
    [
      'SIM-DISPUTE-ARBITRATION',
      ['NOTIFICATION_OF_CHARGEBACK Undefended'],
      ['CHARGEBACK_REVERSED Won', 'SCHEME_ARBITRATION Pending', 'SCHEME_ARBITRATION_LOST Lost'],
    ],
    [
      'SIM-DISPUTE-SECOND',
      ['NOTIFICATION_OF_CHARGEBACK Undefended'],
      ['CHARGEBACK_REVERSED Won', 'SECOND_CHARGEBACK Undefended'],
    ],
    [
      'SIM-DISPUTE-RECOVERED',
      ['NOTIFICATION_OF_CHARGEBACK Undefended'],
      ['CHARGEBACK Lost', 'CHARGEBACK_REVERSED Won'],
    ],
  ])('%s opens five seconds after the charge and goes on as it says', async (directive, opening, rest) => {
    const client = createTestClient(db.pool);
    const { reference, psp } = await charge(client, directive, { holderName: directive });
    expect(await client.pass(directive, 3)).toEqual([]);
    const deliveries = await client.pass(directive, 1);
    expect(notified(deliveries)).toEqual(opening);
    const half = directive === 'SIM-DISPUTE-PARTIAL';
    expect(deliveries[0]?.item).toMatchObject({
      success: 'true',
      originalReference: psp,
      merchantReference: reference,
      amount: { currency: 'EUR', value: half ? 999 : 1999 },
      additionalData: { defensePeriodEndsAt: '2026-12-11T12:00:05+00:00', defendable: 'true' },
    });
    for (const next of rest) expect(notified(await client.pass(directive, 5))).toEqual([next]);
    expect(await client.pass(directive, 60)).toEqual([]);
  });

  test('is covered for every directive of the table', () => {
    expect(disputeDirectives.map((row) => row.case)).toEqual([
      'G1',
      'G2',
      'G3',
      'G4',
      'G5',
      'G6',
      'G7',
      'G8',
    ]);
  });

  test('is not opened for a payment that moves no money', async () => {
    const client = createTestClient(db.pool);
    const hold = { additionalData: { manualCapture: 'true' } };
    await charge(client, 'unmoved', { holderName: 'SIM-DISPUTE-CHARGEBACK' }, hold);
    const lineItems = [{ description: 'SIM-DISPUTE-CHARGEBACK' }];
    await charge(client, 'unmoved', { holderName: 'DECLINED' }, { lineItems });
    expect(await client.pass('unmoved', 60)).toEqual([]);
  });

  test('is opened once for one key', async () => {
    const client = createTestClient(db.pool);
    const body = payment('once', { holderName: 'SIM-DISPUTE-CHARGEBACK' });
    await Promise.all([client.pay(body, 'key'), client.pay(body, 'key')]);
    await client.pay(body, 'key');
    expect(await client.pass('once', 60)).toHaveLength(2);
  });
});

describe('the merchant', () => {
  test('accepts a chargeback, for good', async () => {
    const client = createTestClient(db.pool);
    const { upstreamId } = await disputed(client, 'accepts', 'SIM-DISPUTE-CHARGEBACK');
    expect(await ask(client, 'acceptDispute', 'accepts', upstreamId)).toBe('ok');
    expect(await ask(client, 'acceptDispute', 'accepts', upstreamId)).toBe('ok');
    expect(notified(await client.pass('accepts', 0))).toEqual(['CHARGEBACK Accepted']);
    expect(await defend(client, 'accepts', upstreamId)).toMatch(/does not wait/);
    expect(await client.pass('accepts', tenDays)).toEqual([]);
  });

  test.each([
    ['SIM-DISPUTE-RFI', ['INFORMATION_SUPPLIED Responded', 'ISSUER_RESPONSE_TIMEFRAME_EXPIRED Won']],
    ['SIM-DISPUTE-CHARGEBACK', ['INFORMATION_SUPPLIED Pending', 'CHARGEBACK_REVERSED Won']],
    ['SIM-DISPUTE-CHARGEBACK-LOSE', ['INFORMATION_SUPPLIED Pending', 'CHARGEBACK Lost']],
    [
      'SIM-DISPUTE-PREARB',
      ['INFORMATION_SUPPLIED Pending', 'CHARGEBACK_REVERSED Won', 'PREARBITRATION_OPEN Undefended'],
    ],
  ])('defends %s', async (directive, path) => {
    const client = createTestClient(db.pool);
    const account = `defends-${directive}`;
    const { upstreamId } = await disputed(client, account, directive);
    expect(await defend(client, account, upstreamId)).toBe('ok');
    expect(await ask(client, 'defendDispute', account, upstreamId)).toBe('ok');
    for (const [index, next] of path.entries()) {
      expect(notified(await client.pass(account, index === 0 ? 0 : 5))).toEqual([next]);
    }
    expect(await client.pass(account, 60)).toEqual([]);
  });

  test('defends a pre-arbitration as well, or accepts it', async () => {
    const client = createTestClient(db.pool);
    const { upstreamId } = await disputed(client, 'prearb', 'SIM-DISPUTE-PREARB');
    await client.pass('prearb', 10);
    expect(await defend(client, 'prearb', upstreamId)).toBe('ok');
    expect(notified(await client.pass('prearb', 5))).toEqual([
      'PREARBITRATION_DECLINED Pending',
      'PREARBITRATION_WON Won',
    ]);
    const second = await open(client, 'prearb', 'pre_arbitration');
    expect(await ask(client, 'acceptDispute', 'prearb', second)).toBe('ok');
    expect(notified(await client.pass('prearb', 5))).toEqual(['PREARBITRATION_ACCEPTED Accepted']);
  });

  test('who does nothing has accepted when the time is over', async () => {
    const client = createTestClient(db.pool);
    const upstreamId = await open(client, 'silent');
    expect(await client.pass('silent', tenDays - 1)).toEqual([]);
    expect(notified(await client.pass('silent', 1))).toEqual(['DISPUTE_DEFENSE_PERIOD_ENDED Accepted']);
    expect(await ask(client, 'acceptDispute', 'silent', upstreamId)).toBe('ok');
    expect(await defend(client, 'silent', upstreamId)).toMatch(/does not wait/);
  });

  test('who accepts and defends at once has done only one of them', async () => {
    const client = createTestClient(db.pool);
    const upstreamId = await open(client, 'both');
    await ask(client, 'supplyDefenseDocument', 'both', upstreamId, {
      defenseDocuments: [
        { defenseDocumentTypeCode: 'DefenseMaterial', contentType: 'image/jpeg', content: 'AAAA' },
      ],
    });
    const answers = await Promise.all([
      ask(client, 'acceptDispute', 'both', upstreamId),
      ask(client, 'defendDispute', 'both', upstreamId, { defenseReasonCode: 'SupplyDefenseMaterial' }),
    ]);
    expect(answers.filter((answer) => answer === 'ok')).toHaveLength(1);
    expect(await client.pass('both', 0)).toHaveLength(1);
  });
});

describe('opening a dispute', () => {
  test.each([
    ['information_request', 'REQUEST_FOR_INFORMATION Unresponded'],
    ['chargeback', 'NOTIFICATION_OF_CHARGEBACK Undefended'],
    ['pre_arbitration', 'PREARBITRATION_OPEN Undefended'],
    ['scheme_arbitration', 'SCHEME_ARBITRATION Pending'],
    ['second_chargeback', 'SECOND_CHARGEBACK Undefended'],
  ] as const)('as %s sends its notification at once', async (state, event) => {
    const client = createTestClient(db.pool);
    const account = `opens-${state}`;
    const { reference: paymentReference } = await charge(client, account);
    const opened = await openDisputeA(client.deps, { merchantAccount: account, paymentReference, state });
    const deliveries = await client.pass(account, 0);
    expect(notified(deliveries)).toEqual([event]);
    expect(deliveries[0]?.item.pspReference).toBe(upstreamIdOf(opened));
  });

  test.each([
    ['visa', '4111111111111111', undefined, '10.4'],
    ['visa', '4111111111111111', 'product_not_received', '13.1'],
    ['mc', '5555555555554444', 'product_unacceptable', '4853'],
    ['amex', '370000000000002', 'duplicate', 'P08'],
    ['jcb', '3569990010095841', '502', '502'],
  ])('of a %s card names the reason as its scheme does', async (brand, number, reason, code) => {
    const client = createTestClient(db.pool);
    const account = `reason-${brand}-${code}`;
    const { reference: paymentReference } = await charge(client, account, { number });
    const asked = { merchantAccount: account, paymentReference, state: 'chargeback', reason } as const;
    await openDisputeA(client.deps, asked);
    const [delivery] = await client.pass(account, 0);
    expect(delivery?.item.additionalData).toMatchObject({
      chargebackReasonCode: code,
      chargebackSchemeCode: brand,
      arn: expect.stringMatching(/^\d{23}$/),
    });
  });

  test('of a part counts as the processor counts', async () => {
    const client = createTestClient(db.pool);
    const rest = { amount: { value: 10_000, currency: 'ISK' } };
    const { reference: paymentReference } = await charge(client, 'part', {}, rest);
    const asked = { merchantAccount: 'part', paymentReference, state: 'chargeback' } as const;
    for (const amount of [0, -1, 101])
      expect(await openDisputeA(client.deps, { ...asked, amount })).toBeNull();
    expect(await openDisputeA(client.deps, { ...asked, amount: 40 })).not.toBeNull();
    expect((await client.pass('part', 0))[0]?.item.amount).toEqual({ value: 4000, currency: 'ISK' });
  });

  test('of nothing that was captured does nothing', async () => {
    const client = createTestClient(db.pool);
    const hold = { additionalData: { manualCapture: 'true' } };
    const held = await charge(client, 'none', {}, hold);
    const { reference } = await charge(client, 'some');
    for (const paymentReference of [held.reference, 'pay_unknown', reference]) {
      const asked = { merchantAccount: 'none', paymentReference, state: 'chargeback' } as const;
      expect(await openDisputeA(client.deps, asked)).toBeNull();
    }
  });
});

describe('moving a dispute', () => {
  test('goes on from where it stands, each event once', async () => {
    const client = createTestClient(db.pool);
    const upstreamId = await open(client, 'moves');
    const move = (
      state: 'chargeback' | 'scheme_arbitration',
      status: 'won' | 'lost' | 'challenged' | 'recovered',
    ) => moveDisputeA(client.deps, { merchantAccount: 'moves', upstreamId, to: { state, status } });
    expect(await move('chargeback', 'lost')).toBe(true);
    expect(notified(await client.pass('moves', 0))).toEqual(['CHARGEBACK Lost']);
    expect(await move('chargeback', 'lost')).toBe(false);
    expect(await move('scheme_arbitration', 'challenged')).toBe(true);
    expect(await move('scheme_arbitration', 'recovered')).toBe(true);
    expect(notified(await client.pass('moves', 0)).toSorted()).toEqual([
      'SCHEME_ARBITRATION Pending',
      'SCHEME_ARBITRATION_WON Won',
    ]);
    expect(await client.pass('moves', tenDays)).toEqual([]);
  });

  test('is impossible for an unknown one, one of another account, and to where no event leads', async () => {
    const client = createTestClient(db.pool);
    const upstreamId = await open(client, 'stays');
    const to = { state: 'chargeback', status: 'won' } as const;
    for (const asked of [
      { merchantAccount: 'stays', upstreamId: 'AAAABBBBCCCCDDDD', to },
      { merchantAccount: 'moves', upstreamId, to },
      { merchantAccount: 'stays', upstreamId, to: { state: 'second_chargeback', status: 'won' } as const },
      {
        merchantAccount: 'stays',
        upstreamId,
        to: { state: 'second_chargeback', status: 'accepted' } as const,
      },
    ]) {
      expect(await moveDisputeA(client.deps, asked)).toBe(false);
    }
    expect(await client.pass('stays', 60)).toEqual([]);
  });
});
