import { OperatorError } from '../../accounts/accounts.ts';
import { isoSeconds } from '../../lib/clock.ts';
import type { Queryable } from '../../store/database.ts';
import type { WebhookDependencies } from '../../webhooks/dependencies.ts';
import { accountOfEndpoint } from '../../webhooks/endpoints/endpoints.ts';
import type { EndpointRow } from '../../webhooks/endpoints/store.ts';
import { WebhookError } from '../../webhooks/errors.ts';
import { noteOperator } from '../accounts/operator-entry.ts';
import { withDatabase } from '../lib/connect.ts';
import type { Shell } from '../lib/output.ts';

/** No wake-up is necessary: the running server polls for due work. */
export const wake = () => {};

export const showTime = (time: Date | null) => time && isoSeconds(time);

/** Runs work, and turns an error of webhook endpoints into an operator's error. */
export async function asOperator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof WebhookError ? new OperatorError(error.code, error.message) : error;
  }
}

export type EndpointDependencies = Omit<WebhookDependencies, 'vault'>;

/** Runs work on an endpoint, in the database that has it. */
export function onEndpoint<T>(
  shell: Shell,
  id: string,
  work: (deps: EndpointDependencies, accountId: string) => Promise<T>,
): Promise<T> {
  return asOperator(() =>
    withDatabase(shell, async (base) => {
      const deps = { ...base, wake };
      return work(deps, await accountOfEndpoint(deps, id));
    }),
  );
}

const settingsOf = (row: EndpointRow) => ({
  url: row.url,
  name: row.name,
  additional_events: row.additional_events,
  event_types: row.event_types,
  payload: row.payload,
  secret_overlap_seconds: row.secret_overlap_seconds,
});

type Change = 'created' | 'updated' | 'secret_rolled' | 'paused' | 'resumed' | 'deleted';

/** Records the change of an endpoint in its account's audit log. @param deps with the transaction that makes the change */
export const noteChange = (
  deps: Omit<Parameters<typeof noteOperator>[0], 'db'> & { readonly db: Queryable },
  accountId: string,
  id: string,
  change: Change,
  before: EndpointRow | null = null,
  after: EndpointRow | null = null,
): Promise<void> =>
  noteOperator(deps, accountId, {
    action: `webhook_endpoint.${change}`,
    objectId: id,
    before: before && settingsOf(before),
    after: after && settingsOf(after),
  });
