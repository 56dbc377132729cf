import { describe, expect, test } from 'vitest';
import { luhnInvalidNumber, testCards } from './directives/cards.ts';
import { passesLuhn } from './lib/luhn.ts';
import { triggers } from './simulators.ts';

const failureCodes = [
  'refused',
  'do_not_honor',
  'expired_card',
  'insufficient_funds',
  'invalid_cvv',
  'invalid_card',
  'restricted_card',
  'declined',
  'lost_card',
  'stolen_card',
  'pickup_card',
  '3ds_failed',
  '3ds_abandoned',
  '3ds_not_available',
];

describe('the trigger table', () => {
  test('names every trigger of a processor once', () => {
    const keys = triggers.map((row) => `${row.processor} ${row.trigger.field}=${row.trigger.value}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('describes each row in words and only with known failure codes', () => {
    for (const row of triggers) {
      expect(row.outcome, row.trigger.value).toMatch(/^[A-Z0-9].{8,}/);
      expect([undefined, ...failureCodes], row.trigger.value).toContain(row.failure_code);
      expect(row.failure_code !== undefined, row.trigger.value).toBe(
        /^Declined|not authenticated$|cannot authenticate$|rejects the authentication$/.test(row.outcome) &&
          row.trigger.value !== 'AUTHENTICATION_REQUIRED',
      );
    }
  });

  test.each([
    ['SIM-TIMEOUT-LOST', /time.?out|never.?answers/i],
    ['SIM-TIMEOUT-DONE', /time.?out|never.?answers/i],
    ['SIM-SLOW', /slow/i],
    ['SIM-500', /500/],
    ['SIM-500-DONE', /charges but answers HTTP 500/],
    ['SIM-503', /503|unavailable/],
    ['SIM-DROP', /dropped/],
    ['SIM-DROP-DONE', /dropped/],
  ])('%s can be found by its words, on both processors', (value, words) => {
    const rows = triggers.filter((row) => row.trigger.value === value);
    expect(rows.map((row) => `${row.processor} ${row.trigger.field}`)).toEqual([
      'processor_a payment_method.holder_name',
      'processor_a description',
      'processor_b payment_method.holder_name',
      'processor_b description',
    ]);
    for (const row of rows) expect(row.outcome).toMatch(words);
  });

  test.each(['processor_a', 'processor_b'])(
    'lists every published card of %s, and one number that fails the Luhn check',
    (processor) => {
      const numbers = triggers
        .filter((row) => row.trigger.field === 'payment_method.number' && row.processor === processor)
        .map((row) => row.trigger.value);
      expect(numbers).toHaveLength(testCards.length + 1);
      expect(numbers.filter((number) => !passesLuhn(number))).toEqual([luhnInvalidNumber]);
    },
  );

  test.each(['processor_a', 'processor_b'])(
    'names saving, refunds, notifications and disputes on %s',
    (processor) => {
      const rows = triggers.filter((row) => row.processor === processor);
      const cases = new Set(rows.map((row) => row.id));
      const wanted = ['D13', 'D14', 'D15', 'D16', 'R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'X6'];
      for (const id of [...wanted, 'G1', 'G2', 'G3', 'G4', 'G5', 'G6', 'G7', 'G8']) {
        expect(cases).toContain(id);
      }
      const ofRefunds = rows.filter((row) => row.trigger.value.startsWith('SIM-REFUND-'));
      expect(new Set(ofRefunds.map((row) => row.trigger.field))).toEqual(new Set(['note']));
    },
  );

  test('names only what a processor does', () => {
    const values = (processor: string) =>
      triggers.filter((row) => row.processor === processor).map((row) => row.trigger.value);
    for (const value of ['SIM-SAVE-REFUSED', 'SIM-REFUND-INSTANT']) {
      expect(values('processor_a')).not.toContain(value);
      expect(values('processor_b')).toContain(value);
    }
  });

  test('names what the buyer, the hold and the checks of the issuer do on processor_b', () => {
    const cases = new Set(triggers.filter((row) => row.processor === 'processor_b').map((row) => row.id));
    for (const id of ['T2', 'T9', 'T10', 'T11', 'T13', 'W2', 'W6', 'H2', 'H4', 'V1', 'V2', 'X5']) {
      expect(cases).toContain(id);
    }
  });
});
