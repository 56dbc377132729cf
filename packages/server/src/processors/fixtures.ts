import type { ChargeRequest } from './port.ts';

/** A charge of a typed card with nothing optional in it, for tests. */
export function sampleCharge(changes: Partial<ChargeRequest> = {}): ChargeRequest {
  return {
    paymentId: 'pay_0mfy2k9a7c3e5g1h8j4m6p2q',
    upstreamKey: 'pay_0mfy2k9a7c3e5g1h8j4m6p2q:c',
    amount: 4999,
    currency: 'EUR',
    card: { number: '4111111111111111', expMonth: 3, expYear: 2030, cvc: '737', holderName: 'Ada Lovelace' },
    authentication: 'automatic',
    returnUrl: 'https://till.example/checkout/return/t_1',
    reference: null,
    statementDescriptor: null,
    buyer: null,
    billingAddress: null,
    deliveryAddress: null,
    shopperIp: null,
    deviceFingerprint: null,
    browserInfo: null,
    acceptHeader: null,
    userAgent: null,
    order: { lineItems: [] },
    createdAt: new Date('2026-11-20T12:00:00Z'),
    ...changes,
  };
}
