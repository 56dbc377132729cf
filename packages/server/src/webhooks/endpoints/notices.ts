import { FairSweep } from '../../jobs/fair-sweep.ts';
import { type Clock, isoSeconds } from '../../lib/clock.ts';
import type { Database } from '../../store/database.ts';
import {
  accountsWithUnsentNotices,
  markNoticeSent,
  type NoticeRow,
  takeUnsentNotices,
} from './notice-store.ts';
import type { EndpointRow } from './store.ts';

/** How many mails are written concurrently. */
const places = 4;
/** How long until a mail that could not be written is tried again. */
const retryDelayMs = 5 * 60_000;

/**
 * Notifies the owners of each endpoint at which half of the attempts fail, or that was paused because it only failed for
 * five days. If the process ends after it queued the mail and before it marked the notice as sent, the mail is queued
 * again: better twice than never.
 * @param deps `queueMail` puts a mail to the account's owners into the outbox
 * @returns how many endpoints were handled
 */
export function notifyOwners(deps: {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly queueMail: (endpoint: NoticeRow) => Promise<void>;
  readonly onIncident: (error: unknown, accountId: string) => void;
}): Promise<number> {
  const { db, clock } = deps;
  const due = accountsWithUnsentNotices(db);
  const queue = new FairSweep<NoticeRow>({
    places,
    dueTenants: (after, max) => due({ now: clock.now(), after, max, processor: null }),
    async take({ accountId }, max) {
      const now = clock.now();
      const again = new Date(now.getTime() + retryDelayMs);
      const rows = await takeUnsentNotices(db, accountId, { now, again, max });
      return { rows, more: rows.length === max };
    },
    async work(endpoint) {
      await deps.queueMail(endpoint);
      await markNoticeSent(db, endpoint);
    },
    onError: (error, { accountId }) => deps.onIncident(error, accountId),
  });
  return queue.run();
}

export interface NoticeMail {
  readonly subject: string;
  readonly text: string;
  readonly html: null;
}

/** The mail to the owners for a notice. */
export const noticeMail = (endpoint: NoticeRow): NoticeMail =>
  endpoint.notice_due === 'paused' ? pausedMail(endpoint) : failingMail(endpoint);

/** The mail about an endpoint at which half of the attempts fail, before it is paused for that. */
function failingMail({ id, name, url }: EndpointRow): NoticeMail {
  return {
    subject: 'A webhook endpoint fails',
    text: [
      `At least half of the attempts to deliver to ${name === null ? url : `${name} (${url})`} failed within an hour.`,
      '',
      'Failed deliveries are tried again for 17 hours. If nothing but failures comes from the endpoint for five days, it is',
      'paused. You get no further mail about this until an hour has passed without a failure.',
      `Its deliveries show what it answered: ./till webhooks deliveries ${id} --state failed`,
      `Once it works again, send what waits: ./till webhooks recover ${id} --since …`,
      '',
    ].join('\n'),
    html: null,
  };
}

/** The mail to the owners about an endpoint that was paused because it failed for five days. */
function pausedMail(endpoint: EndpointRow): NoticeMail {
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
