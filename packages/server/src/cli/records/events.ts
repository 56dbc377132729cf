import type { EventListQuery, EventType } from '@till/contract';
import { eventTypes } from '@till/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { tenantOf } from '../../accounts/store.ts';
import { listEvents, locateEvent } from '../../events/events.ts';
import { isoSeconds } from '../../lib/clock.ts';
import type { Database } from '../../store/database.ts';
import { retryDelivery, sendEventTo } from '../../webhooks/delivery/retry.ts';
import { accountOfEndpoint } from '../../webhooks/endpoints/endpoints.ts';
import { WebhookError } from '../../webhooks/errors.ts';
import { deliveriesOf } from '../../webhooks/lists/deliveries.ts';
import { withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';

/** No wake-up is necessary: the running server polls for due work. */
const wake = () => {};

interface ListedEvent {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly livemode: boolean;
  readonly data: { readonly object: { readonly id: string } };
}

function limit(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 1000) {
    throw new InvalidArgumentError('a whole number from 1 to 1000');
  }
  return value;
}

async function requireEvent(db: Database, id: string) {
  const event = await locateEvent(db, id);
  if (event === undefined) {
    throw new OperatorError('event_not_found', `There is no event ${id.slice(0, 100)}.`);
  }
  return event;
}

async function resendTo(db: Database, id: string, endpoint: string): Promise<string> {
  const tenant = await requireEvent(db, id);
  if ((await accountOfEndpoint({ db }, endpoint)) !== tenant.accountId) {
    throw new OperatorError('endpoint_not_found', `The event's account has no endpoint ${endpoint}.`);
  }
  const delivery = await sendEventTo({ db, wake }, tenant, endpoint, id);
  if (delivery === undefined) throw new OperatorError('event_not_found', `There is no event ${id}.`);
  return delivery;
}

/** Sends an event again to the endpoints that had it, or to one endpoint, which need not have had it before. */
async function resend(db: Database, id: string, endpoint: string | undefined): Promise<object> {
  if (endpoint !== undefined) {
    return { event: id, resent: [{ endpoint, delivery: await resendTo(db, id, endpoint) }], refused: [] };
  }
  const tenant = await requireEvent(db, id);
  const deliveries = await deliveriesOf(db, tenant, [id]);
  if (deliveries.length === 0) {
    throw new OperatorError('not_delivered', 'This event went to no endpoint. Name one with --endpoint.');
  }
  const resent: object[] = [];
  const refused: object[] = [];
  for (const { endpoint_id: to, id: delivery } of deliveries) {
    try {
      await retryDelivery({ db, wake }, tenant.accountId, to, delivery);
      resent.push({ endpoint: to, delivery });
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      refused.push({ endpoint: to, code: error.code });
    }
  }
  return { event: id, resent, refused };
}

interface ListOptions {
  readonly account: string;
  readonly type?: EventType;
  readonly live?: boolean;
  readonly limit: number;
}

export function eventCommands(program: Command, shell: Shell): void {
  const events = program.command('events').description('the event log, and sending from it once more');
  events
    .command('list')
    .description("an account's newest events")
    .requiredOption('--account <id>')
    .addOption(new Option('--type <type>').choices(eventTypes))
    .option('--live', 'of live mode; test mode where not said')
    .option('--limit <n>', 'at most so many', limit, 20)
    .action(function (this: Command, options: ListOptions) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          const tenant = tenantOf(await requireAccount(deps, options.account), options.live === true);
          const query: EventListQuery = {
            per_page: options.limit,
            ...(options.type === undefined ? {} : { type: options.type }),
          };
          const { data } = JSON.parse(await listEvents(deps.db, tenant, query)) as { data: ListedEvent[] };
          return data.map(({ id, type, created, data: { object } }) => ({
            id,
            type,
            object: object.id,
            created: isoSeconds(new Date(created * 1000)),
          }));
        }),
      );
    });
  events
    .command('get')
    .description('one event as it is delivered')
    .argument('<id>')
    .action(function (this: Command, id: string) {
      return report(
        this,
        shell,
        () => withDatabase(shell, async ({ db }) => JSON.parse((await requireEvent(db, id)).body) as object),
        (event: object) => JSON.stringify(event, null, 2),
      );
    });
  events
    .command('resend')
    .description('send an event once more: the same id and body, with a fresh timestamp')
    .argument('<id>')
    .option('--endpoint <id>', 'to this one only, also where it never got the event')
    .action(function (this: Command, id: string, { endpoint }: { endpoint?: string }) {
      return report(this, shell, () =>
        withDatabase(shell, async ({ db }) => {
          try {
            return await resend(db, id, endpoint);
          } catch (error) {
            throw error instanceof WebhookError ? new OperatorError(error.code, error.message) : error;
          }
        }),
      );
    });
}
