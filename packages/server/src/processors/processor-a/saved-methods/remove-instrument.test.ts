import { describe, expect, it } from 'vitest';
import type { RemoveInstrumentRequest } from '../../port/instruments.ts';
import { reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import { buyer, connection, fault, inFlight, run } from '../test-kit.ts';

describe('createProcessorA, removing a stored card', () => {
  const request: RemoveInstrumentRequest = { token: 'M5/7', customerId: buyer.id, upstreamKey: 'pm_1:r' };
  const remove = (steps: readonly Step[]) => run(steps, (port) => port.removeInstrument(connection, request));

  it('sends a deletion for its buyer', async () => {
    const { outcome, sent, observed } = await remove([reply(204, '')]);
    expect(outcome).toEqual({ kind: 'removed' });
    expect(sent[0]).toMatchObject({
      method: 'DELETE',
      url: `https://checkout-test.example/v71/storedPaymentMethods/M5%2F7?shopperReference=${buyer.id}&merchantAccount=TillTest`,
    });
    expect(sent[0]?.headers).toEqual({ accept: 'application/json', 'x-api-key': 'key' });
    expect(sent[0]?.body).toHaveLength(0);
    expect(observed).toMatchObject([{ operation: 'remove_instrument', outcome: 'removed', status: 204 }]);
  });

  it.each([fault(404, '000'), fault(422, '800'), fault(422, '803')])(
    '%# counts a missing card as deleted',
    async (step) => {
      expect((await remove([step])).outcome).toEqual({ kind: 'removed' });
    },
  );

  it.each([
    [fault(401, '000'), 'not_executed', 'provider_error'],
    [fault(422, '14_018'), 'not_executed', 'provider_error'],
    [reply(404, '<html>'), 'unknown', 'provider_error'],
    [inFlight, 'unknown', 'provider_unavailable'],
    [reply(500), 'unknown', 'provider_error'],
    [new TransportError('timeout'), 'unknown', 'provider_unavailable'],
    [new TransportError('not_sent'), 'not_executed', 'provider_unavailable'],
  ])('%# is unfinished: %s %s', async (step, kind, answer) => {
    expect((await remove([step])).outcome).toMatchObject({ kind, answer });
  });

  it('supports cards and no wallet', async () => {
    const { outcome } = await run([], async (port) => [
      port.canSave('card', 'visa'),
      port.canSave('card', null),
      port.canSave('wallet', null),
    ]);
    expect(outcome).toEqual([true, true, false]);
  });
});
