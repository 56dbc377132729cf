import type { Database } from '../store/database.ts';
import { type EndpointRow, markPauseTold, selectUntoldPauses } from './store.ts';

const most = 100;

/**
 * Tells the owners of each endpoint that was paused because nothing but failures came from it for five days. Whoever
 * dies in between tells them again: better twice than never.
 * @param queueMail puts a mail to the account's owners into the outbox
 * @returns how many endpoints it was about
 */
export async function tellOwnersOfPauses(parts: {
  readonly db: Database;
  readonly queueMail: (endpoint: EndpointRow) => Promise<void>;
}): Promise<number> {
  const endpoints = await selectUntoldPauses(parts.db, most);
  for (const endpoint of endpoints) {
    await parts.queueMail(endpoint);
    await markPauseTold(parts.db, endpoint.account_id, endpoint.id);
  }
  return endpoints.length;
}
