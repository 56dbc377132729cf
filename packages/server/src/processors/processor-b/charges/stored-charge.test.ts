import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import type { RecurringModel, StoredInstrument } from '../../port/instruments.ts';
import type { ChargeRequest } from '../../port/port.ts';
import { bodyOf, reply, type Step } from '../../wire/test-transport.ts';
import {
  authorized,
  captured,
  cardResult,
  connection,
  fault,
  link,
  orderBody,
  orderId,
  run,
  vaulted,
} from '../test-kit.ts';

const onSession: StoredInstrument = {
  kind: 'stored',
  method: 'card',
  token: '8kk845',
  upstreamCustomer: '1234567890',
  model: 'card_on_file',
  initiator: 'customer',
  networkTransactionReference: '123456789012345',
};
const offSession: StoredInstrument = { ...onSession, initiator: 'merchant' };
const wallet: StoredInstrument = { ...onSession, method: 'wallet' };
const charge = (steps: readonly Step[], instrument: StoredInstrument, changes: Partial<ChargeRequest> = {}) =>
  run(steps, (port) => port.charge(connection, sampleCharge({ instrument, ...changes })));
const sourceOf = async (instrument: StoredInstrument, changes: Partial<ChargeRequest> = {}) =>
  bodyOf((await charge([reply(201, captured())], instrument, changes)).sent[0]).payment_source;

describe('a charge of a saved card, the request', () => {
  it.each<[RecurringModel, string, string]>([
    ['card_on_file', 'ONE_TIME', 'UNSCHEDULED'],
    ['subscription', 'RECURRING', 'RECURRING'],
    ['unscheduled_card_on_file', 'UNSCHEDULED', 'UNSCHEDULED'],
  ])('of model %s', async (model, byBuyer, byMerchant) => {
    expect((await sourceOf({ ...onSession, model })).card.stored_credential).toEqual({
      payment_initiator: 'CUSTOMER',
      payment_type: byBuyer,
      usage: 'SUBSEQUENT',
    });
    expect((await sourceOf({ ...offSession, model })).card).toEqual({
      vault_id: '8kk845',
      stored_credential: {
        payment_initiator: 'MERCHANT',
        payment_type: byMerchant,
        usage: 'SUBSEQUENT',
      },
    });
  });

  it('allows authentication only with the buyer present', async () => {
    expect((await sourceOf(onSession, { authentication: 'always' })).card).toMatchObject({
      vault_id: '8kk845',
      attributes: { verification: { method: 'SCA_ALWAYS' } },
      experience_context: { return_url: expect.any(String), cancel_url: expect.any(String) },
    });
    expect((await sourceOf(onSession, { authentication: 'never' })).card).not.toHaveProperty('attributes');
    const { card } = await sourceOf(offSession, { authentication: 'always' });
    expect(Object.keys(card)).toEqual(['vault_id', 'stored_credential']);
  });

  it.each<[RecurringModel, string]>([
    ['card_on_file', 'IMMEDIATE'],
    ['subscription', 'SUBSCRIPTION_PREPAID'],
    ['unscheduled_card_on_file', 'UNSCHEDULED_PREPAID'],
  ])('of a wallet of model %s', async (model, usage_pattern) => {
    for (const [initiator, payment_initiator] of [
      ['customer', 'CUSTOMER'],
      ['merchant', 'MERCHANT'],
    ] as const) {
      expect(await sourceOf({ ...wallet, model, initiator })).toEqual({
        paypal: {
          vault_id: '8kk845',
          stored_credential: { payment_initiator, usage: 'SUBSEQUENT', usage_pattern },
        },
      });
    }
  });

  it('sends Level 2 data with a card, not with a wallet', async () => {
    const order = { lineItems: [], invoiceId: 'INV-1' };
    const unitOf = async (instrument: StoredInstrument) =>
      bodyOf((await charge([reply(201, captured())], instrument, { order })).sent[0]).purchase_units[0];
    expect(await unitOf(onSession)).toMatchObject({
      supplementary_data: { card: { level_2: { invoice_id: 'INV-1' } } },
    });
    expect(await unitOf(wallet)).not.toHaveProperty('supplementary_data');
  });
});

