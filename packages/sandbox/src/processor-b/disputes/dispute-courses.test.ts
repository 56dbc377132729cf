import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DisputeStage, disputeDirectives } from '../../directives/dispute-directives.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { upstreamIdOf } from '../../test-opened.ts';
import {
  cardSource,
  createTestClient,
  order,
  ordersPath,
  referenceOf,
  type TestClient,
} from '../test-client.ts';
import { moveDisputeB, openDisputeB } from './disputes.ts';
import { disputesOf, evidence, lost, waits, won } from './test-disputes.ts';

let db: TestDatabase;
let client: TestClient;
let court: ReturnType<typeof disputesOf>;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
  court = disputesOf(client);
});
afterAll(() => db.drop());

describe('a directive', () => {
  const courses: Readonly<Record<string, readonly string[]>> = {
    'SIM-DISPUTE-RFI': [`INQUIRY ${waits}`, `INQUIRY ${waits}`],
    'SIM-DISPUTE-CHARGEBACK': [`CHARGEBACK ${waits}`, `CHARGEBACK ${waits}`],
    'SIM-DISPUTE-CHARGEBACK-LOSE': [`CHARGEBACK ${waits}`, `CHARGEBACK ${waits}`],
    'SIM-DISPUTE-PREARB': [`CHARGEBACK ${waits}`, `CHARGEBACK ${won}`, `PRE_ARBITRATION ${waits}`],
    'SIM-DISPUTE-ARBITRATION': [
      `CHARGEBACK ${waits}`,
      `CHARGEBACK ${won}`,
      'ARBITRATION UNDER_REVIEW',
      `ARBITRATION ${lost}`,
    ],
    'SIM-DISPUTE-SECOND': [`CHARGEBACK ${waits}`, `CHARGEBACK ${won}`, `CHARGEBACK ${waits}`],
    'SIM-DISPUTE-RECOVERED': [`CHARGEBACK ${waits}`, `CHARGEBACK ${lost}`, `CHARGEBACK ${won}`],
    'SIM-DISPUTE-PARTIAL': [`CHARGEBACK ${waits}`, `CHARGEBACK ${waits}`],
  };

  test.each(disputeDirectives.map(({ value }) => value))('%s takes its course', async (value) => {
    const account = `course-${value}`;
    await court.pay(account, value, '10.01');
    const course: string[] = [];
    for (const _ of courses[value] ?? []) course.push(await court.pass(account));
    expect(course).toEqual(courses[value]);
    expect((await court.show(account)).dispute_amount.value).toBe(
      value.endsWith('PARTIAL') ? '5.00' : '10.01',
    );
  });

  test.each([
    ['SIM-DISPUTE-RFI', [`INQUIRY ${won}`]],
    ['SIM-DISPUTE-CHARGEBACK-LOSE', [`CHARGEBACK ${lost}`]],
    ['SIM-DISPUTE-PARTIAL', [`CHARGEBACK ${won}`]],
    ['SIM-DISPUTE-PREARB', [`CHARGEBACK ${won}`, `PRE_ARBITRATION ${waits}`]],
  ])('%s goes on after the defence', async (value, course) => {
    const account = `defence-${value}`;
    await court.pay(account, value);
    await court.pass(account);
    await court.perform(account, 'provide-evidence', evidence);
    expect(await court.pass(account, 0)).toContain('UNDER_REVIEW');
    for (const next of course) expect(await court.pass(account)).toBe(next);
    expect(court.notified(account).filter((event) => event.includes('UNDER_REVIEW'))).toHaveLength(1);
  });

  test('leads to pre-arbitration, which is won when it is defended', async () => {
    await court.pay('prearb', 'SIM-DISPUTE-PREARB');
    await court.pass('prearb', 15_000);
    await court.perform('prearb', 'provide-evidence', evidence);
    expect(await court.pass('prearb')).toBe(`PRE_ARBITRATION ${won}`);
  });

  test('leaves its history to be read', async () => {
    const history = async (account: string) =>
      (await court.show(account)).adjudications.map(({ type }: { type: string }) => type);
    expect(await history('course-SIM-DISPUTE-SECOND')).toEqual(['DENY_BUYER']);
    expect(await history('course-SIM-DISPUTE-RECOVERED')).toEqual([
      'RECOVER_FROM_SELLER',
      'PAYOUT_TO_SELLER',
    ]);
  });
});

