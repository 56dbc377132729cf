import { FairQueue } from '../../jobs/fair-queue.ts';
import { type Clock, isoSeconds } from '../../lib/clock.ts';
import type { Database } from '../../store/database.ts';
import { accountsWithUnsentNotices, type EndpointRow, markNoticeSent, takeUnsentNotices } from './store.ts';

/** How many mails are written at once. */
const places = 4;
/** After how long one that could not be written is tried again. */
const againMs = 5 * 60_000;

/**
 * Notifies the owners of each endpoint that was paused because nothing but failures came from it for five days. Where the
 * process ends between the mail and its mark, the mail is written again: better twice than never.
 * @param deps `queueMail` puts a mail to the account's owners into the outbox
 * @returns how many endpoints it was about
 */
export function notifyOwnersOfPauses(deps: {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly queueMail: (endpoint: EndpointRow) => Promise<void>;
  readonly onTrouble: (error: unknown, accountId: string) => void;
}): Promise<number> {
  const { db, clock } = deps;
  const due = accountsWithUnsentNotices(db);
  const queue = new FairQueue<EndpointRow>({
    places,
    dueTenants: (after, most) => due({ now: clock.now(), after, most, processor: null }),
    async take({ accountId }, most) {
      const now = clock.now();
      const again = new Date(now.getTime() + againMs);
      const rows = await takeUnsentNotices(db, accountId, { now, again, most });
      return { rows, more: rows.length === most };
    },
    async work(endpoint) {
      await deps.queueMail(endpoint);
      await markNoticeSent(db, endpoint.account_id, endpoint.id);
    },
    onError: (error, { accountId }) => deps.onTrouble(error, accountId),
  });
  return queue.run();
}

/** The mail to the owners about an endpoint that was paused because it failed for five days. */
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
