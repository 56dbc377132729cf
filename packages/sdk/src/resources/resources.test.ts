import * as contract from '@till/contract';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { OperationShapes } from '../generated/operation-shapes.ts';
import type * as sdk from '../index.ts';
import { playSteps } from '../test-kit.ts';
import type { Till } from '../till.ts';

const file = { name: 'receipt.pdf', content: Buffer.from('%PDF-1.7') };
const query = { per_page: 7, page: 3 };

/** One call of every operation of the contract. The compiler reports missing ones. */
const calls: Record<keyof typeof contract.merchantApi, (till: Till) => Promise<unknown>> = {
  createPayment: (till) => till.payments.create({ amount: 1, currency: 'EUR' }),
  retrievePayment: (till) => till.payments.retrieve('ID'),
  listPayments: (till) => till.payments.list(query),
  confirmPayment: (till) => till.payments.confirm('ID'),
  capturePayment: (till) => till.payments.capture('ID'),
  voidPayment: (till) => till.payments.void('ID'),
  createRefund: (till) => till.refunds.create('PAYMENT_ID', { amount: 1 }),
  listRefunds: (till) => till.refunds.list('PAYMENT_ID', query),
  retrieveRefund: (till) => till.refunds.retrieve('ID'),
  listApprovals: (till) => till.approvals.list(query),
  retrieveApproval: (till) => till.approvals.retrieve('ID'),
  createCustomer: (till) => till.customers.create({ email: 'a@shop.example' }),
  retrieveCustomer: (till) => till.customers.retrieve('ID'),
  updateCustomer: (till) => till.customers.update('ID', { name: null }),
  listCustomers: (till) => till.customers.list(query),
  createPaymentLink: (till) => till.paymentLinks.create({ title: 'Course', currency: 'EUR', amount: 1 }),
  retrievePaymentLink: (till) => till.paymentLinks.retrieve('ID'),
  updatePaymentLink: (till) => till.paymentLinks.update('ID', { status: 'inactive' }),
  listPaymentLinks: (till) => till.paymentLinks.list(query),
  listPaymentMethods: (till) => till.customers.listPaymentMethods('ID', query),
  deleteCustomerPaymentMethod: (till) => till.customers.removePaymentMethod('CUSTOMER_ID', 'ID'),
  retrievePaymentMethod: (till) => till.paymentMethods.retrieve('ID'),
  deletePaymentMethod: (till) => till.paymentMethods.remove('ID'),
  createClientToken: (till) => till.clientTokens.create(),
  retrieveEvent: (till) => till.events.retrieve('ID'),
  listEvents: (till) => till.events.list(query),
  retrieveDispute: (till) => till.disputes.retrieve('ID'),
  listDisputes: (till) => till.disputes.list(query),
  acceptDispute: (till) => till.disputes.accept('ID'),
  defendDispute: (till) => till.disputes.defend('ID', { evidence: [] }),
  createFile: (till) => till.files.create(file),
  retrieveFile: (till) => till.files.retrieve('ID'),
  listPayouts: (till) => till.payouts.list(query),
  retrievePayout: (till) => till.payouts.retrieve('ID'),
  listPayoutLines: (till) => till.payouts.lines('ID', query),
  advanceClock: (till) => till.testHelpers.advanceClock(60),
  approvePayment: (till) => till.testHelpers.approvePayment('ID', 'declined'),
  settleRefund: (till) => till.testHelpers.settleRefund('ID', 'failed'),
  openTestDispute: (till) => till.testHelpers.openDispute('ID'),
};

const operations = Object.values(contract.merchantApi as Readonly<Record<string, contract.Operation>>);

describe('every operation of the contract', () => {
  it('stands in the table', () => {
    expect(Object.keys(calls).sort()).toEqual(Object.keys(contract.merchantApi).sort());
  });

  it.each(operations)('$id is sent as the contract says', async (operation) => {
    const { id, method, path, idempotency, query: takesQuery, body: takesBody, upload } = operation;
    const { till, sent } = playSteps([{ status: 200, body: { data: [] } }]);
    await calls[id as keyof typeof calls](till);
    const [request] = sent;
    const url = new URL(request?.url ?? '');
    expect(request?.method).toBe(method);
    expect(url.pathname).toBe(path.replaceAll(/:(\w+)/g, (_, name: string) => name.toUpperCase()));
    expect(url.search).toBe(takesQuery === undefined ? '' : '?per_page=7&page=3');
    expect(request?.headers['idempotency-key']).toBe(idempotency === 'unused' ? undefined : 'key-1');
    const kind = takesBody === undefined ? (upload === undefined ? 'undefined' : 'object') : 'string';
    expect(typeof request?.body).toBe(kind);
  });
});

describe('a file', () => {
  it.each([
    ['bytes', file.content],
    ['a view into larger bytes', Buffer.from('..%PDF-1.7..').subarray(2, 10)],
    ['a blob', new Blob(['%PDF-1.7'])],
  ])('is sent as a form from %s', async (_what, content) => {
    const { till, sent } = playSteps([{ status: 201 }]);
    await till.files.create({ name: 'receipt.pdf', content });
    const form = sent[0]?.body as FormData;
    const part = form.get('file') as File;
    expect([...form.keys()]).toEqual(['file']);
    expect({ name: part.name, text: await part.text() }).toEqual({ name: 'receipt.pdf', text: '%PDF-1.7' });
  });
});

describe('lists', () => {
  it('by payment method are the same of the customer and of the methods', async () => {
    const { till, sent } = playSteps([{ status: 200, body: { data: [] } }]);
    await till.customers.listPaymentMethods('cus_1', query);
    await till.paymentMethods.list('cus_1', query);
    expect(sent[1]).toEqual(sent[0]);
  });
});

describe('the types', () => {
  it('are those of the contract', () => {
    expectTypeOf<keyof OperationShapes>().toEqualTypeOf<keyof typeof contract.merchantApi>();
    expectTypeOf<sdk.Payment>().toEqualTypeOf<contract.Payment>();
    expectTypeOf<sdk.Refund>().toEqualTypeOf<contract.Refund>();
    expectTypeOf<sdk.PaymentMethod>().toEqualTypeOf<contract.PaymentMethod>();
    expectTypeOf<sdk.Dispute>().toEqualTypeOf<contract.Dispute>();
    expectTypeOf<sdk.StoredFile>().toEqualTypeOf<contract.StoredFile>();
    expectTypeOf<sdk.ClientToken>().toEqualTypeOf<contract.ClientToken>();
    expectTypeOf<sdk.ErrorBody>().toEqualTypeOf<contract.ErrorBody>();
    expectTypeOf<sdk.Event>().toEqualTypeOf<contract.Event>();
    expectTypeOf<contract.Customer>().toExtend<sdk.Customer>();
    // The contract's own request types do not allow an optional field to be undefined.
    expectTypeOf<contract.CustomerCreate>().toExtend<sdk.CustomerCreate>();
    expectTypeOf<Omit<contract.PaymentCreate, `${string}_address`>>().toExtend<sdk.PaymentCreate>();
    expectTypeOf<contract.RefundCreate>().toExtend<sdk.RefundCreate>();
    expectTypeOf<contract.DisputeDefend>().toExtend<sdk.DisputeDefend>();
    expectTypeOf<sdk.TillEvent['type']>().toEqualTypeOf<contract.EventType>();
    expectTypeOf<sdk.ErrorCode>().toEqualTypeOf<contract.ErrorCode>();
    expectTypeOf<sdk.FailureCode>().toEqualTypeOf<contract.FailureCode>();
  });
});
