import { type Command, InvalidArgumentError, Option } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { presentTenant } from '../../accounts/store.ts';
import { isoSeconds } from '../../lib/clock.ts';
import {
  type AttemptRow,
  type DeliveryRow,
  type DeliveryState,
  findDelivery,
  listAttempts,
  listDeliveries,
} from '../../webhooks/delivery/reads.ts';
import { retryDelivery, retryFailedSince } from '../../webhooks/delivery/retry.ts';
import type { WebhookDependencies } from '../../webhooks/dependencies.ts';
import {
  accountOfEndpoint,
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  pauseEndpoint,
  requireEndpoint,
  resumeEndpoint,
  rollSecret,
  sendTestEvent,
  updateEndpoint,
} from '../../webhooks/endpoints/endpoints.ts';
import type { EndpointRow } from '../../webhooks/endpoints/store.ts';
import { WebhookError } from '../../webhooks/errors.ts';
import { withDatabase } from '../lib/connect.ts';
import { asTable, report, type Shell } from '../lib/output.ts';
import { withVault } from '../lib/with-vault.ts';

/** The server looks for what is due by itself. */
const wake = () => {};

const onOff = (flags: string, text: string) => new Option(flags, text).choices(['on', 'off']);
const isOn = (text: string | undefined) => (text === undefined ? undefined : text === 'on');

/** A moment as ISO 8601 or Unix seconds. */
function moment(text: string): Date {
  const date = /^\d{1,10}$/.test(text) ? new Date(Number(text) * 1000) : new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('a time such as 2026-11-20T12:00:00Z');
  return date;
}

function limit(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 10_000) throw new InvalidArgumentError('1 to 10000');
  return value;
}

const showTime = (time: Date | null) => time && isoSeconds(time);

const show = (endpoint: EndpointRow) => ({
  id: endpoint.id,
  url: endpoint.url,
  status: endpoint.status,
  paused_reason: endpoint.paused_reason,
  additional_events: endpoint.additional_events,
  failing_since: showTime(endpoint.first_failure_at),
  created: isoSeconds(endpoint.created_at),
});

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

/** What a merchant could not do either is an operator's mistake too. */
async function asOperator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof WebhookError ? new OperatorError(error.code, error.message) : error;
  }
}

type EndpointDependencies = Omit<WebhookDependencies, 'vault'>;

/** Runs a command on the endpoint that it names. */
function onEndpoint<T>(
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

export function webhookCommands(program: Command, shell: Shell): void {
  const webhooks = program.command('webhooks').description('endpoints that events are sent to');
  endpointCommands(webhooks, shell);
  sendingCommands(webhooks, shell);
  deliveryCommands(webhooks, shell);
}

function endpointCommands(webhooks: Command, shell: Shell): void {
  webhooks
    .command('create')
    .description('add an endpoint and print its signing secret, once')
    .requiredOption('--account <id>')
    .requiredOption('--url <url>', 'http or https')
    .addOption(
      onOff('--additional-events <on|off>', 'more than the four types of the contract').default('off'),
    )
    .action(function (this: Command, options: { account: string; url: string; additionalEvents: string }) {
      return report(this, shell, () =>
        asOperator(() =>
          withVault(shell, async (deps) => {
            await requireAccount(deps, options.account);
            const request = { url: options.url, additionalEvents: options.additionalEvents === 'on' };
            const { endpoint, secret } = await createEndpoint({ ...deps, wake }, options.account, request);
            return { id: endpoint.id, url: endpoint.url, secret };
          }),
        ),
      );
    });
  webhooks
    .command('roll')
    .description('replace the signing secret and print the new one, once; the old one ends at once')
    .argument('<id>')
    .action(function (this: Command, id: string) {
      return report(this, shell, () =>
        asOperator(() =>
          withVault(shell, async (deps) => {
            const accountId = await accountOfEndpoint(deps, id);
            return { secret: await rollSecret({ ...deps, wake }, accountId, id) };
          }),
        ),
      );
    });
  webhooks
    .command('list')
    .description('endpoints of an account, without their secrets')
    .requiredOption('--account <id>')
    .action(function (this: Command, { account }: { account: string }) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          await requireAccount(deps, account);
          return (await listEndpoints(deps, account)).map(show);
        }),
      );
    });
  webhooks
    .command('update')
    .description('change what is named')
    .argument('<id>')
    .option('--url <url>', 'http or https')
    .addOption(onOff('--additional-events <on|off>', 'more than the four types of the contract'))
    .action(function (this: Command, id: string, options: { url?: string; additionalEvents?: string }) {
      return report(this, shell, () =>
        onEndpoint(shell, id, async (deps, accountId) =>
          show(
            await updateEndpoint(deps, accountId, id, {
              url: options.url,
              additionalEvents: isOn(options.additionalEvents),
            }),
          ),
        ),
      );
    });
}

function sendingCommands(webhooks: Command, shell: Shell): void {
  const command = (
    name: string,
    description: string,
    work: (deps: EndpointDependencies, accountId: string, id: string) => Promise<object>,
  ) =>
    webhooks
      .command(name)
      .description(description)
      .argument('<id>')
      .action(function (this: Command, id: string) {
        return report(this, shell, () =>
          onEndpoint(shell, id, (deps, accountId) => work(deps, accountId, id)),
        );
      });
  command('pause', 'send nothing more; events are kept for it until it is resumed', async (...endpoint) =>
    show(await pauseEndpoint(...endpoint)),
  );
  command('resume', 'send again, beginning with what waited', async (...endpoint) =>
    show(await resumeEndpoint(...endpoint)),
  );
  command('delete', 'end an endpoint and what still waits for it', async (deps, accountId, id) => {
    await deleteEndpoint(deps, accountId, id);
    return { id, deleted: true };
  });
  command('test', 'log an endpoint.test event and send it to this endpoint', async (deps, accountId, id) => {
    const tenant = presentTenant(await requireAccount(deps, accountId));
    const event = await sendTestEvent(deps, tenant, id);
    const [delivery] = await listDeliveries(deps.db, accountId, id, { type: 'endpoint.test', limit: 1 });
    return { event, delivery: delivery?.event_id === event ? delivery.id : null };
  });
}

interface DeliveriesOptions {
  readonly account?: string;
  readonly state?: DeliveryState;
  readonly type?: string;
  readonly since?: Date;
  readonly limit: number;
}

/** The newest deliveries of one endpoint, or of all that the account has. */
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

function deliveryCommands(webhooks: Command, shell: Shell): void {
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
}
