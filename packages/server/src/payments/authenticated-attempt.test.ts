import type { PaymentCreate } from '@till/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyEffect } from '../processor-notifications/apply-effect.ts';
import { createProcessorA } from '../processors/processor-a/adapter.ts';
import { connection } from '../processors/processor-a/test-kit.ts';
import { bodyOf, reply, type Step } from '../processors/wire/test-transport.ts';
import { TransportError } from '../processors/wire/transport.ts';
import { confirmPayment } from './operations/confirm.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const automatic = { connection: { connected: true, threeDSecure: 'enabled' } } as const;
const challengeable: PaymentCreate = {
  ...cardPayment,
  success_url: 'https://shop.example/paid',
  failure_url: 'https://shop.example/failed',
};
const pay = (request: PaymentCreate = challengeable) => shop.pay('k', automatic, request);
const saving: PaymentCreate = {
  ...challengeable,
  customer: { email: 'ada@shop.example' },
  save_payment_method: true,
  recurring_processing_model: 'subscription',
};

/** An attempt that the issuer refuses until its buyer is authenticated; the notification may lack the acquirer's reason. */
const asksForAuthentication = reply(200, {
  resultCode: 'Refused',
  pspReference: 'PSP1',
  refusalReason: 'Refused',
  refusalReasonCode: '2',
  additionalData: { refusalReasonRaw: '1A : Authentication required' },
});
const challenge = (psp?: string) =>
  reply(200, {
    resultCode: 'RedirectShopper',
    ...(psp === undefined ? {} : { pspReference: psp }),
    action: { type: 'redirect', method: 'GET', url: 'https://bank.example/challenge' },
  });
const lost = new TransportError('timeout');

