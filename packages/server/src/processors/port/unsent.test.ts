import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../fixtures.ts';
import { unsentFields as ofProcessorA } from '../processor-a/charges/level-two-three.ts';
import { unsentFields as ofProcessorB } from '../processor-b/orders/level-two-three.ts';
import type { ChargeRequest, OrderData } from './port.ts';

const mug = { name: 'Mug', unit_amount: 2000, quantity: 2, commodity_code: '44121503' };
const cup = { name: 'Cup', unit_amount: 999 };
const levelThree = { dutyAmount: 7, shipsFromPostalCode: '78701' };

const charge = (order: Partial<OrderData>, changes: Partial<ChargeRequest> = {}) =>
  sampleCharge({ amount: 4999, ...changes, order: { lineItems: [], ...order } });

describe.each([
  ['processor_a', ofProcessorA],
  ['processor_b', ofProcessorB],
])('Level 3 fields that are not sent to %s', (name, unsentFields) => {
  it.each<[string, Partial<OrderData>, string[]]>([
    ['no Level 3 field', { lineItems: [cup], taxAmount: 5, invoiceId: 'INV-1' }, []],
    ['a duty of zero', { lineItems: [cup], dutyAmount: 0 }, []],
    ['all that is needed', { ...levelThree, lineItems: [mug, { ...cup, unit_of_measure: 'PCE' }] }, []],
    ['fields without lines', levelThree, ['duty_amount', 'ships_from_postal_code']],
    [
      'lines of which one has no code',
      { ...levelThree, lineItems: [cup, mug] },
      ['duty_amount', 'ships_from_postal_code', 'line_items[1].commodity_code'],
    ],
    [
      'values that have no form there',
      { lineItems: [{ ...mug, commodity_code: '字' }], shipsFromPostalCode: '字' },
      ['ships_from_postal_code', 'line_items[0].commodity_code'],
    ],
  ])('with %s', (_, order, expected) => {
    expect(unsentFields(charge(order)).map(({ param }) => param)).toEqual(expected);
  });

  it('are listed with the reason; sent ones are not', () => {
    expect(unsentFields(charge({ shipsFromPostalCode: '4111111111111111', lineItems: [mug, cup] }))).toEqual([
      {
        param: 'ships_from_postal_code',
        message:
          'ships_from_postal_code was not sent to the processor: Level 3 data needs a commodity_code or unit_of_measure on every line item, and line_items[1] has neither.',
      },
      {
        param: 'line_items[0].commodity_code',
        message:
          'line_items[0].commodity_code was not sent to the processor: Level 3 data needs a commodity_code or unit_of_measure on every line item, and line_items[1] has neither.',
      },
    ]);
  });

  it('include lines beyond the processor’s maximum', () => {
    const max = name === 'processor_a' ? 9 : 100;
    const lineItems = Array.from({ length: max + 1 }, () => ({ ...mug, unit_amount: 1, quantity: 1 }));
    expect(unsentFields(charge({ lineItems }, { amount: max + 1 }))).toEqual([
      {
        param: `line_items[${max}]`,
        message: `line_items[${max}] was not sent to the processor: Level 3 data takes ${max} lines.`,
      },
    ]);
  });
});

it('are all of them for a wallet payment', () => {
  const wallet = charge({ ...levelThree, lineItems: [mug] }, { instrument: { kind: 'wallet' } });
  expect(ofProcessorB(wallet).map(({ message }) => message)).toEqual([
    'duty_amount was not sent to the processor: the wallet takes no Level 3 data.',
    'ships_from_postal_code was not sent to the processor: the wallet takes no Level 3 data.',
    'line_items[0].commodity_code was not sent to the processor: the wallet takes no Level 3 data.',
  ]);
});
