// Made from the contract by `npm run generate`; do not change it by hand.

export interface Event {
  /** `evt_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `event`. */
  object: 'event';
  /**
   * One of payment.succeeded, payment.failed, payment.requires_action, payment.authorized,
   * payment.voided, refund.succeeded, refund.failed, dispute.created, dispute.updated,
   * dispute.closed, payment_link.created, payment_link.updated, approval.created,
   * approval.decided, endpoint.test; new types may be added.
   */
  type: string;
  /** Unix seconds. */
  created: number;
  /** True with a live key, false in the sandbox. */
  livemode: boolean;
  /** Counts the events of one object, from 1: a smaller one that comes later is older. */
  sequence: number;
  /** What the event is about. */
  data: {
    /** What retrieve returned at that moment. */
    object: Record<string, unknown>;
  };
}

export interface EventList {
  /** Always `list`. */
  object: 'list';
  /** The objects of this page. */
  data: Event[];
  /** Whether there is a next page. */
  has_more: boolean;
  /** How many objects the whole list has. */
  total_count: number;
}

export interface EventListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  /** Objects on a page. */
  per_page?: number | undefined;
  /**
   * One type, such as `payment.succeeded`, or a group such as `payment.*`. One that no event has
   * lists nothing.
   */
  type?: string | undefined;
  /** Unix seconds, inclusive. */
  created_gte?: number | undefined;
  /** Unix seconds, exclusive. */
  created_lt?: number | undefined;
}
