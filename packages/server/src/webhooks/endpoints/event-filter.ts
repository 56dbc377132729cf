import { type EventType, eventTypes } from '@till/contract';
import { WebhookError } from '../errors.ts';

/**
 * The types that a filter may name. A test event is not among them: it goes to the endpoint that it tests, whatever its filter.
 */
export const filterableTypes: readonly EventType[] = eventTypes.filter((type) => type !== 'endpoint.test');

const groups = new Set(filterableTypes.map((type) => `${type.split('.')[0]}.*`));

/**
 * Validates a filter of types and removes duplicates. Groups such as `payment.*` stay groups, so that they include types
 * added later.
 * @returns null for no filter
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

/** Expands a filter to types: a group such as `payment.*` stands for all of its types. @throws WebhookError `invalid_events` */
export function typesIn(asked: readonly string[]): readonly EventType[] {
  const filter = new Set(readEventFilter(asked));
  return filterableTypes.filter((type) => filter.has(type) || filter.has(`${type.split('.')[0]}.*`));
}
