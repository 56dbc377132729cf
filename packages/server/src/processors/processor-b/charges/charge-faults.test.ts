import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import type { ChargeRequest } from '../../port/port.ts';
import { bodyOf, reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import {
  authorized,
  captured,
  cardResult,
  connection,
  fault,
  foreignPage,
  orderBody,
  orderId,
  run,
} from '../test-kit.ts';

const charge = (steps: readonly Step[], changes: Partial<ChargeRequest> = {}) =>
  run(steps, (port) => port.charge(connection, sampleCharge(changes)));
const berlin = { line1: 'Torstraße 12', city: 'Berlin', postal_code: '10119', country: 'DE' };

describe('charge, faults', () => {
  it.each([
    [
      fault(401, 'INVALID_ACCOUNT_STATUS'),
      'not_executed',
      'provider_error',
      'status 401 INVALID_ACCOUNT_STATUS',
    ],
    [fault(403, 'PERMISSION_DENIED'), 'not_executed', 'provider_error', 'status 403 PERMISSION_DENIED'],
    [fault(403, 'INSTRUMENT_DECLINED'), 'not_executed', 'provider_error', 'status 403 INSTRUMENT_DECLINED'],
    [fault(422, 'AMOUNT_MISMATCH'), 'not_executed', 'provider_error', 'status 422 AMOUNT_MISMATCH'],
    [fault(422, 'Card 4111'), 'not_executed', 'provider_error', 'status 422 UNPROCESSABLE_ENTITY'],
    [fault(400, 'INVALID_PARAMETER_VALUE', '/intent'), 'not_executed', 'provider_error', expect.any(String)],
    [reply(429), 'not_executed', 'provider_unavailable', 'status 429'],
    [reply(409), 'unknown', 'provider_unavailable', 'status 409'],
    [reply(500), 'unknown', 'provider_error', 'status 500'],
    [reply(502), 'unknown', 'provider_unavailable', 'status 502'],
    [reply(503), 'unknown', 'provider_unavailable', 'status 503'],
    [reply(504), 'unknown', 'provider_unavailable', 'status 504'],
    [reply(302), 'unknown', 'provider_error', 'status 302'],
    [reply(400, {}), 'unknown', 'provider_error', 'status 400'],
    [reply(201, 'nonsense'), 'unknown', 'provider_error', 'malformed answer'],
    [reply(201, { id: '../token', status: 'COMPLETED' }), 'unknown', 'provider_error', 'malformed answer'],
    [reply(201, orderBody('COMPLETED')), 'unknown', 'provider_error', 'payment missing'],
    [reply(201, captured({ status: 'PENDING' })), 'unknown', 'provider_unavailable', 'capture pending'],
    [
      reply(201, authorized({ status: 'PENDING' })),
      'unknown',
      'provider_unavailable',
      'authorization pending',
    ],
    [reply(201, captured({ status: 'NEW' })), 'unknown', 'provider_error', 'unexpected capture status'],
    [reply(201, captured({ custom_id: 'pay_2' })), 'unknown', 'provider_error', 'reference differs'],
    [reply(201, captured({ amount: undefined })), 'unknown', 'provider_error', 'amount missing'],
    [
      reply(201, captured({ amount: { currency_code: 'EUR', value: '1.00' } })),
      'unknown',
      'provider_error',
      'amount differs',
    ],
    [
      reply(201, captured({ status: 'DECLINED', amount: { currency_code: 'USD', value: '49.99' } })),
      'unknown',
      'provider_error',
      'amount differs',
    ],
    [new TransportError('not_sent'), 'not_executed', 'provider_unavailable', 'not_sent'],
    [new TransportError('timeout'), 'unknown', 'provider_unavailable', 'timeout'],
    [new Error('any other fault'), 'unknown', 'provider_unavailable', 'dropped'],
  ])('%# not a definite answer', async (step, kind, answer, reason) => {
    expect((await charge([step])).outcome).toMatchObject({ kind, answer, reason });
  });

  it.each([
    ['capture', captured({ status: 'PENDING' })],
    ['authorization', authorized({ status: 'PENDING' })],
  ])('names the order of a pending %s', async (_, body) => {
    const { outcome } = await charge([reply(201, body)]);
    expect(outcome).toMatchObject({ kind: 'unknown', upstream: { order: orderId } });
  });

  it.each([
    [fault(422, 'PAYEE_ACCOUNT_RESTRICTED'), { status: 422, code: 'PAYEE_ACCOUNT_RESTRICTED' }],
    [
      fault(422, 'INVALID_CURRENCY_CODE', '/purchase_units/0/amount/currency_code'),
      { status: 422, code: 'INVALID_CURRENCY_CODE', param: 'currency' },
    ],
    [
      fault(400, 'INVALID_STRING_LENGTH', '/payment_source/card/name'),
      { status: 400, code: 'INVALID_STRING_LENGTH', param: 'payment_method.holder_name' },
    ],
    [
      fault(400, 'INVALID_PARAMETER_SYNTAX', '/payment_source/card/security_code'),
      { status: 400, code: 'INVALID_PARAMETER_SYNTAX', param: 'payment_method.cvc' },
    ],
    [
      fault(400, 'INVALID_PARAMETER_VALUE', '/purchase_units/0/reference_id'),
      { status: 400, code: 'INVALID_PARAMETER_VALUE' },
    ],
    [fault(422, 'Card 4111'), { status: 422, code: 'UNPROCESSABLE_ENTITY' }],
    [reply(500), { status: 500, code: null }],
  ])('%# has status, code and field', async (step, error) => {
    expect((await charge([step])).outcome).toHaveProperty('error', error);
  });

  it.each([
    ['PREVIOUS_REQUEST_IN_PROGRESS', 409],
    ['DUPLICATE_INVOICE_ID', 422],
  ])('retries the same bytes under the same key after %s', async (issue, status) => {
    const { outcome, sent, keys } = await charge([fault(status, issue), reply(200, captured())]);
    expect(outcome.kind).toBe('succeeded');
    expect(new Set(keys).size).toBe(1);
    expect(new Set(sent.map((request) => request.body.toString())).size).toBe(1);
  });

  it.each([
    [[fault(409, 'PREVIOUS_REQUEST_IN_PROGRESS')], 3],
    [[fault(422, 'DUPLICATE_INVOICE_ID')], 3],
    [[fault(409, 'PREVIOUS_REQUEST_IN_PROGRESS'), new TransportError('not_sent')], 2],
    [[fault(409, 'PREVIOUS_REQUEST_IN_PROGRESS'), fault(403, 'PERMISSION_DENIED')], 2],
  ])('%# unknown where an earlier copy may have been processed', async (steps, requests) => {
    const { outcome, sent } = await charge(steps);
    expect(outcome.kind).toBe('unknown');
    expect(sent).toHaveLength(requests);
  });
});

describe('charge, the capture of an approved order', () => {
  const approved = reply(201, { ...orderBody('APPROVED'), ...cardResult('Y', 'Y', 'POSSIBLE') });

  it.each([reply(400, {}), reply(404, {}), foreignPage, reply(422, {}), reply(500, {})])(
    '%# unknown after an error of another origin than the processor: it may have run',
    async (answer) => {
      const { outcome, sent } = await charge([approved, answer]);
      expect(outcome.kind).toBe('unknown');
      expect(sent).toHaveLength(2);
    },
  );
});

describe('charge, a refused address', () => {
  const addresses = { billingAddress: berlin, deliveryAddress: berlin };
  const refusals: readonly (readonly [string, string | undefined, boolean, boolean])[] = [
    ['BILLING_ADDRESS_INVALID', undefined, true, false],
    ['SHIPPING_ADDRESS_INVALID', undefined, false, true],
    ['CITY_REQUIRED', '/purchase_units/0/shipping/address/admin_area_2', false, true],
    ['POSTAL_CODE_REQUIRED', '/payment_source/card/billing_address/postal_code', true, false],
    ['POSTAL_CODE_REQUIRED', undefined, true, true],
    ['INVALID_PARAMETER_VALUE', '/payment_source/card/billing_address/country_code', true, false],
  ];

  it.each(refusals)('%s %s: retried once without it', async (issue, field, billing, delivery) => {
    const { outcome, sent, keys } = await charge(
      [fault(422, issue, field), reply(201, captured())],
      addresses,
    );
    expect(outcome.kind).toBe('succeeded');
    const copy = billing && delivery ? 'a' : billing ? 'b' : 'd';
    expect(keys).toEqual(['pay_0mfy2k9a7c3e5g1h8j4m6p2q:c', `pay_0mfy2k9a7c3e5g1h8j4m6p2q:c:${copy}`]);
    const repeat = bodyOf(sent[1]);
    expect(repeat.payment_source.card.billing_address === undefined).toBe(billing);
    expect(repeat.purchase_units[0].shipping === undefined).toBe(delivery);
  });

  it('is not retried twice, nor without an address to drop', async () => {
    const again = await charge([fault(422, 'BILLING_ADDRESS_INVALID')], addresses);
    expect(again.outcome).toMatchObject({ kind: 'not_executed' });
    expect(again.sent).toHaveLength(2);
    expect((await charge([fault(422, 'BILLING_ADDRESS_INVALID')])).sent).toHaveLength(1);
  });

  it('is not dropped for an error about the amount', async () => {
    const field = '/purchase_units/0/supplementary_data/card/level_3/shipping_amount/value';
    expect((await charge([fault(400, 'INVALID_PARAMETER_VALUE', field)], addresses)).sent).toHaveLength(1);
  });
});

describe('a repeat that is refused for what a changed copy leaves out', () => {
  const save = { model: 'card_on_file', required: true, upstreamCustomer: null } as const;
  const cannotSave = fault(422, 'NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE');
  const badAddress = fault(422, 'BILLING_ADDRESS_INVALID');
  const repeat = (steps: readonly Step[], changes: Partial<ChargeRequest>) =>
    charge(steps, { isRepeat: true, ...changes });

  it.each([
    [cannotSave, { save }],
    [cannotSave, { save: { ...save, required: false } }],
    [badAddress, { billingAddress: berlin }],
  ] as const)('%# has succeeded where the first request under its key has', async (refused, changes) => {
    const { outcome, keys, sent } = await repeat([refused, reply(200, captured())], changes);
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(new Set(keys).size).toBe(1);
    const { card } = bodyOf(sent[1]).payment_source;
    expect([card.number, card.attributes?.vault]).toEqual([undefined, undefined]);
  });

  it('is refused, or sent as that copy, where the first request was refused so', async () => {
    expect((await repeat([cannotSave, cannotSave], { save })).outcome).toMatchObject({ kind: 'cannot_save' });
    const { outcome, keys } = await repeat([badAddress, badAddress, reply(201, captured())], {
      billingAddress: berlin,
    });
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(keys.at(-1)).toBe(`${keys[0]}:b`);
  });

  it('is in doubt where nobody says what became of the first request', async () => {
    const { outcome, sent } = await repeat([cannotSave, new TransportError('timeout')], { save });
    expect(outcome).toMatchObject({ kind: 'unknown' });
    expect(sent).toHaveLength(2);
  });
});

it.each([408, 409, 425, 499])(
  '%i says nothing about the charge, with a name of its own or without',
  async (status) => {
    const named = reply(status, { name: 'SOMETHING', message: 'x' });
    expect((await charge([named])).outcome).toMatchObject({ kind: 'unknown' });
    expect((await charge([reply(status)])).outcome).toMatchObject({ kind: 'unknown' });
  },
);
