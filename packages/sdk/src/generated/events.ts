// Made from the contract by `npm run generate`; do not change it by hand.

export interface Event {
  id: string;
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
  livemode: boolean;
  /** Counts the events of one object, from 1: a smaller one that comes later is older. */
  sequence: number;
  data: {
    /** What retrieve returned at that moment. */
    object: Record<string, unknown>;
  };
}

export interface EventList {
  object: 'list';
  data: Event[];
  has_more: boolean;
  total_count: number;
}

export interface EventListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  per_page?: number | undefined;
  type?: string | undefined;
  /** Unix seconds, inclusive. */
  created_gte?: number | undefined;
  /** Unix seconds, exclusive. */
  created_lt?: number | undefined;
}
