import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../fixtures.ts';
import { connection, run } from '../processor-a/test-kit.ts';
import { jsonText } from './json.ts';
import { reply } from './test-transport.ts';

describe('text of an answer that no database keeps', () => {
  it.each(['\0', 'MCC\0', '\ud800', 'MCC\udc00'])('is none: %j', (text) => {
    expect(jsonText({ text }, 'text')).toBeNull();
  });

  it('leaves a charge with its outcome, which can be committed', async () => {
    const additionalData = { networkTxReference: 'MCC\0' };
    const answer = reply(200, { resultCode: 'Authorised', pspReference: 'P1', additionalData });
    const { outcome } = await run([answer], (port) => port.charge(connection, sampleCharge()));
    expect(outcome).toMatchObject({ kind: 'succeeded', facts: { networkTransactionReference: null } });
  });
});

it.each([
  ['a whole character of two halves', '\u{1f600}', '\u{1f600}'],
  ['a number', 12, '12'],
  ['a list', ['x'], null],
])('%s is read as it is', (_which, value, text) => {
  expect(jsonText({ value }, 'value')).toBe(text);
});
