import { describe, expect, it } from 'vitest';
import { sampleCharge, sampleConfirm, sampleLookUp, sampleSubmit } from '../fixtures.ts';
import type { SaveRequest } from '../port/instruments.ts';
import type { Buyer, ChargeRequest, SubmitCardRequest } from '../port/port.ts';
import { bodyOf, reply, type Step } from '../wire/test-transport.ts';
import { captured, connection, fault, orderBody, orderId, run, vaulted } from './test-kit.ts';

const buyer: Buyer = {
  id: 'cus_1',
  email: 'ada@example.com',
  name: null,
  phone: null,
  locale: null,
  dateOfBirth: null,
};
const save: SaveRequest = { model: 'card_on_file', upstreamCustomer: null, required: true };
const optional: SaveRequest = { ...save, required: false };
const wallet = { instrument: { kind: 'wallet' } } as const;
const cardFields = { instrument: { kind: 'card_fields' } } as const;
const charge = (steps: readonly Step[], changes: Partial<ChargeRequest> = {}) =>
  run(steps, (port) => port.charge(connection, sampleCharge({ buyer, save, ...changes })));
const submit = (steps: readonly Step[], changes: Partial<SubmitCardRequest> = {}) =>
  run(steps, (port) =>
    port.submitCard(connection, sampleSubmit({ upstream: { order: orderId }, buyer, save, ...changes })),
  );
const sourceOf = async (changes: Partial<ChargeRequest>) => {
  const { sent } = await charge([reply(201, captured())], changes);
  return bodyOf(sent[0]).payment_source;
};

describe('supported instruments', () => {
  it.each([
    ['card', 'visa', true],
    ['card', 'maestro', false],
    ['card', null, true],
    ['wallet', null, true],
  ] as const)('%s %s: %s', async (method, brand, expected) => {
    await run([], async (port) => expect(port.canSave(method, brand)).toBe(expected));
  });
});

describe('saving, the request', () => {
  it.each([
    ['card_on_file', 'ONE_TIME'],
    ['subscription', 'RECURRING'],
    ['unscheduled_card_on_file', 'UNSCHEDULED'],
  ] as const)('card for %s: %s', async (model, payment_type) => {
    const first = { payment_initiator: 'CUSTOMER', payment_type, usage: 'FIRST' };
    for (const changes of [{}, cardFields]) {
      const { card } = await sourceOf({ ...changes, save: { ...save, model } });
      expect(card.stored_credential).toEqual(first);
      expect(card.attributes).toEqual({
        verification: { method: 'SCA_WHEN_REQUIRED' },
        customer: { merchant_customer_id: 'cus_1', email_address: 'ada@example.com' },
        vault: { store_in_vault: 'ON_SUCCESS' },
      });
    }
  });

  it.each([
    ['card_on_file', 'IMMEDIATE', 'IMMEDIATE'],
    ['subscription', 'SUBSCRIPTION_PREPAID', 'RECURRING_PREPAID'],
    ['unscheduled_card_on_file', 'UNSCHEDULED_PREPAID', 'IMMEDIATE'],
  ] as const)('wallet for %s: %s, %s', async (model, charged, kept) => {
    const { paypal } = await sourceOf({ ...wallet, save: { ...save, model } });
    expect(paypal).toMatchObject({
      stored_credential: { payment_initiator: 'CUSTOMER', usage: 'FIRST', usage_pattern: charged },
      attributes: {
        customer: { merchant_customer_id: 'cus_1' },
        vault: {
          store_in_vault: 'ON_SUCCESS',
          usage_type: 'MERCHANT',
          customer_type: 'CONSUMER',
          usage_pattern: kept,
          permit_multiple_payment_tokens: true,
        },
      },
    });
  });

  it('sends the upstream’s id of the customer from an earlier save', async () => {
    const known = { ...save, upstreamCustomer: '1234567890' };
    for (const changes of [{}, cardFields]) {
      const { card } = await sourceOf({ ...changes, save: known });
      expect(card.attributes.customer).toMatchObject({ id: '1234567890', merchant_customer_id: 'cus_1' });
    }
    const { paypal } = await sourceOf({ ...wallet, save: known });
    expect(paypal.attributes.customer.id).toBe('1234567890');
  });

  it('saves nothing by default', async () => {
    const { card } = await sourceOf({ save: null });
    expect(card).not.toHaveProperty('stored_credential');
    expect(card.attributes).not.toHaveProperty('vault');
    const { paypal } = await sourceOf({ ...wallet, save: null });
    expect(paypal).not.toHaveProperty('stored_credential');
    expect(paypal.attributes).not.toHaveProperty('vault');
  });

  it('saves a card typed into our page', async () => {
    const { sent } = await submit([reply(200, orderBody('APPROVED'))], {
      save: { ...save, model: 'subscription', upstreamCustomer: '1234567890' },
    });
    expect(bodyOf(sent[0]).payment_source.card).toMatchObject({
      stored_credential: { payment_type: 'RECURRING', usage: 'FIRST' },
      attributes: {
        customer: { id: '1234567890', merchant_customer_id: 'cus_1' },
        vault: { store_in_vault: 'ON_SUCCESS' },
      },
    });
  });
});

