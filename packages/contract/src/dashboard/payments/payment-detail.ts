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

/** Where an event was sent to, and how that went. */
export const EventDelivery = Type.Object({
  id: Type.String(),
  endpoint: Type.String(),
  /** What the merchant calls the endpoint. */
  name: Nullable(Type.String()),
  /** Scheme and host alone: the rest of the address may be secret, and everybody sees this. */
  url: Type.String(),
  state: Type.Enum(['pending', 'succeeded', 'failed', 'parked']),
  attempts: Type.Integer(),
  /** Account time; null where it is due at once or never again. */
  next_attempt_at: Nullable(IsoTime),
});
export type EventDelivery = Static<typeof EventDelivery>;

export const timelineKinds = [
  'payment.created',
  /** The buyer's browser came back from the approval or challenge page: proves nothing by itself. */
  'buyer.returned',
  /** The processor reported a 3-D Secure result. */
  'authentication.reported',
  'refund.created',
  /** The issuer declined to collect a hold: its `payment.failed`. */
  'capture.declined',
  /** The processor said something against the settled payment: `alert.` and one of `alertKinds`. */
  'alert.capture_failed',
  'alert.capture_reversed',
  'alert.cancelled_upstream',
  'alert.charged_twice',
  'alert.hold_voided',
  'alert.reversal_failed',
  'alert.fraud_reported',
  /** An attempt on the checkout page waited, or was refused, because cards were tried. */
  'card_testing.slowed',
  'card_testing.refused',
] as const;

/** One thing that happened to the payment, its refunds or disputes, first to last. */
export const TimelineStep = Type.Object({
  /** One of `timelineKinds`, or the type of an event. */
  kind: Type.String(),
  /** In account time. */
  at: IsoTime,
  /** Id of the payment, refund or dispute. */
  object: Type.String(),
  /** Null: there is no event for it. */
  event: Nullable(Type.String()),
  deliveries: Type.Array(EventDelivery),
  /** Who asked for it in the dashboard; null: the API, the buyer or nobody. */
  by: Nullable(Type.String({ description: 'E-mail address.' })),
});
export type TimelineStep = Static<typeof TimelineStep>;

/** Whether something can be done now. */
export const ActionState = Type.Object({
  allowed: Type.Boolean(),
  /** Why not, for people. Null where it is allowed. */
  reason: Nullable(Type.String()),
});
export type ActionState = Static<typeof ActionState>;

/** Attempts at the payment that card testing limits slowed down or refused. */
export const CardTestingMark = Type.Object({
  effect: Type.Enum(['slowed', 'refused']),
  /** Which count reached its limit. */
  because: Type.Enum([...cardTestingKinds]),
  times: Type.Integer(),
  /** The first of them, in account time. */
  at: IsoTime,
});

const PartOfAmount = Type.Optional(Type.Integer());
const Given = Type.Optional(Type.String());

/** What the merchant sent about the basket. */
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

/** What the risk engine was given. */
export const RiskData = Type.Object({
  /** Of the buyer, as sent, else of the caller; null where the merchant charged without the buyer. */
  shopper_ip: Nullable(Type.String()),
  device_fingerprint: Nullable(Type.String()),
  browser_info: Nullable(Ref(BrowserInfo)),
  /** As they went out: of the payment, else of the customer; null where none was complete. */
  billing_address: Nullable(Ref(Address)),
  delivery_address: Nullable(Ref(Address)),
  /** Data about the buyer's risk (spec, `stc`). */
  stc: Nullable(Type.Record(Type.String(), Type.String())),
});
export type RiskData = Static<typeof RiskData>;

/** How it was processed. */
export const ProcessingData = Type.Object({
  processor: Provider,
  /** The processor's own ids, by their kind. */
  upstream: Type.Record(Type.String(), Type.String()),
  network_transaction_reference: Nullable(Type.String()),
  /** What was asked for 3-D Secure. */
  authentication: Type.Enum(['never', 'automatic', 'always']),
  merchant_initiated: Type.Boolean(),
  success_url: Nullable(Type.String()),
  failure_url: Nullable(Type.String()),
  /** End of the 15 minutes for confirmation; null where the buyer never had to do anything. */
  confirm_by: Nullable(IsoTime),
  /** Asked of the processor without an answer yet. */
  in_doubt: Nullable(
    Type.Object({
      kind: Type.Enum(['charge', 'confirm', 'capture', 'void', 'expire', 'cancel']),
      since: IsoTime,
    }),
  ),
});
export type ProcessingData = Static<typeof ProcessingData>;

/** All that the page of one payment shows. Amounts in minor units of the payment's currency. */
export const PaymentDetail = Type.Object({
  payment: Ref(Payment),
  /** Account time. */
  now: IsoTime,
  customer: Nullable(Ref(Customer)),
  /** The saved method that it charged or saved; null where there is none, or it was removed. */
  saved_method: Nullable(Ref(PaymentMethod)),
  money: Type.Object({
    captured: Type.Integer(),
    refunded: Type.Integer(),
    refund_pending: Type.Integer(),
    disputed: Type.Integer({
      description: 'Neither refunded nor refundable: covered by a chargeback that is open, lost or accepted.',
    }),
    remaining: Type.Integer({ description: 'What can still be refunded.' }),
    /** The largest refund that the person's role may make at once; null: any. */
    refund_limit: Nullable(Type.Integer()),
  }),
  actions: Type.Object({ capture: ActionState, void: ActionState, refund: ActionState }),
  /** Newest first, at most 100. */
  refunds: Type.Array(Ref(Refund)),
  /** Ids of those that failed and that nobody has dealt with, oldest first. */
  failed_refunds: Type.Array(Type.String()),
  disputes: Type.Array(Ref(Dispute)),
  /** Oldest first. */
  alerts: Type.Array(PaymentAlert),
  /** What happened to attempts on the checkout page because cards were tried, first to last. */
  card_testing: Type.Array(CardTestingMark),
  /** The payouts that have a line of it, oldest first. */
  payouts: Type.Array(
    Type.Object({
      id: Type.String(),
      arrival_date: Type.String(),
      currency: Type.String(),
      /** What its lines in that payout come to, in minor units. */
      net: Type.Integer(),
    }),
  ),
  order: OrderData,
  risk: RiskData,
  processing: ProcessingData,
  timeline: Type.Array(TimelineStep),
});
export type PaymentDetail = Static<typeof PaymentDetail>;
