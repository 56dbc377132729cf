import { expect, it } from 'vitest';
import { moment } from './moment.ts';

it.each([
  ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00.000Z'],
  ['2026-11-20T12:00:00.250Z', '2026-11-20T12:00:00.250Z'],
  ['2026-11-20T12:00+01:00', '2026-11-20T11:00:00.000Z'],
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['1795176000', '2026-11-20T12:00:00.000Z'],
  ['0', '1970-01-01T00:00:00.000Z'],
])('an option takes the time %s', (text, time) => {
  expect(moment(text).toISOString()).toBe(time);
});

// A wrong guess cannot be undone: every event since that time would be sent again.
it.each([
  '20 Nov',
  'last 5',
  '11/20/2026',
  '2026',
  '20261120',
  '2026-11',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '2026-11-20T25:00:00Z',
  '2026-11-20T12:00:00',
  '2026-11-20 12:00:00Z',
  '-1',
  '',
])('an option refuses %j, which names no certain moment', (text) => {
  expect(() => moment(text)).toThrow(/a time such as 2026-11-20T12:00:00Z/);
});
