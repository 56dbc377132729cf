import { isoSeconds } from '../../lib/clock.ts';
import type { EndpointRow } from './store.ts';

/** What the owners are told of an endpoint that was paused because it failed for five days. */
export function pausedMail(endpoint: EndpointRow): { subject: string; text: string; html: null } {
  const since = endpoint.first_failure_at === null ? '' : ` since ${isoSeconds(endpoint.first_failure_at)}`;
  return {
    subject: 'A webhook endpoint was paused',
    text: [
      `Every delivery to ${endpoint.url} has failed${since}, so we stopped sending to it.`,
      '',
      'Nothing is lost: events are kept for it and are sent as soon as you resume it.',
      `Its deliveries show what it answered: ./till webhooks deliveries ${endpoint.id}`,
      `Once it works again: ./till webhooks resume ${endpoint.id}`,
      '',
    ].join('\n'),
    html: null,
  };
}
