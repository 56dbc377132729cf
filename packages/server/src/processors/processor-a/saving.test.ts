import { describe, expect, it } from 'vitest';
import { sampleCharge, sampleConfirm } from '../fixtures.ts';
import type { ChargeRequest } from '../port/port.ts';
import { bodyOf, reply, type Step } from '../wire/test-transport.ts';
import { TransportError } from '../wire/transport.ts';
import { approved, buyer, connection, fault, run, storedCard } from './test-kit.ts';

const charge = (steps: readonly Step[], changes: Partial<ChargeRequest>) =>
  run(steps, (port) => port.charge(connection, sampleCharge({ buyer, ...changes })));

const save = { model: 'subscription', upstreamCustomer: null, required: true } as const;
const token = 'M5N7TQ4TG5PFWR50';
const refused = (refusalReasonCode: string, refusalReasonRaw?: string) =>
  reply(200, {
    resultCode: 'Refused',
    pspReference: 'P3',
    refusalReasonCode,
    additionalData: { refusalReasonRaw },
  });
const redirect = reply(200, {
  resultCode: 'RedirectShopper',
  action: { type: 'redirect', method: 'GET', url: 'https://acs.example/c?id=1' },
});

describe('createProcessorA, saving a card', () => {
  it.each([
    ['card_on_file', 'CardOnFile'],
    ['subscription', 'Subscription'],
    ['unscheduled_card_on_file', 'UnscheduledCardOnFile'],
  ] as const)('requests storage for %s', async (model, recurringProcessingModel) => {
    const { sent } = await charge([approved], { save: { ...save, model } });
    expect(bodyOf(sent[0])).toMatchObject({
      storePaymentMethod: true,
      shopperReference: buyer.id,
      shopperInteraction: 'Ecommerce',
      recurringProcessingModel,
      paymentMethod: { number: '4111111111111111', cvc: '737' },
    });
  });

  it('requests no storage where nothing is to be saved', async () => {
    const { sent } = await charge([approved], { save: null });
    expect(bodyOf(sent[0])).not.toHaveProperty('storePaymentMethod');
    expect(bodyOf(sent[0])).not.toHaveProperty('recurringProcessingModel');
  });

  it('requests no storage without a customer', async () => {
    await expect(charge([approved], { save, buyer: null })).rejects.toThrow('named buyers');
  });

  const answer = (additionalData: Record<string, string>) =>
    reply(200, { resultCode: 'Authorised', pspReference: 'P2', additionalData });
  const charged = (additionalData: Record<string, string>, changes: Partial<ChargeRequest>) =>
    charge([answer(additionalData)], changes).then(({ outcome }) => outcome);

  it.each([
    ['the token', { 'tokenization.storedPaymentMethodId': token }],
    ['its older name', { 'recurring.recurringDetailReference': token }],
    [
      'the newer of two names',
      { 'recurring.recurringDetailReference': 'OLD', 'tokenization.storedPaymentMethodId': token },
    ],
  ])('reports %s', async (_, additionalData) => {
    expect(await charged(additionalData, { save })).toMatchObject({
      kind: 'succeeded',
      facts: { saved: { token, upstreamCustomer: null } },
    });
  });

  it.each([
    ['no token was notified', {}, { save }],
    ['the token is none', { 'tokenization.storedPaymentMethodId': 'x'.repeat(65) }, { save }],
    ['nothing was to be saved', { 'tokenization.storedPaymentMethodId': token }, { save: null }],
    [
      'the charge was one of a stored card',
      { 'recurring.recurringDetailReference': token },
      { instrument: storedCard() },
    ],
  ])('no saved method where %s', async (_, additionalData, changes) => {
    expect(await charged(additionalData, changes)).toMatchObject({
      kind: 'succeeded',
      facts: { saved: null },
    });
  });

  it('returns the token of a payment after a challenge', async () => {
    const named = {
      merchantReference: sampleCharge().paymentId,
      pspReference: 'P2',
      resultCode: 'Authorised',
    };
    const details = reply(200, { ...named, additionalData: { 'tokenization.storedPaymentMethodId': token } });
    const { outcome } = await run([details], (port) =>
      port.confirm(connection, sampleConfirm({ returned: [{ redirectResult: 'r' }] })),
    );
    expect(outcome).toMatchObject({ kind: 'succeeded', facts: { saved: { token } } });
  });
});

