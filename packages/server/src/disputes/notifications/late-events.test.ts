import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DisputeFacts } from '../../processors/port/disputes.ts';
import { disputeFacts } from '../../processors/processor-a/notifications/dispute-notification.ts';
import { notificationItem } from '../../processors/processor-a/notifications/notification-item.ts';
import type { JsonObject } from '../../processors/wire/json.ts';
import { refundableOf } from '../../refunds/refundable.ts';
import { follow, type Position } from '../state.ts';
import { createDisputeKit, type DisputeKit } from '../test-kit.ts';
import { applyDisputeFacts } from './apply-facts.ts';
import { beginning } from './merge-facts.ts';

type Event = readonly [eventCode: string, additionalData?: JsonObject];

/** The facts in a notification of processor_a about a dispute of a payment. */
function factsIn([eventCode, additionalData = {}]: Event, payment = 'pay_1'): DisputeFacts {
  const item = notificationItem({
    eventCode,
    success: 'true',
    pspReference: `D-${payment}`,
    merchantReference: payment,
    eventDate: '2026-11-20T10:00:00+00:00',
    amount: { currency: 'EUR', value: 4990 },
    additionalData,
  });
  const facts = item && disputeFacts(item);
  if (facts === undefined) throw new Error(`${eventCode} says nothing`);
  return facts;
}

const inquiry = (disputeStatus: string) => ({ rfiReasonCode: '33', rfiSchemeCode: 'visa', disputeStatus });
const chargeback = (disputeStatus: string) => ({ chargebackReasonCode: '10.4', disputeStatus });

const asked: Event = ['REQUEST_FOR_INFORMATION', inquiry('Unresponded')];
const informed: Event = ['INFORMATION_SUPPLIED', inquiry('Responded')];
const charged: Event = ['NOTIFICATION_OF_CHARGEBACK', chargeback('Undefended')];
const defended: Event = ['INFORMATION_SUPPLIED', chargeback('Pending')];
const reversed: Event = ['CHARGEBACK_REVERSED', chargeback('Won')];
const courses: readonly (readonly [name: string, course: readonly Event[], end: string])[] = [
  ['an answered inquiry', [asked, informed, charged], 'chargeback action_required'],
  [
    'an inquiry that nobody answered',
    [asked, ['DISPUTE_DEFENSE_PERIOD_ENDED', inquiry('Expired')], charged],
    'chargeback action_required',
  ],
  [
    'an inquiry that the issuer let go',
    [asked, informed, ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', inquiry('Won')], charged],
    'chargeback action_required',
  ],
  [
    'a defence that the issuer let stand',
    [asked, informed, charged, defended, ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', chargeback('Won')]],
    'chargeback won',
  ],
  [
    'a chargeback that nobody answered',
    [asked, informed, charged, ['DISPUTE_DEFENSE_PERIOD_ENDED', chargeback('Lost')]],
    'chargeback accepted',
  ],
  [
    'a defence that was rejected',
    [charged, defended, reversed, ['PREARBITRATION_OPEN', chargeback('Undefended')]],
    'pre_arbitration action_required',
  ],
  [
    'a chargeback that was raised again',
    [charged, defended, reversed, ['SECOND_CHARGEBACK', chargeback('Undefended')]],
    'second_chargeback action_required',
  ],
  [
    'a recovered chargeback that was raised again',
    [charged, ['CHARGEBACK', chargeback('Lost')], reversed, ['SECOND_CHARGEBACK', chargeback('Lost')]],
    'second_chargeback lost',
  ],
  [
    'a recovered chargeback that the issuer disputes on',
    [
      charged,
      ['CHARGEBACK', chargeback('Lost')],
      reversed,
      ['PREARBITRATION_OPEN', chargeback('Undefended')],
    ],
    'pre_arbitration action_required',
  ],
];

/** The position of a dispute after some events. Events that cannot begin an unknown dispute are retried after the others. */
function receive(events: readonly Event[]): Position | undefined {
  const facts = events.map((event) => factsIn(event));
  const first = facts.findIndex((one) => beginning(one) !== undefined);
  const begun = facts[first] && beginning(facts[first]);
  return facts.toSpliced(first, 1).reduce((known, next) => known && follow(known, next), begun);
}

describe('events that several stages have', () => {
  it.each(courses)('lead to the same end in any order and any number: %s', (_name, course, end) => {
    const copies = [...course, ...course];
    fc.assert(
      fc.property(fc.shuffledSubarray(copies, { minLength: copies.length }), (events) => {
        expect(Object.values(receive(events) ?? {}).join(' ')).toBe(end);
      }),
      { numRuns: 300 },
    );
    expect(Object.values(receive(course) ?? {}).join(' ')).toBe(end);
  });
});

let kit: DisputeKit;
beforeAll(async () => {
  kit = await createDisputeKit();
});
afterAll(() => kit.drop());

/** The refundable rest of a payment after the events of its dispute. */
async function leftAfter(...events: readonly Event[]) {
  const shop = kit.context(await kit.openAccount(), { processor: 'processor_a' });
  const payment = await kit.pay(shop);
  for (const event of events) await applyDisputeFacts(kit.deps, shop, factsIn(event, payment));
  const row = await kit.deps.store.findByUpstreamId(shop, `D-${payment}`);
  const { left } = await refundableOf(kit.db, { tenant: shop.tenant, id: payment });
  return { state: row?.state, status: row?.status, left };
}

describe('a chargeback that was recovered', () => {
  it('covers the payment again once it is raised again', async () => {
    const lost: Event = ['CHARGEBACK', chargeback('Lost')];
    expect(await leftAfter(lost, reversed)).toMatchObject({ status: 'recovered', left: 4990 });
    expect(await leftAfter(lost, reversed, ['SECOND_CHARGEBACK', chargeback('Lost')])).toEqual({
      state: 'second_chargeback',
      status: 'lost',
      left: 0,
    });
  });
});

describe('a late event of an inquiry', () => {
  it.each<[string, JsonObject]>([
    ['INFORMATION_SUPPLIED', inquiry('Responded')],
    ['DISPUTE_DEFENSE_PERIOD_ENDED', inquiry('Expired')],
    ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', inquiry('Won')],
    ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', {}],
  ])('answers no chargeback and frees no money: %s %j', async (eventCode, additionalData) => {
    expect(await leftAfter(asked, charged, [eventCode, additionalData])).toEqual({
      state: 'chargeback',
      status: 'action_required',
      left: 0,
    });
  });
});
