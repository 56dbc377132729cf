// Made from the contract by `npm run generate`; do not change it by hand.
import type {
  Customer,
  CustomerCreate,
  CustomerList,
  CustomerListQuery,
  CustomerUpdate,
} from './customers.ts';
import type { Dispute, DisputeDefend, DisputeList, DisputeListQuery } from './disputes.ts';
import type { Event, EventList, EventListQuery } from './events.ts';
import type { StoredFile } from './files.ts';
import type { PaymentCreate } from './payment-create.ts';
import type {
  PaymentLink,
  PaymentLinkCreate,
  PaymentLinkList,
  PaymentLinkListQuery,
  PaymentLinkUpdate,
} from './payment-links.ts';
import type {
  ClientToken,
  ClientTokenCreate,
  DeletedPaymentMethod,
  PaymentMethod,
  PaymentMethodList,
  PaymentMethodListQuery,
} from './payment-methods.ts';
import type { Payment, PaymentCapture, PaymentList, PaymentListQuery } from './payments.ts';
import type { Payout, PayoutLineList, PayoutList, PayoutListQuery } from './payouts.ts';
import type {
  Approval,
  ApprovalList,
  ApprovalListQuery,
  Refund,
  RefundCreate,
  RefundList,
  RefundListQuery,
} from './refunds.ts';
import type {
  ClockAdvance,
  PaymentApprove,
  RefundSettle,
  TestClock,
  TestDispute,
} from './sandbox-helpers.ts';

export interface OperationShapes {
  createRefund: { path: { payment_id: string }; body: RefundCreate; answer: Refund };
  listRefunds: { path: { payment_id: string }; query: RefundListQuery; answer: RefundList };
  retrieveRefund: { path: { id: string }; answer: Refund };
  settleRefund: { path: { id: string }; body: RefundSettle; answer: Refund };
  createCustomer: { body: CustomerCreate; answer: Customer };
  retrieveCustomer: { path: { id: string }; answer: Customer };
  updateCustomer: { path: { id: string }; body: CustomerUpdate; answer: Customer };
  listCustomers: { query: CustomerListQuery; answer: CustomerList };
  createPayment: { body: PaymentCreate; answer: Payment };
  retrievePayment: { path: { id: string }; answer: Payment };
  listPayments: { query: PaymentListQuery; answer: PaymentList };
  confirmPayment: { path: { id: string }; answer: Payment };
  capturePayment: { path: { id: string }; body: PaymentCapture; answer: Payment };
  voidPayment: { path: { id: string }; answer: Payment };
  advanceClock: { body: ClockAdvance; answer: TestClock };
  approvePayment: { path: { id: string }; body: PaymentApprove; answer: Payment };
  retrieveEvent: { path: { id: string }; answer: Event };
  listEvents: { query: EventListQuery; answer: EventList };
  createPaymentLink: { body: PaymentLinkCreate; answer: PaymentLink };
  retrievePaymentLink: { path: { id: string }; answer: PaymentLink };
  updatePaymentLink: { path: { id: string }; body: PaymentLinkUpdate; answer: PaymentLink };
  listPaymentLinks: { query: PaymentLinkListQuery; answer: PaymentLinkList };
  listApprovals: { query: ApprovalListQuery; answer: ApprovalList };
  retrieveApproval: { path: { id: string }; answer: Approval };
  listPaymentMethods: { path: { id: string }; query: PaymentMethodListQuery; answer: PaymentMethodList };
  retrievePaymentMethod: { path: { id: string }; answer: PaymentMethod };
  deletePaymentMethod: { path: { id: string }; answer: DeletedPaymentMethod };
  deleteCustomerPaymentMethod: { path: { customer_id: string; id: string }; answer: DeletedPaymentMethod };
  createClientToken: { body: ClientTokenCreate; answer: ClientToken };
  listDisputes: { query: DisputeListQuery; answer: DisputeList };
  retrieveDispute: { path: { id: string }; answer: Dispute };
  acceptDispute: { path: { id: string }; answer: Dispute };
  defendDispute: { path: { id: string }; body: DisputeDefend; answer: Dispute };
  createFile: { answer: StoredFile };
  retrieveFile: { path: { id: string }; answer: StoredFile };
  openTestDispute: { path: { id: string }; body: TestDispute; answer: Dispute };
  listPayouts: { query: PayoutListQuery; answer: PayoutList };
  retrievePayout: { path: { id: string }; answer: Payout };
  listPayoutLines: { path: { id: string }; query: PayoutListQuery; answer: PayoutLineList };
}