describe('saving, the answer', () => {
  const saved = { token: '8kk845', upstreamCustomer: '1234567890' };

  it.each([
    ['card', {}],
    ['paypal', wallet],
  ] as const)('returns the token of a %s that is saved', async (source, changes) => {
    const answer = { ...captured(), ...vaulted(source) };
    expect((await charge([reply(201, answer)], changes)).outcome).toMatchObject({
      kind: 'succeeded',
      facts: { saved },
    });
  });

  it.each([
    ['approved only', { status: 'APPROVED' }],
    ['without an id', { id: undefined }],
    ['with an id that is none', { id: '../8kk845' }],
    ['without a status', { status: undefined }],
  ])('no token from a vault that is %s', async (_, changes) => {
    const answer = { ...captured(), ...vaulted('card', changes) };
    expect((await charge([reply(201, answer)])).outcome).toMatchObject({ facts: { saved: null } });
  });

  it('returns a token without a customer', async () => {
    const answer = { ...captured(), ...vaulted('card', { customer: undefined }) };
    expect((await charge([reply(201, answer)])).outcome).toMatchObject({
      facts: { saved: { token: '8kk845', upstreamCustomer: null } },
    });
  });

  it('returns the token after the confirmation, also where only the order before had it', async () => {
    const confirm = (steps: readonly Step[]) =>
      run(steps, (port) => port.confirm(connection, sampleConfirm({ upstream: { order: orderId } })));
    const approved = orderBody('APPROVED');
    for (const steps of [
      [reply(200, approved), reply(201, { ...captured(), ...vaulted('paypal') })],
      [reply(200, { ...approved, ...vaulted('card') }), reply(201, captured())],
    ]) {
      expect((await confirm(steps)).outcome).toMatchObject({ kind: 'succeeded', facts: { saved } });
    }
  });

  it('returns the token after a lookup', async () => {
    const { outcome } = await run([reply(200, { ...captured(), ...vaulted('card') })], (port) =>
      port.lookUp(connection, sampleLookUp({ upstream: { order: orderId } })),
    );
    expect(outcome).toMatchObject({ kind: 'succeeded', facts: { saved } });
  });
});

describe('saving, refused', () => {
  const refused = fault(422, 'NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE');

  it.each([{}, wallet, cardFields])('%# charges nothing where saving was required', async (changes) => {
    const { outcome, sent } = await charge([refused], changes);
    expect(outcome).toMatchObject({ kind: 'cannot_save', facts: { upstream: {} } });
    expect(sent).toHaveLength(1);
  });

  it.each([{}, wallet])('%# charges once without saving by default', async (changes) => {
    const steps = [refused, reply(201, captured())];
    const { outcome, sent, keys } = await charge(steps, { save: optional, ...changes });
    expect(outcome).toMatchObject({ kind: 'succeeded', facts: { saved: null } });
    expect(keys).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:c', 'pay_0mfy2k9a7c3e5g1h8j4m6p2q:c:s']);
    expect(sent[1]?.body.toString()).not.toContain('ON_SUCCESS');
    const again = await charge([refused], { save: optional, ...changes });
    expect(again.outcome).toMatchObject({ kind: 'not_executed', answer: 'provider_error' });
    expect(again.sent).toHaveLength(2);
  });

  it('also drops an address that is refused after that', async () => {
    const billingAddress = { line1: 'Torstraße 12', city: 'Berlin', postal_code: '10119', country: 'DE' };
    const steps = [refused, fault(422, 'BILLING_ADDRESS_INVALID'), reply(201, captured())];
    const { outcome, keys, sent } = await charge(steps, { save: optional, billingAddress });
    expect(outcome.kind).toBe('succeeded');
    expect(keys[2]).toBe('pay_0mfy2k9a7c3e5g1h8j4m6p2q:c:s:b');
    expect(bodyOf(sent[2]).payment_source.card).not.toHaveProperty('billing_address');
  });

  it('refuses a card typed into our page, or charges without saving it', async () => {
    expect((await submit([refused])).outcome).toEqual({ kind: 'card_refused', code: 'restricted_card' });
    const { outcome, keys, sent } = await submit([refused, reply(200, orderBody('APPROVED'))], {
      save: optional,
    });
    expect(outcome).toEqual({ kind: 'approved' });
    expect(keys[1]).toBe('pay_0mfy2k9a7c3e5g1h8j4m6p2q:s:1:s');
    expect(bodyOf(sent[1]).payment_source.card.attributes).not.toHaveProperty('vault');
  });
});
