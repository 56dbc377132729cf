import { expect } from 'vitest';
import type { JsonObject } from '../../wire/json.ts';
import { connection, run } from '../test-kit.ts';

const item = {
  pspReference: 'PSP1',
  merchantReference: 'pay_1',
  merchantAccountCode: 'TillTest',
  eventDate: '2026-11-20T12:00:00+01:00',
  amount: { currency: 'EUR', value: 1000 },
  success: 'true',
};

/** Returns the only effect of an event. */
export async function effectOf(eventCode: string, changes: JsonObject = {}) {
  const { outcome, sent } = await run([], (port) =>
    port.interpretNotification(connection, { ...item, eventCode, ...changes }),
  );
  expect(sent).toEqual([]);
  expect(outcome).toHaveLength(1);
  return Array.isArray(outcome) ? outcome[0] : outcome;
}

export const none = { kind: 'none' };
