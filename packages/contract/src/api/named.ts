import { Approval, ApprovalList } from '../objects/approval.ts';
import { ClientToken, ClientTokenCreate } from '../objects/client-token.ts';
import { Customer, CustomerCreate, CustomerList, CustomerUpdate } from '../objects/customer.ts';
import { Dispute, DisputeDefend, DisputeEvidence, DisputeList, TestDispute } from '../objects/dispute.ts';
import { Event, EventList } from '../objects/event.ts';
import { StoredFile } from '../objects/file.ts';
import {
  AvsVerdict,
  BrowserInfo,
  NextAction,
  Payment,
  PaymentList,
  ThreeDSecure,
} from '../objects/payment.ts';
import { PaymentCapture, PaymentCreate } from '../objects/payment-create.ts';
import {
  AmountRange,
  PaymentLink,
  PaymentLinkCreate,
  PaymentLinkList,
  PaymentLinkUpdate,
} from '../objects/payment-link.ts';
import { DeletedPaymentMethod, PaymentMethod, PaymentMethodList } from '../objects/payment-method.ts';
import { Payout, PayoutLine, PayoutLineList, PayoutList } from '../objects/payout.ts';
import { Refund, RefundCreate, RefundList, RefundSettle } from '../objects/refund.ts';
import { ClockAdvance, PaymentApprove, TestClock } from '../objects/sandbox-helpers.ts';
import { Address } from '../primitives/address.ts';
import { ErrorBody } from '../primitives/error.ts';
import { LineItem } from '../primitives/line-item.ts';

/** All schemas with a name. Other schemas refer to them, and OpenAPI lists them. */
export const namedSchemas = [
  Address,
  AvsVerdict,
  BrowserInfo,
  LineItem,
  ThreeDSecure,
  NextAction,
  Customer,
  CustomerCreate,
  CustomerUpdate,
  CustomerList,
  Payment,
  PaymentCreate,
  PaymentCapture,
  PaymentList,
  PaymentMethod,
  PaymentMethodList,
  DeletedPaymentMethod,
  AmountRange,
  PaymentLink,
  PaymentLinkCreate,
  PaymentLinkUpdate,
  PaymentLinkList,
  ClientToken,
  ClientTokenCreate,
  Refund,
  RefundCreate,
  RefundList,
  RefundSettle,
  Approval,
  ApprovalList,
  Dispute,
  DisputeList,
  DisputeEvidence,
  DisputeDefend,
  TestDispute,
  StoredFile,
  Payout,
  PayoutList,
  PayoutLine,
  PayoutLineList,
  Event,
  EventList,
  ErrorBody,
  ClockAdvance,
  TestClock,
  PaymentApprove,
];
