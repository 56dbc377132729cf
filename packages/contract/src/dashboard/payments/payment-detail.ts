import { type Static, Type } from 'typebox';
import { IsoTime } from '../../api/dashboard-operation.ts';
import { Customer } from '../../objects/customer.ts';
import { Dispute } from '../../objects/dispute.ts';
import { BrowserInfo, Payment } from '../../objects/payment.ts';
import { PaymentMethod } from '../../objects/payment-method.ts';
import { Refund } from '../../objects/refund.ts';
import { Address } from '../../primitives/address.ts';
import { Nullable, Provider, Ref } from '../../primitives/common.ts';
import { LineItem } from '../../primitives/line-item.ts';
import { cardTestingKinds } from '../settings/card-testing.ts';
import { PaymentAlert } from './payment-alerts.ts';

/** The delivery of an event to one endpoint, with its result. */
export const EventDelivery = Type.Object({
  id: Type.String(),
  endpoint: Type.String(),
  /** The merchant's name for the endpoint. */
  name: Nullable(Type.String()),
  /** Scheme and host only. The rest of the address may be secret, and all members see this. */
  url: Type.String(),
  state: Type.Enum(['pending', 'succeeded', 'failed', 'parked']),
  attempts: Type.Integer(),
  /** Account time. Null if it is due at once or will not be attempted again. */
  next_attempt_at: Nullable(IsoTime),
});
export type EventDelivery = Static<typeof EventDelivery>;

export const timelineKinds = [
  'payment.created',
  /** The buyer's browser returned from the approval or challenge page. This proves nothing by itself. */
  'buyer.returned',
  /** The processor reported a 3-D Secure result. */
  'authentication.reported',
  'refund.created',
  /** The issuer declined the capture of a hold, which also causes `payment.failed`. */
  'capture.declined',
  /** The processor reported a problem with the settled payment: `alert.` followed by one of `alertKinds`. */
  'alert.capture_failed',
  'alert.capture_reversed',
  'alert.cancelled_upstream',
  'alert.charged_twice',
  'alert.hold_voided',
  'alert.reversal_failed',
  'alert.fraud_reported',
  /** An attempt on the checkout page was delayed or refused because of suspected card testing. */
  'card_testing.slowed',
  'card_testing.refused',
] as const;

/** One step in the history of the payment, its refunds or disputes. Steps are in chronological order. */
export const TimelineStep = Type.Object({
  /** One of `timelineKinds`, or an event type. */
  kind: Type.String(),
  /** In account time. */
  at: IsoTime,
  /** Id of the payment, refund or dispute. */
  object: Type.String(),
  /** Null if there is no event for the step. */
  event: Nullable(Type.String()),
  deliveries: Type.Array(EventDelivery),
  /** The person who requested it in the dashboard. Null if it was the API, the buyer or nobody. */
  by: Nullable(Type.String({ description: 'E-mail address.' })),
});
export type TimelineStep = Static<typeof TimelineStep>;

/** Whether an action is possible now. */
export const ActionState = Type.Object({
  allowed: Type.Boolean(),
  /** Why it is not, as text for people. Null if it is allowed. */
  reason: Nullable(Type.String()),
});
export type ActionState = Static<typeof ActionState>;

/** Attempts at the payment that card testing limits slowed down or refused. */
export const CardTestingMark = Type.Object({
  effect: Type.Enum(['slowed', 'refused']),
  /** The counter that reached its limit. */
  because: Type.Enum([...cardTestingKinds]),
  times: Type.Integer(),
  /** Time of the first attempt, in account time. */
  at: IsoTime,
});

const PartOfAmount = Type.Optional(Type.Integer());
const Given = Type.Optional(Type.String());

