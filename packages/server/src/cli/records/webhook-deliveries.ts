import { type Command, InvalidArgumentError, Option } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { isoSeconds } from '../../lib/clock.ts';
import {
  type AttemptRow,
  type DeliveryRow,
  type DeliveryState,
  findDelivery,
  listAttempts,
  listDeliveries,
} from '../../webhooks/delivery/reads.ts';
import {
  defaultPerSecond,
  maxPerSecond,
  recoverDeliveries,
  retryDelivery,
  retryFailedSince,
} from '../../webhooks/delivery/retry.ts';
import { listEndpoints, requireEndpoint } from '../../webhooks/endpoints/endpoints.ts';
import { filterableTypes, typesIn } from '../../webhooks/endpoints/event-filter.ts';
import { WebhookError } from '../../webhooks/errors.ts';
import { replayEvents } from '../../webhooks/replay/replay.ts';
import { withDatabase } from '../lib/connect.ts';
import { moment } from '../lib/moment.ts';
import { asTable, report, type Shell } from '../lib/output.ts';
import { asOperator, onEndpoint, showTime, wake } from './webhook-support.ts';

function limit(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 10_000) {
    throw new InvalidArgumentError('a whole number from 1 to 10000');
  }
  return value;
}

function perSecond(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > maxPerSecond) {
    throw new InvalidArgumentError(`a whole number from 1 to ${maxPerSecond}`);
  }
  return value;
}

/** Parses event types and groups such as `payment.*`. Refuses unknown ones: with a misspelt type nothing would be sent. */
function types(text: string): readonly string[] {
  try {
    return typesIn(text.split(',').map((one) => one.trim()));
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    throw new InvalidArgumentError(
      `one or more of payment.* and such groups, ${filterableTypes.join(', ')}, separated by commas`,
    );
  }
}

const showDelivery = (delivery: DeliveryRow) => ({
  id: delivery.id,
  endpoint: delivery.endpoint_id,
  event: delivery.event_id,
  type: delivery.event_type,
  livemode: delivery.livemode,
  state: delivery.state,
  attempts: delivery.attempts,
  next_attempt: showTime(delivery.next_attempt_at),
  created: isoSeconds(delivery.created_at),
});

interface DeliveriesOptions {
  readonly account?: string;
  readonly state?: DeliveryState;
  readonly type?: string;
  readonly since?: Date;
  readonly limit: number;
}

/** Lists the newest deliveries of one endpoint, or of all endpoints of an account. */
async function findDeliveries(
  shell: Shell,
  id: string | undefined,
  options: DeliveriesOptions,
): Promise<DeliveryRow[]> {
  if (id !== undefined) {
    return onEndpoint(shell, id, ({ db }, accountId) => listDeliveries(db, accountId, id, options));
  }
  const { account } = options;
  if (account === undefined) throw new OperatorError('invalid_usage', 'Name an endpoint, or --account.');
  return withDatabase(shell, async (deps) => {
    await requireAccount(deps, account);
    const rows: DeliveryRow[] = [];
    for (const endpoint of await listEndpoints(deps, account)) {
      rows.push(...(await listDeliveries(deps.db, account, endpoint.id, options)));
    }
    return rows.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, options.limit);
  });
}

async function retry(shell: Shell, id: string, since: Date): Promise<object> {
  if (id.startsWith('we_')) {
    return onEndpoint(shell, id, async (deps, accountId) => ({
      retried: await retryFailedSince(deps, accountId, id, since),
    }));
  }
  return asOperator(() =>
    withDatabase(shell, async (deps) => {
      const { account_id: accountId, endpoint_id: endpointId } = await findDelivery(deps.db, id);
      await retryDelivery({ ...deps, wake }, accountId, endpointId, id);
      return showDelivery(await findDelivery(deps.db, id));
    }),
  );
}

/** Commands that list deliveries and send them again. */
export function deliveryCommands(webhooks: Command, shell: Shell): void {
  const states = ['pending', 'succeeded', 'failed', 'parked'];
  webhooks
    .command('deliveries')
    .description('the newest deliveries of an endpoint, or of all that an account has')
    .argument('[id]')
    .option('--account <id>')
    .addOption(new Option('--state <state>').choices(states))
    .option('--type <type>', 'of the event')
    .option('--since <time>', 'of the event', moment)
    .option('--limit <n>', 'at most so many', limit, 100)
    .action(function (this: Command, id: string | undefined, options: DeliveriesOptions) {
      return report(this, shell, async () => (await findDeliveries(shell, id, options)).map(showDelivery));
    });
  webhooks
    .command('attempts')
    .description('what was sent and answered in the last 30 days')
    .argument('<delivery>')
    .action(function (this: Command, id: string) {
      return report(
        this,
        shell,
        () =>
          asOperator(() =>
            withDatabase(shell, async ({ db }) => {
              const delivery = await findDelivery(db, id);
              await requireEndpoint(db, delivery.account_id, delivery.endpoint_id);
              return listAttempts(db, delivery);
            }),
          ),
        (attempts: readonly AttemptRow[]) => attempts.map(asTable).join('\n\n'),
      );
    });
  webhooks
    .command('retry')
    .description('send a delivery once more, or all of an endpoint that failed')
    .argument('<delivery or endpoint>')
    .option('--since <time>', 'only of events since then', moment, new Date(0))
    .action(function (this: Command, id: string, { since }: { since: Date }) {
      return report(this, shell, () => retry(shell, id, since));
    });
  recoverCommand(webhooks, shell);
}

interface RecoverOptions {
  readonly since: Date;
  readonly until?: Date;
  readonly types?: readonly string[];
  readonly perSecond: number;
}

/** `till webhooks recover` and `replay`: for use after an outage of the receiver, or after it lost events. */
function recoverCommand(webhooks: Command, shell: Shell): void {
  const command = (name: string, description: string, send: typeof recoverDeliveries) =>
    webhooks
      .command(name)
      .description(description)
      .argument('<id>')
      .requiredOption('--since <time>', 'of the event', moment)
      .option('--until <time>', 'of the event, not included', moment)
      .option('--types <types>', 'of events, separated by commas; payment.* for all of payments', types)
      .option('--per-second <n>', `at most so many, 1 to ${maxPerSecond}`, perSecond, defaultPerSecond)
      .action(function (this: Command, id: string, options: RecoverOptions) {
        return report(this, shell, () =>
          onEndpoint(shell, id, (deps, accountId) => send(deps, accountId, id, options)),
        );
      });
  command(
    'recover',
    'send what waits for a later attempt and what failed, at a steady rate',
    recoverDeliveries,
  );
  command(
    'replay',
    'send every event of a time once more, what had succeeded included, at a steady rate',
    replayEvents,
  );
}
