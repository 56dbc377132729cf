import { expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import type { ChargeRequest } from '../../port/port.ts';
import { reply } from '../../wire/test-transport.ts';
import { createProcessorB } from '../adapter.ts';
import { captured, connection, fault, orderBody } from '../test-kit.ts';

const billingAddress = { line1: 'Torstraße 12', city: 'Berlin', postal_code: '10119', country: 'DE' };

/** An upstream that validates the body before it looks the key up, and that may become stricter about addresses. */
function strictUpstream() {
  const orders = new Map<string, object>();
  const state = { refusesAddresses: false, charges: 0 };
  const port = createProcessorB({
    transport: async ({ url, headers, body }) => {
      if (url.endsWith('/oauth2/token')) return reply(200, { access_token: 't', expires_in: 32_400 });
      const { card } = JSON.parse(String(body)).payment_source;
      if (state.refusesAddresses && card.billing_address !== undefined) {
        return fault(422, 'BILLING_ADDRESS_INVALID');
      }
      const key = String(headers['paypal-request-id']);
      const known = orders.get(key);
      if (known !== undefined) return reply(200, known);
      if (card.number !== undefined) state.charges += 1;
      const order = card.number === undefined ? orderBody('CREATED') : captured();
      orders.set(key, order);
      return reply(201, order);
    },
    delay: async () => {},
    elapsed: () => 0,
    now: () => new Date('2026-11-20T12:00:00Z'),
    observe: () => {},
  });
  const charge = (changes: Partial<ChargeRequest>) =>
    port.charge(connection, sampleCharge({ billingAddress, commitKey: async () => true, ...changes }));
  return { state, charge };
}

it('a repeat whose address is refused before its key is looked up charges once', async () => {
  const { state, charge } = strictUpstream();
  await charge({});
  state.refusesAddresses = true;
  expect((await charge({ isRepeat: true })).kind).toBe('succeeded');
  expect(state.charges).toBe(1);
});

it('a repeat that nothing was carried out before charges without the refused address', async () => {
  const { state, charge } = strictUpstream();
  state.refusesAddresses = true;
  expect((await charge({ isRepeat: true })).kind).toBe('succeeded');
  expect(state.charges).toBe(1);
});

it('what only asks for the key sends no address that could be refused', async () => {
  const { state, charge } = strictUpstream();
  await charge({});
  state.refusesAddresses = true;
  const asked = await charge({ instrument: { kind: 'withheld', method: 'card', initiator: 'customer' } });
  expect(asked.kind).toBe('succeeded');
});
