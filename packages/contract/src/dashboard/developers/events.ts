import { type Static, Type } from 'typebox';
import { CappedPageOf, type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Event } from '../../objects/event.ts';
import { PageQuery, Ref, Text } from '../../primitives/common.ts';
import { Delivery } from './deliveries.ts';

/** A row of the event log. */
export const EventLine = Type.Object({
  id: Type.String(),
  type: Type.String(),
  object_id: Type.String(),
  /** Number of the event among those of the same object, from 1. */
  sequence: Type.Integer(),
  livemode: Type.Boolean(),
  /** Account time. */
  created_at: IsoTime,
});
export type EventLine = Static<typeof EventLine>;

export const EventLogQuery = Type.Object({
  ...PageQuery,
  type: Type.Optional(Text(100)),
  /** Id of an event or of the object that it is about. */
  search: Type.Optional(Text(100)),
  /** Account time. */
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
});
export type EventLogQuery = Static<typeof EventLogQuery>;

/** The events of the account in its current environment. */
export const eventOperations = {
  listEventLines: {
    id: 'listEventLines',
    method: 'GET',
    path: '/accounts/:account/events',
    roles: rolesFor.viewing,
    query: EventLogQuery,
    answers: { 200: CappedPageOf(EventLine) },
  },
  retrieveEventLine: {
    id: 'retrieveEventLine',
    method: 'GET',
    path: '/accounts/:account/events/:id',
    roles: rolesFor.viewing,
    answers: {
      200: Type.Object({
        event: Ref(Event),
        deliveries: Type.Array(
          Type.Object({
            delivery: Delivery,
            url: Type.String(),
            /** The endpoint was deleted, so nothing more is sent to it. */
            endpoint_deleted: Type.Boolean(),
          }),
        ),
      }),
    },
  },
  /** Sends the event again to an endpoint, or for the first time to one that has not received it. */
  resendEvent: {
    id: 'resendEvent',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/events/:id/resend',
    roles: rolesFor.developing,
    body: Type.Object({ endpoint: Text(100) }),
    answers: { 200: Delivery },
    audit: 'event.resent',
  },
} as const satisfies Record<string, DashboardOperation>;
