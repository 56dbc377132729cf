import { expect, it } from 'vitest';
import { sampleCharge } from '../fixtures.ts';
import type { ChargeRequest } from '../port/port.ts';
import type { Step } from '../wire/test-transport.ts';
import { buyer, connection, fault, run, storedCard } from './test-kit.ts';

const charge = (steps: readonly Step[], changes: Partial<ChargeRequest> = {}) =>
  run(steps, (port) => port.charge(connection, sampleCharge(changes)));

it.each([
  ['a removed token', '800', { instrument: storedCard(), buyer }],
  ['a token of another buyer', '803', { instrument: storedCard(), buyer }],
  ['an expired card', '129', {}],
  ['an expired card', '141', {}],
])('%s (%s) that a repeat is refused for leaves the first request in doubt', async (_, code, changes) => {
  const steps = [fault(422, code)];
  expect((await charge(steps, changes)).outcome.kind).toBe('declined');
  expect((await charge(steps, { ...changes, isRepeat: true })).outcome.kind).toBe('unknown');
});

it('a repeat of a card that never was valid is declined', async () => {
  const { outcome } = await charge([fault(422, '101')], { isRepeat: true });
  expect(outcome).toMatchObject({ kind: 'declined', code: 'invalid_card' });
});
