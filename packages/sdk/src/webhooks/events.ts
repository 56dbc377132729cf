import type {
  Approval,
  Dispute,
  Event,
  EventType,
  Payment,
  PaymentLink,
  Refund,
} from '../generated/index.ts';

/**
 * An event of some types. `data.object` is the object the event is about, as retrieve returned it when the
 * event occurred.
 */
type EventAbout<Type extends EventType, Resource> = Omit<Event, 'type' | 'data'> & {
  type: Type;
  data: { object: Resource };
};

export type PaymentEvent = EventAbout<Extract<EventType, `payment.${string}`>, Payment>;
export type RefundEvent = EventAbout<Extract<EventType, `refund.${string}`>, Refund>;
export type ApprovalEvent = EventAbout<Extract<EventType, `approval.${string}`>, Approval>;
export type DisputeEvent = EventAbout<Extract<EventType, `dispute.${string}`>, Dispute>;
export type PaymentLinkEvent = EventAbout<Extract<EventType, `payment_link.${string}`>, PaymentLink>;
/** The event that `till webhooks test` sends. */
export type EndpointTestEvent = EventAbout<'endpoint.test', Record<string, unknown>>;

/**
 * A webhook event, discriminated by `type`. New types are added over time: add a `default` case that ignores
 * unknown ones.
 */
export type TillEvent =
  | PaymentEvent
  | RefundEvent
  | ApprovalEvent
  | DisputeEvent
  | PaymentLinkEvent
  | EndpointTestEvent;