/** Lets the real adapter charge at an upstream that answers the first request of each key so, and keeps that answer. */
function upstreamThat(answers: { readonly first: Step; readonly challenged: Step }) {
  const keys: string[] = [];
  const port = createProcessorA({
    transport: async (request) => {
      keys.push(String(request.headers['idempotency-key']).replace(/^pay_[^:]*/, ''));
      const isChallenged = bodyOf(request).authenticationData?.attemptAuthentication === 'always';
      const answer = isChallenged ? answers.challenged : answers.first;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    delay: async () => {},
    elapsed: () => 0,
    observe: () => {},
  });
  kit.processor.answers = { charge: (_connection, request) => port.charge(connection, request) };
  return keys;
}

/** Applies AUTHORISATION, with what the adapter makes of it. */
async function notify(pspReference: string, changes: object = {}) {
  const { id } = await shop.paymentOf('k');
  const port = createProcessorA({
    transport: async () => reply(500),
    delay: async () => {},
    elapsed: () => 0,
    observe: () => {},
  });
  const effects = await port.interpretNotification(connection, {
    eventCode: 'AUTHORISATION',
    pspReference,
    merchantReference: id,
    success: 'false',
    reason: 'Refused',
    amount: { currency: 'EUR', value: 4990 },
    ...changes,
  });
  if (!('map' in effects)) throw new Error('not interpreted');
  const features = { ...kit, disputes: undefined as never };
  return Promise.all(effects.map((effect) => applyEffect(features, shop.context(), effect, null)));
}
const state = async () => {
  const { status, failure_code: code } = await shop.paymentOf('k');
  return code === null ? status : `${status} ${code}`;
};
const confirm = async () =>
  confirmPayment(kit.payments, shop.context(), (await shop.paymentOf('k')).id, {
    claim: null,
    resumes: null,
  });

beforeEach(async () => {
  shop = await Shop.open(kit);
});

describe('the refusal of a first attempt after which the buyer is challenged', () => {
  it.each<[string, object]>([
    ['names the reason', { reason: 'Authentication required' }],
    [
      'names the model for which the card is saved',
      {
        reason: 'Authentication required',
        additionalData: { recurringProcessingModel: 'Subscription', shopperInteraction: 'Ecommerce' },
      },
    ],
    [
      'names the model, and not that the buyer is present',
      { reason: 'Authentication required', additionalData: { recurringProcessingModel: 'Subscription' } },
    ],
    ['names nothing of it', {}],
  ])('settles nothing where its notification %s', async (_, changes) => {
    upstreamThat({ first: asksForAuthentication, challenged: challenge() });
    expect((await pay(saving)).status).toBe(201);
    expect(await notify('PSP1', changes)).toEqual(['applied']);
    expect(await state()).toBe('requires_action');
  });

  it('settles nothing where the upstream names the challenge', async () => {
    upstreamThat({ first: asksForAuthentication, challenged: challenge('PSP2') });
    await pay();
    expect(await notify('PSP1')).toEqual(['applied']);
    expect(await notify('PSP0')).toEqual(['applied']);
    expect(await state()).toBe('requires_action');
  });

  it('settles nothing while the challenge’s own response is lost, so that a retry gets the challenge', async () => {
    const keys = upstreamThat({ first: asksForAuthentication, challenged: lost });
    expect(await pay()).toMatchObject({ status: 503 });
    expect(await notify('PSP1')).toEqual(['applied']);
    expect(await state()).toBe('processing');
    keys.push(...upstreamThat({ first: lost, challenged: challenge() }));
    expect((await pay()).status).toBe(201);
    expect(await notify('PSP1')).toEqual(['applied']);
    expect(await state()).toBe('requires_action');
    expect(keys).toEqual([':c', ':c:s']);
  });

  it('is not applied before the charge has its answer', async () => {
    const seen: unknown[] = [];
    upstreamThat({ first: asksForAuthentication, challenged: challenge() });
    const { charge } = kit.processor.answers;
    kit.processor.answers.charge = async (...call) => {
      seen.push(await notify('PSP1', { reason: 'Refused' }));
      return charge?.(...call) ?? noAnswer;
    };
    await pay();
    expect(seen).toEqual([['later']]);
    expect(await state()).toBe('requires_action');
  });

  it('changes nothing that settled before it', async () => {
    upstreamThat({ first: asksForAuthentication, challenged: challenge() });
    await pay();
    kit.processor.answers.confirm = async () => chargedAs('PSP2');
    await confirm();
    expect(await notify('PSP1')).toEqual(['applied']);
    const { upstream, id } = await shop.paymentOf('k');
    expect([await state(), upstream.psp]).toEqual(['succeeded', 'PSP2']);
    expect(await shop.eventsOf(id)).toEqual(['payment.requires_action', 'payment.succeeded']);
  });
});

describe('the refusal of the challenged attempt', () => {
  it.each([undefined, 'PSP2'])('settles a payment whose challenge the upstream names %s', async (named) => {
    upstreamThat({ first: asksForAuthentication, challenged: challenge(named) });
    await pay();
    expect(await notify('PSP2', { reason: '3D Not Authenticated' })).toEqual(['applied']);
    expect(await state()).toBe('failed 3ds_failed');
  });

  it('settles a payment whose buyer was challenged at once, also where it asks for authentication', async () => {
    upstreamThat({ first: challenge('PSP1'), challenged: lost });
    await pay();
    expect(await notify('PSP1', { reason: 'Authentication required' })).toEqual(['applied']);
    expect(await state()).toBe('failed refused');
  });

  it('settles a payment whose confirm got no answer, after a late refusal of the first attempt', async () => {
    upstreamThat({ first: asksForAuthentication, challenged: challenge() });
    await pay();
    kit.processor.answers.confirm = async () => noAnswer;
    await expect(confirm()).rejects.toMatchObject({ status: 503 });
    expect(await notify('PSP1')).toEqual(['applied']);
    expect(await state()).toBe('requires_action');
    expect(await notify('PSP2', { reason: 'Authentication required' })).toEqual(['applied']);
    expect(await state()).toBe('failed refused');
  });

  it('gives way to an approval under any reference', async () => {
    upstreamThat({ first: asksForAuthentication, challenged: challenge('PSP2') });
    await pay();
    expect(await notify('PSP3', { success: 'true', reason: '' })).toEqual(['applied']);
    expect(await state()).toBe('succeeded');
  });
});

describe('a refusal that asks for an authentication that nobody can give', () => {
  it('settles the charge without the buyer whose answer was lost', async () => {
    kit.processor.answers.charge = async () => ({
      kind: 'succeeded',
      facts: { ...chargedAs('PSP1').facts, saved: { token: 'TOKEN1', upstreamCustomer: null } },
    });
    const { text } = await shop.pay('first', automatic, saving);
    const { customer, payment_method_id: stored } = JSON.parse(text);
    const { payment_method: _card, ...request } = cardPayment;
    kit.processor.answers.charge = async () => noAnswer;
    await pay({ ...request, customer, stored_payment_method: stored, merchant_initiated: true });
    expect(await notify('PSP2', { reason: 'Authentication required' })).toEqual(['applied']);
    expect(await state()).toBe('failed refused');
  });

  it('settles nothing of a buyer’s charge whose answer was lost: a retry challenges the buyer', async () => {
    upstreamThat({ first: lost, challenged: lost });
    await pay();
    expect(await notify('PSP1', { reason: 'Authentication required' })).toEqual(['applied']);
    expect(await state()).toBe('processing');
    upstreamThat({ first: asksForAuthentication, challenged: challenge() });
    expect((await pay()).status).toBe(201);
    expect(await state()).toBe('requires_action');
    await recoverPayments(kit.payments);
    expect(await state()).toBe('requires_action');
  });
});
