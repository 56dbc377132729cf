import { Address } from './address.ts';
import { Customer, CustomerCreate, CustomerList, CustomerUpdate } from './customer.ts';
import { ErrorBody } from './error.ts';
import { Event, EventList } from './event.ts';
import { LineItem } from './line-item.ts';
import {
  AvsVerdict,
  BrowserInfo,
  NextAction,
  Payment,
  PaymentCreate,
  PaymentList,
  ThreeDSecure,
} from './payment.ts';
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
  PaymentList,
  Event,
  EventList,
  ErrorBody,
  ClockAdvance,
  TestClock,
  PaymentApprove,
];