describe('a dispute opened from outside', () => {
  test.each<[DisputeStage, string]>([
    ['information_request', `INQUIRY ${waits}`],
    ['chargeback', `CHARGEBACK ${waits}`],
    ['pre_arbitration', `PRE_ARBITRATION ${waits}`],
    ['scheme_arbitration', 'ARBITRATION UNDER_REVIEW'],
    ['second_chargeback', `CHARGEBACK ${waits}`],
  ])('as %s stands there at once', async (state, expected) => {
    const account = `open-${state}`;
    const { reference } = await court.pay(account);
    const request = { merchantAccount: account, paymentReference: reference, state };
    const opened = await openDisputeB(client.deps, { ...request, amount: 500, reason: 'duplicate' });
    expect(await court.pass(account, 0)).toBe(expected);
    expect(await court.show(account)).toMatchObject({
      dispute_id: upstreamIdOf(opened),
      reason: 'DUPLICATE_TRANSACTION',
      external_reason_code: '12.6.1',
      dispute_amount: { value: '5.00' },
    });
    expect(court.notified(account)).toContain(
      state === 'second_chargeback' ? `UPDATED: ${expected}` : `CREATED: ${expected}`,
    );
    const again = await openDisputeB(client.deps, request);
    expect(upstreamIdOf(again)).not.toBe(upstreamIdOf(opened));
    expect(await court.list(account)).toHaveLength(2);
  });

  test('needs a payment that took money, also by the capture of a hold', async () => {
    const opened = (merchantAccount: string, paymentReference: string) =>
      openDisputeB(client.deps, { merchantAccount, paymentReference, state: 'chargeback' });
    const body = order(cardSource(), {}, 'AUTHORIZE');
    const { json } = await client.post('held', ordersPath, body, 'hold');
    expect(await opened('held', referenceOf(body))).toBeNull();
    const [{ id }] = json.purchase_units[0].payments.authorizations;
    await client.post('held', `/v2/payments/authorizations/${id}/capture`);
    expect(await opened('another', referenceOf(body))).toBeNull();
    expect(await opened('held', referenceOf(body))).not.toBeNull();
  });

  test('is of something that was captured', async () => {
    const { reference: paymentReference } = await court.pay('amounts', undefined, '10.00');
    const asked = { merchantAccount: 'amounts', paymentReference, state: 'chargeback' } as const;
    for (const amount of [0, -1, 1_001]) {
      expect(await openDisputeB(client.deps, { ...asked, amount })).toBeNull();
    }
    expect(await openDisputeB(client.deps, { ...asked, amount: 1_000 })).not.toBeNull();
    expect(await court.list('amounts')).toHaveLength(1);
  });

  test.each([
    ['HUF', '1000', 150, 500],
    ['KWD', '10.00', 1005, 1010],
  ])('is of no part of %s that has no form on the wire', async (currency_code, value, amount, carried) => {
    const { reference: paymentReference } = await court.pay(currency_code, undefined, value, currency_code);
    const asked = { merchantAccount: currency_code, paymentReference, state: 'chargeback' } as const;
    expect(await openDisputeB(client.deps, { ...asked, amount })).toBe('amount_not_carried');
    expect(await court.list(currency_code)).toEqual([]);
    expect(await openDisputeB(client.deps, { ...asked, amount: carried })).toEqual({
      upstreamId: expect.any(String),
    });
  });

  test('is moved on, with what leads there', async () => {
    const { reference } = await court.pay('moved', 'SIM-DISPUTE-SECOND');
    await court.pass('moved');
    const { dispute_id: upstreamId } = await court.show('moved');
    const move = (merchantAccount: string, state: DisputeStage, status: 'challenged' | 'recovered') =>
      moveDisputeB(client.deps, { merchantAccount, upstreamId, to: { state, status } });
    expect(await move('another', 'chargeback', 'recovered')).toBe(false);
    expect(await move('moved', 'pre_arbitration', 'challenged')).toBe(true);
    // The move has discarded the steps that the directive planned.
    expect(await court.pass('moved', 60_000)).toBe('PRE_ARBITRATION UNDER_REVIEW');
    expect(await move('moved', 'pre_arbitration', 'challenged')).toBe(false);
    expect(await move('moved', 'pre_arbitration', 'recovered')).toBe(true);
    expect(await court.pass('moved', 0)).toBe(`PRE_ARBITRATION ${won}`);
    expect((await court.show('moved')).adjudications).toMatchObject([
      { type: 'RECOVER_FROM_SELLER' },
      { type: 'PAYOUT_TO_SELLER' },
    ]);
    expect((await court.show('moved')).disputed_transactions).toMatchObject([{ custom: reference }]);
  });
});
