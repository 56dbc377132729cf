import { Type } from 'typebox';
import type { Operation } from '../api/operation.ts';
import { UnixSecondsFilter } from '../primitives/common.ts';

/**
 * `GET /api/v1/events/stream`. It is separate from the API's other operations, since it returns server-sent
 * events instead of JSON.
 */
export const eventStream = {
  id: 'streamEvents',
  method: 'GET',
  path: '/api/v1/events/stream',
  permission: 'events:read',
  tag: 'Events',
  summary: 'Follow events as they come',
  idempotency: 'unused',
  query: Type.Object({
    since: UnixSecondsFilter('Begins with what happened since these Unix seconds; now where it is left out.'),
  }),
  answers: {},
  errors: ['invalid_params'],
} as const satisfies Operation;

/** The header that a reconnecting client sends. */
export const eventStreamHeaders = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({
      pattern: '^\\d{1,15}$',
      description: 'The `id` of the last event that you got: the stream goes on after it.',
    }),
  ),
});

/** The description of the stream's 200 response. */
export const eventStreamAnswer =
  'Server-sent events: `id` is the place in the log, `event` the type, `data` the event as JSON. The stream begins with the `id` of its place, without an event. A comment every 15 seconds keeps the connection open.';
