import { type EventType, eventTypes } from '@till/contract';
import { WebhookError } from '../errors.ts';

/** Types of which an endpoint may get only some: a test event goes to the endpoint that it is about, whatever it asks for. */
export const filterableTypes: readonly EventType[] = eventTypes.filter((type) => type !== 'endpoint.test');

const groups = new Set(filterableTypes.map((type) => `${type.split('.')[0]}.*`));

/**
 * A filter of types, each once. Groups such as `payment.*` stay as they are, so that types which are added later belong to them.
 * @returns null: no filter
 * @throws WebhookError `invalid_events`
 */
export function readEventFilter(asked: readonly string[] | null): readonly string[] | null {
  if (asked === null) return null;
  const wrong = asked.find((one) => !groups.has(one) && !filterableTypes.some((type) => type === one));
  if (wrong !== undefined) {
    const known = [...groups, ...filterableTypes].join(', ');
    throw new WebhookError(
      'invalid_events',
      `There are no events ${wrong.slice(0, 100)}. There are: ${known}.`,
    );
  }
  if (asked.length === 0) throw new WebhookError('invalid_events', 'Name at least one type of events.');
  return [...new Set(asked)];
}

/**
 * The types that a filter stands for: a group such as `payment.*` is all of its own.
 * @throws WebhookError `invalid_events`
 */
export function typesIn(asked: readonly string[]): readonly EventType[] {
  const filter = new Set(readEventFilter(asked));
  return filterableTypes.filter((type) => filter.has(type) || filter.has(`${type.split('.')[0]}.*`));
}
