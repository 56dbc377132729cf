import type {
  CancelRequest,
  Card,
  ChargeRequest,
  ConfirmRequest,
  HoldRequest,
  LookUpRequest,
  SubmitCardRequest,
} from './port/port.ts';

/** A test card, for tests. */
export const sampleCard: Card = {
  number: '4111111111111111',
  expMonth: 3,
  expYear: 2030,
  cvc: '737',
  holderName: 'Ada Lovelace',
};

const paymentId = 'pay_0mfy2k9a7c3e5g1h8j4m6p2q';
const money = { amount: 4999, currency: 'EUR' };
const urls = {
  returnUrl: 'https://till.example/checkout/return/t_1',
  cancelUrl: 'https://till.example/checkout/return/t_1?cancel=1',
};

/** A charge of a typed card without optional data, for tests. */
export function sampleCharge(changes: Partial<ChargeRequest> = {}): ChargeRequest {
  return {
    paymentId,
    upstreamKey: `${paymentId}:c`,
    ...money,
    instrument: { kind: 'card', card: sampleCard },
    captureMethod: 'automatic',
    authentication: 'automatic',
    ...urls,
    merchantName: 'Acme Store',
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
    save: null,
    riskSession: null,
    transactionContext: null,
    createdAt: new Date('2026-11-20T12:00:00Z'),
    ...changes,
  };
}

/** A confirmation of the payment that `sampleCharge` starts. */
export function sampleConfirm(changes: Partial<ConfirmRequest> = {}): ConfirmRequest {
  return {
    paymentId,
    upstreamKey: `${paymentId}:f:1`,
    upstream: {},
    ...money,
    captureMethod: 'automatic',
    authentication: 'automatic',
    statementDescriptor: null,
    riskSession: null,
    returned: null,
    ...changes,
  };
}

/** A card typed into our page for the payment that `sampleCharge` starts. */
export function sampleSubmit(changes: Partial<SubmitCardRequest> = {}): SubmitCardRequest {
  return {
    paymentId,
    upstreamKey: `${paymentId}:s:1`,
    upstream: {},
    card: sampleCard,
    billingAddress: null,
    authentication: 'automatic',
    ...urls,
    buyer: null,
    save: null,
    ...changes,
  };
}

/** A capture or void of the payment that `sampleCharge` starts. */
export function sampleHold(changes: Partial<HoldRequest> = {}): HoldRequest {
  return {
    paymentId,
    upstreamKey: `${paymentId}:k`,
    upstream: {},
    ...money,
    statementDescriptor: null,
    riskSession: null,
    ...changes,
  };
}

/** A look-up of the payment that `sampleCharge` starts. */
export function sampleLookUp(changes: Partial<LookUpRequest> = {}): LookUpRequest {
  return { paymentId, upstream: {}, ...money, captureMethod: 'automatic', ...changes };
}

/** A cancellation of the payment that `sampleCharge` starts. */
export function sampleCancel(changes: Partial<CancelRequest> = {}): CancelRequest {
  return { paymentId, upstreamKey: `${paymentId}:x`, upstream: {}, ...changes };
}