/** What the merchant sent about the order. */
export const OrderData = Type.Object({
  line_items: Type.Array(Ref(LineItem)),
  tax_amount: PartOfAmount,
  shipping_amount: PartOfAmount,
  handling_amount: PartOfAmount,
  discount_amount: PartOfAmount,
  duty_amount: PartOfAmount,
  invoice_id: Given,
  description: Given,
  ships_from_postal_code: Given,
});
export type OrderData = Static<typeof OrderData>;

/** The data that the risk engine received. */
export const RiskData = Type.Object({
  /** The buyer's address as sent, or else the caller's. Null if the merchant charged without the buyer. */
  shopper_ip: Nullable(Type.String()),
  device_fingerprint: Nullable(Type.String()),
  browser_info: Nullable(Ref(BrowserInfo)),
  /** As sent to the processor: the payment's addresses, or else the customer's. Null if none was complete. */
  billing_address: Nullable(Ref(Address)),
  delivery_address: Nullable(Ref(Address)),
  /** Data about the buyer's risk (spec, `stc`). */
  stc: Nullable(Type.Record(Type.String(), Type.String())),
});
export type RiskData = Static<typeof RiskData>;

/** How the payment was processed. */
export const ProcessingData = Type.Object({
  processor: Provider,
  /** The processor's own ids, by their kind. */
  upstream: Type.Record(Type.String(), Type.String()),
  network_transaction_reference: Nullable(Type.String()),
  /** The requested use of 3-D Secure. */
  authentication: Type.Enum(['never', 'automatic', 'always']),
  merchant_initiated: Type.Boolean(),
  success_url: Nullable(Type.String()),
  failure_url: Nullable(Type.String()),
  /** End of the 15 minutes for confirmation. Null if the buyer never had to do anything. */
  confirm_by: Nullable(IsoTime),
  /** The operation that the processor has not answered yet. */
  in_doubt: Nullable(
    Type.Object({
      kind: Type.Enum(['charge', 'confirm', 'capture', 'void', 'expire', 'cancel']),
      since: IsoTime,
    }),
  ),
});
export type ProcessingData = Static<typeof ProcessingData>;

/** Everything that the page of one payment shows. Amounts are in minor units of the payment's currency. */
export const PaymentDetail = Type.Object({
  payment: Ref(Payment),
  /** Account time. */
  now: IsoTime,
  customer: Nullable(Ref(Customer)),
  /** The saved method that the payment charged or saved. Null if there is none or it was removed. */
  saved_method: Nullable(Ref(PaymentMethod)),
  money: Type.Object({
    captured: Type.Integer(),
    refunded: Type.Integer(),
    refund_pending: Type.Integer(),
    disputed: Type.Integer({
      description: 'Neither refunded nor refundable: covered by a chargeback that is open, lost or accepted.',
    }),
    remaining: Type.Integer({ description: 'What can still be refunded.' }),
    /** The largest refund that the person's role may make at once. Null if there is no limit. */
    refund_limit: Nullable(Type.Integer()),
  }),
  actions: Type.Object({ capture: ActionState, void: ActionState, refund: ActionState }),
  /** Newest first, at most 100. */
  refunds: Type.Array(Ref(Refund)),
  /** Ids of failed refunds that nobody has acknowledged, oldest first. */
  failed_refunds: Type.Array(Type.String()),
  disputes: Type.Array(Ref(Dispute)),
  /** Oldest first. */
  alerts: Type.Array(PaymentAlert),
  /**
   * Attempts on the checkout page that were slowed down or refused because of suspected card testing, in
   * order.
   */
  card_testing: Type.Array(CardTestingMark),
  /** The payouts with a line about the payment, oldest first. */
  payouts: Type.Array(
    Type.Object({
      id: Type.String(),
      arrival_date: Type.String(),
      currency: Type.String(),
      /** The sum of its lines in that payout, in minor units. */
      net: Type.Integer(),
    }),
  ),
  order: OrderData,
  risk: RiskData,
  processing: ProcessingData,
  timeline: Type.Array(TimelineStep),
});
export type PaymentDetail = Static<typeof PaymentDetail>;
