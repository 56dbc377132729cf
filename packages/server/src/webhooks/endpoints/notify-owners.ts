import { FairQueue } from '../../jobs/fair-queue.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../store/database.ts';
import { accountsWithUntoldPauses, type EndpointRow, markPauseTold, takeUntoldPauses } from './store.ts';

/** How many mails are written at once. */
const places = 4;
/** After how long one that could not be written is tried again. */
const againMs = 5 * 60_000;

/**
 * Tells the owners of each endpoint that was paused because nothing but failures came from it for five days. Whoever
 * dies in between tells them again: better twice than never.
 * @param deps `queueMail` puts a mail to the account's owners into the outbox
 * @returns how many endpoints it was about
 */
export function tellOwnersOfPauses(deps: {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly queueMail: (endpoint: EndpointRow) => Promise<void>;
  readonly onTrouble: (error: unknown, accountId: string) => void;
}): Promise<number> {
  const { db, clock } = deps;
  const due = accountsWithUntoldPauses(db);
  const queue = new FairQueue<EndpointRow>({
    places,
    dueTenants: (after, most) => due({ now: clock.now(), after, most, processor: null }),
    async take({ accountId }, most) {
      const now = clock.now();
      const again = new Date(now.getTime() + againMs);
      const rows = await takeUntoldPauses(db, accountId, { now, again, most });
      return { rows, more: rows.length === most };
    },
    async work(endpoint) {
      await deps.queueMail(endpoint);
      await markPauseTold(db, endpoint.account_id, endpoint.id);
    },
    onError: (error, { accountId }) => deps.onTrouble(error, accountId),
  });
  return queue.run();
}