describe('createProcessorA, charging a stored card', () => {
  it.each([
    ['customer', 'card_on_file', 'CardOnFile'],
    ['customer', 'subscription', 'CardOnFile'],
    ['customer', 'unscheduled_card_on_file', 'CardOnFile'],
    ['merchant', 'card_on_file', 'UnscheduledCardOnFile'],
    ['merchant', 'subscription', 'Subscription'],
    ['merchant', 'unscheduled_card_on_file', 'UnscheduledCardOnFile'],
  ] as const)('by the %s, saved for %s: %s', async (initiator, model, recurringProcessingModel) => {
    const { sent } = await charge([approved], { instrument: storedCard({ initiator, model }) });
    const body = bodyOf(sent[0]);
    expect(body).toMatchObject({
      shopperInteraction: 'ContAuth',
      recurringProcessingModel,
      shopperReference: buyer.id,
    });
    expect(body.paymentMethod).toEqual({ type: 'scheme', storedPaymentMethodId: token });
    expect(body).not.toHaveProperty('storePaymentMethod');
  });

  it('sends no browser data without the buyer', async () => {
    const changes = { userAgent: 'curl', authentication: 'always' } as const;
    const { sent } = await charge([approved], { ...changes, instrument: storedCard() });
    for (const member of ['authenticationData', 'browserInfo', 'origin', 'channel', 'sessionValidity']) {
      expect(bodyOf(sent[0])).not.toHaveProperty(member);
    }
    const attended = storedCard({ initiator: 'customer' });
    const { sent: others } = await charge([approved], { ...changes, instrument: attended });
    expect(bodyOf(others[0])).toMatchObject({
      authenticationData: { attemptAuthentication: 'always' },
      browserInfo: { userAgent: 'curl' },
    });
  });

  it('refuses a method without owner, and a wallet', async () => {
    await expect(charge([approved], { instrument: storedCard(), buyer: null })).rejects.toThrow('named');
    await expect(charge([approved], { instrument: storedCard({ method: 'wallet' }) })).rejects.toThrow(
      'offers no stored',
    );
  });

  it.each([
    redirect,
    reply(200, { resultCode: 'RedirectShopper', action: { method: 'POST' } }),
    reply(200, { resultCode: 'ChallengeShopper' }),
    reply(200, { resultCode: 'IdentifyShopper' }),
  ])('%# a challenge without the buyer is a refusal', async (step) => {
    const { outcome } = await charge([step], { instrument: storedCard() });
    expect(outcome).toMatchObject({ kind: 'declined', code: 'refused' });
  });

  it('redirects a present buyer to the challenge', async () => {
    const { outcome } = await charge([redirect], { instrument: storedCard({ initiator: 'customer' }) });
    expect(outcome).toMatchObject({ kind: 'requires_action', redirectUrl: 'https://acs.example/c?id=1' });
  });

  it.each([
    ['merchant', '50', undefined, true],
    ['customer', '50', undefined, true],
    ['merchant', '26', undefined, true],
    ['customer', '26', undefined, undefined],
    ['merchant', '2', 'R0 : Stop payment order', true],
    ['merchant', '2', 'R1 : Revocation of authorization', true],
    ['merchant', '2', 'r3: Revocation of all authorizations', true],
    ['customer', '2', 'R1 : Revocation of authorization', undefined],
    ['merchant', '2', 'R2 : Something', undefined],
    ['merchant', '38', undefined, undefined],
    ['merchant', '5', undefined, undefined],
  ] as const)('by the %s, refused %s %s: method is gone %s', async (initiator, code, raw, instrumentGone) => {
    const { outcome, sent } = await charge([refused(code, raw)], {
      authentication: 'never',
      instrument: storedCard({ initiator }),
    });
    expect(outcome).toMatchObject({ kind: 'declined' });
    expect(outcome).toHaveProperty('facts.upstream.psp', 'P3');
    expect('instrumentGone' in outcome ? outcome.instrumentGone : undefined).toBe(instrumentGone);
    expect(sent).toHaveLength(1);
  });

  it('a refused typed card marks no method as gone', async () => {
    const { outcome } = await charge([refused('50')], {});
    expect(outcome).not.toHaveProperty('instrumentGone');
  });

  it.each(['800', '803'])('422/%s: the token is gone', async (code) => {
    const { outcome } = await charge([fault(422, code)], { instrument: storedCard() });
    expect(outcome).toMatchObject({ kind: 'declined', code: 'declined', instrumentGone: true });
    const typed = await charge([fault(422, code)], {});
    expect(typed.outcome).toMatchObject({ kind: 'not_executed', answer: 'provider_error' });
  });

  it('unknown where the answer was lost', async () => {
    const { outcome } = await charge([new TransportError('timeout')], { instrument: storedCard() });
    expect(outcome).toMatchObject({ kind: 'unknown', answer: 'provider_unavailable' });
  });
});

