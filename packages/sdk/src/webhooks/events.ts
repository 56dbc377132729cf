import type {
  Approval,
  Dispute,
  Event,
  EventType,
  Payment,
  PaymentLink,
  Refund,
} from '../generated/index.ts';

/** An event of some types, with the object that it is about as retrieve returned it at that moment. */
type EventAbout<Type extends EventType, Resource> = Omit<Event, 'type' | 'data'> & {
  type: Type;
  data: { object: Resource };
};

export type PaymentEvent = EventAbout<Extract<EventType, `payment.${string}`>, Payment>;
export type RefundEvent = EventAbout<Extract<EventType, `refund.${string}`>, Refund>;
export type ApprovalEvent = EventAbout<Extract<EventType, `approval.${string}`>, Approval>;
export type DisputeEvent = EventAbout<Extract<EventType, `dispute.${string}`>, Dispute>;
export type PaymentLinkEvent = EventAbout<Extract<EventType, `payment_link.${string}`>, PaymentLink>;
/** What `till webhooks test` sends. */
export type EndpointTestEvent = EventAbout<'endpoint.test', Record<string, unknown>>;

/**
 * An event, discriminated by `type`. New types are added over time: have a `default` that ignores what you do not know.
 */
export type TillEvent =
  | PaymentEvent
  | RefundEvent
  | ApprovalEvent
  | DisputeEvent
  | PaymentLinkEvent
  | EndpointTestEvent;
