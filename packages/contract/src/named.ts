import { Address } from './address.ts';
import { ClientToken, ClientTokenCreate } from './client-token.ts';
import { Customer, CustomerCreate, CustomerList, CustomerUpdate } from './customer.ts';
import { Dispute, DisputeDefend, DisputeEvidence, DisputeList, TestDispute } from './dispute.ts';
import { ErrorBody } from './error.ts';
import { Event, EventList } from './event.ts';
import { StoredFile } from './file.ts';
import { LineItem } from './line-item.ts';
import { AvsVerdict, BrowserInfo, NextAction, Payment, PaymentList, ThreeDSecure } from './payment.ts';
import { PaymentCapture, PaymentCreate } from './payment-create.ts';
import { DeletedPaymentMethod, PaymentMethod, PaymentMethodList } from './payment-method.ts';
import { Refund, RefundCreate, RefundList, RefundSettle } from './refund.ts';
import { ClockAdvance, PaymentApprove, TestClock } from './sandbox-helpers.ts';

/** Every schema that has a name: others refer to it, and OpenAPI lists it. */
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
  ClientToken,
  ClientTokenCreate,
  Refund,
  RefundCreate,
  RefundList,
  RefundSettle,
  Dispute,
  DisputeList,
  DisputeEvidence,
  DisputeDefend,
  TestDispute,
  StoredFile,
  Event,
  EventList,
  ErrorBody,
  ClockAdvance,
  TestClock,
  PaymentApprove,
];