describe('createProcessorA, an issuer that demands authentication', () => {
  it.each([
    ['reason 38', refused('38')],
    ['raw code 1A', refused('2', '1A : Authentication required')],
    ['its words', refused('2', 'Authentication Required')],
  ])('retried once with a challenge: %s', async (_, step) => {
    const { outcome, sent, keys } = await charge([step, redirect], { authentication: 'automatic' });
    expect(outcome).toMatchObject({ kind: 'requires_action' });
    expect(sent.map((one) => bodyOf(one).authenticationData.attemptAuthentication)).toEqual([
      undefined,
      'always',
    ]);
    expect(keys).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:c', 'pay_0mfy2k9a7c3e5g1h8j4m6p2q:c:s']);
  });

  it('retried for a stored card with the buyer too', async () => {
    const instrument = storedCard({ initiator: 'customer' });
    const { outcome, sent } = await charge([refused('38'), redirect], { instrument });
    expect(outcome).toMatchObject({ kind: 'requires_action' });
    expect(sent).toHaveLength(2);
  });

  it('is not retried twice', async () => {
    const { outcome, sent } = await charge([refused('38')], {});
    expect(outcome).toMatchObject({ kind: 'declined', code: 'refused' });
    expect(sent).toHaveLength(2);
  });

  it.each<[string, Partial<ChargeRequest>]>([
    ['the merchant wants no challenge', { authentication: 'never' }],
    ['it was asked for already', { authentication: 'always' }],
    ['the buyer is not there', { instrument: storedCard() }],
  ])('is not retried where %s', async (_, changes) => {
    const { outcome, sent } = await charge([refused('38')], changes);
    expect(outcome).toMatchObject({ kind: 'declined', code: 'refused' });
    expect(sent).toHaveLength(1);
  });

  it('is not retried where the authentication took place', async () => {
    const answer = {
      resultCode: 'Refused',
      refusalReasonCode: '38',
      additionalData: { threeDAuthenticatedResponse: 'Y' },
    };
    expect((await charge([reply(200, answer)], {})).sent).toHaveLength(1);
  });

  it('retries without a refused address first, then with a challenge', async () => {
    const billingAddress = { line1: 'A', city: 'Berlin', postal_code: '10119', country: 'DE' };
    const steps = [fault(422, '131'), refused('38'), approved];
    const { outcome, keys } = await charge(steps, { billingAddress });
    expect(outcome.kind).toBe('succeeded');
    expect(keys.map((key) => key?.slice('pay_0mfy2k9a7c3e5g1h8j4m6p2q'.length))).toEqual([
      ':c',
      ':c:a',
      ':c:a:s',
    ]);
  });

  it('unknown where the second answer was lost', async () => {
    const { outcome } = await charge([refused('38'), new TransportError('timeout')], {});
    expect(outcome).toMatchObject({ kind: 'unknown' });
  });
});
