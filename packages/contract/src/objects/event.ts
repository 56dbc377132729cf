import { type Static, Type } from 'typebox';
import {
  IdOf,
  ListOf,
  LiveMode,
  ObjectName,
  PageQuery,
  UnixSeconds,
  UnixSecondsFilter,
} from '../primitives/common.ts';

export const eventTypes = [
  'payment.succeeded',
  'payment.failed',
  'payment.requires_action',
  'payment.authorized',
  'payment.voided',
  'refund.succeeded',
  'refund.failed',
  'dispute.created',
  'dispute.updated',
  'dispute.closed',
  'payment_link.created',
  'payment_link.updated',
  'approval.created',
  'approval.decided',
  'endpoint.test',
] as const;
export type EventType = (typeof eventTypes)[number];

/** `sequence` counts the events of one resource from 1 (decisions, "Shapes"). */
export const Event = Type.Object(
  {
    id: IdOf('evt'),
    object: ObjectName('event'),
    type: Type.String({ description: `One of ${eventTypes.join(', ')}; new types may be added.` }),
    created: UnixSeconds,
    livemode: LiveMode,
    sequence: Type.Integer({
      description: 'Counts the events of one object, from 1: a smaller one that comes later is older.',
    }),
    data: Type.Object(
      {
        object: Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: true,
          description: 'What retrieve returned at that moment.',
        }),
      },
      { description: 'What the event is about.' },
    ),
  },
  { $id: 'Event' },
);
export type Event = Static<typeof Event>;

export const EventList = ListOf(Event, 'EventList');

export const EventListQuery = Type.Object({
  ...PageQuery,
  type: Type.Optional(
    Type.String({
      description:
        'One type, such as `payment.succeeded`, or a group such as `payment.*`. One that no event has lists nothing.',
    }),
  ),
  created_gte: UnixSecondsFilter('Unix seconds, inclusive.'),
  created_lt: UnixSecondsFilter('Unix seconds, exclusive.'),
});
export type EventListQuery = Static<typeof EventListQuery>;