describe('a charge of a saved card, the outcome', () => {
  it('is charged at once, and saved no second time', async () => {
    const answer = { ...captured({ network_transaction_reference: { id: 'N1' } }), ...vaulted('card') };
    const { outcome, calls } = await charge([reply(201, answer)], offSession);
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      facts: { networkTransactionReference: 'N1', saved: null },
    });
    expect(calls).toEqual(['POST /v2/checkout/orders']);
  });

  it.each([onSession, offSession, wallet])(
    '%# is completed where the order is only approved',
    async (one) => {
      const { outcome, calls } = await charge(
        [reply(201, orderBody('APPROVED')), reply(201, captured())],
        one,
      );
      expect(outcome).toMatchObject({ kind: 'succeeded' });
      expect(calls[1]).toBe(`POST /v2/checkout/orders/${orderId}/capture`);
    },
  );

  it('redirects the buyer where the issuer demands it', async () => {
    const answer = reply(201, orderBody('PAYER_ACTION_REQUIRED', {}, { links: [link('payer-action')] }));
    expect((await charge([answer], onSession)).outcome).toMatchObject({
      kind: 'requires_action',
      action: 'processor_b_payer_action',
      redirectUrl: expect.stringContaining('payer-action'),
    });
    expect((await charge([answer], wallet)).outcome).toMatchObject({ action: 'processor_b_wallet' });
  });

  it('is refused where the buyer is absent', async () => {
    const answer = reply(201, orderBody('PAYER_ACTION_REQUIRED', {}, { links: [link('payer-action')] }));
    for (const instrument of [offSession, { ...wallet, initiator: 'merchant' } as const]) {
      const { outcome, sent } = await charge([answer], instrument);
      expect(outcome).toMatchObject({ kind: 'declined', code: 'refused' });
      expect(outcome).not.toHaveProperty('instrumentGone');
      expect(sent).toHaveLength(1);
    }
    const steps = [reply(201, orderBody('APPROVED')), fault(422, 'PAYER_ACTION_REQUIRED')];
    expect((await charge(steps, offSession)).outcome).toMatchObject({ kind: 'declined', code: 'refused' });
  });

  it('charges nothing after a failed authentication', async () => {
    const answer = { ...orderBody('APPROVED'), ...cardResult('Y', 'N', 'NO') };
    expect((await charge([reply(201, answer)], onSession)).outcome).toMatchObject({
      kind: 'declined',
      code: '3ds_failed',
    });
  });
});

describe('a charge of a saved instrument that no longer exists', () => {
  it.each([
    fault(422, 'TOKEN_ID_NOT_FOUND'),
    fault(404, 'TOKEN_ID_NOT_FOUND'),
    fault(422, 'TOKEN_EXPIRED'),
    fault(422, 'AGREEMENT_ALREADY_CANCELLED'),
    fault(422, 'BILLING_AGREEMENT_NOT_FOUND'),
    fault(422, 'IDENTIFIER_NOT_FOUND'),
    fault(422, 'MISMATCHED_VAULT_ID_TO_PAYMENT_SOURCE'),
  ])('%# is declined, and the method is gone', async (step) => {
    for (const instrument of [onSession, offSession, wallet]) {
      expect((await charge([step], instrument)).outcome).toMatchObject({
        kind: 'declined',
        code: 'declined',
        instrumentGone: true,
      });
    }
  });

  it('method is not gone where none was charged', async () => {
    const { outcome } = await charge([fault(422, 'TOKEN_ID_NOT_FOUND')], onSession, {
      instrument: { kind: 'wallet' },
    });
    expect(outcome).toMatchObject({ kind: 'not_executed', answer: 'provider_error' });
  });

  it.each(['INSTRUMENT_DECLINED', 'PAYER_CANNOT_PAY'])(
    'is declined, but the method is not gone: %s',
    async (issue) => {
      const { outcome } = await charge([fault(422, issue)], wallet);
      expect(outcome.kind).toBe('declined');
      expect(outcome).not.toHaveProperty('instrumentGone');
    },
  );

  const advised = (payment_advice_code: string) => ({
    status: 'DECLINED',
    processor_response: { response_code: '9510', payment_advice_code },
  });

  it.each(['03', '21'])('method is gone by the advice %s, where the merchant charges', async (advice) => {
    const gone = { kind: 'declined', code: 'refused', instrumentGone: true };
    expect((await charge([reply(201, captured(advised(advice)))], offSession)).outcome).toMatchObject(gone);
    const denied = authorized({ ...advised(advice), status: 'DENIED' });
    expect((await charge([reply(201, denied)], offSession)).outcome).toMatchObject(gone);
    const steps = [reply(201, orderBody('APPROVED')), reply(201, captured(advised(advice)))];
    expect((await charge(steps, offSession)).outcome).toMatchObject(gone);
    const byBuyer = await charge([reply(201, captured(advised(advice)))], onSession);
    expect(byBuyer.outcome).not.toHaveProperty('instrumentGone');
  });

  it('method stays where the advice is to retry later', async () => {
    const { outcome } = await charge([reply(201, captured(advised('02')))], offSession);
    expect(outcome).toMatchObject({ kind: 'declined', code: 'refused' });
    expect(outcome).not.toHaveProperty('instrumentGone');
  });
});

describe('a repeat that is refused', () => {
  const gone = fault(422, 'TOKEN_ID_NOT_FOUND');
  const repeat = (...steps: Step[]) => charge([gone, ...steps], offSession, { isRepeat: true });

  it('has succeeded where the first request under its key has, which is asked for without the card', async () => {
    const { outcome, keys, sent } = await repeat(reply(200, captured()));
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(new Set(keys).size).toBe(1);
    expect(bodyOf(sent[1]).payment_source.card).not.toHaveProperty('vault_id');
  });

  it('is declined where nothing was carried out under its key', async () => {
    const { outcome } = await repeat(reply(201, orderBody('CREATED', {}, { links: [link('approve')] })));
    expect(outcome).toMatchObject({ kind: 'declined', instrumentGone: true });
  });

  it('is declined where the first one was', async () => {
    expect((await repeat(gone)).outcome).toMatchObject({ kind: 'declined', instrumentGone: true });
    const declined = await repeat(reply(200, captured({ status: 'DECLINED' })));
    expect(declined.outcome).toMatchObject({ kind: 'declined' });
  });

  it('stays in doubt where the first one cannot be asked for', async () => {
    expect((await repeat(fault(400, 'MALFORMED_REQUEST_JSON'))).outcome).toMatchObject({ kind: 'unknown' });
  });
});
