import { type Command, InvalidArgumentError, Option } from 'commander';
import { requireAccount } from '../../accounts/accounts.ts';
import { currentTenant } from '../../accounts/store.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { listDeliveries } from '../../webhooks/delivery/reads.ts';
import {
  accountOfEndpoint,
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  maxOverlapSeconds,
  pauseEndpoint,
  requireEndpoint,
  resumeEndpoint,
  rollSecret,
  sendTestEvent,
  updateEndpoint,
} from '../../webhooks/endpoints/endpoints.ts';
import type { EndpointRow } from '../../webhooks/endpoints/store.ts';
import { withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';
import { withVault } from '../lib/with-vault.ts';
import { deliveryCommands } from './webhook-deliveries.ts';
import {
  asOperator,
  type EndpointDependencies,
  noteChange,
  onEndpoint,
  showTime,
  wake,
} from './webhook-support.ts';

const onOff = (flags: string, text: string) => new Option(flags, text).choices(['on', 'off']);
const isOn = (text: string | undefined) => (text === undefined ? undefined : text === 'on');

const show = (endpoint: EndpointRow) => ({
  id: endpoint.id,
  name: endpoint.name,
  url: endpoint.url,
  status: endpoint.status,
  paused_reason: endpoint.paused_reason,
  additional_events: endpoint.additional_events,
  event_types: endpoint.event_types,
  payload: endpoint.payload,
  secret_overlap_seconds: endpoint.secret_overlap_seconds,
  failing_since: showTime(endpoint.first_failure_at),
  created: isoSeconds(endpoint.created_at),
});

export function webhookCommands(program: Command, shell: Shell): void {
  const webhooks = program.command('webhooks').description('endpoints that events are sent to');
  endpointCommands(webhooks, shell);
  sendingCommands(webhooks, shell);
  deliveryCommands(webhooks, shell);
}

interface EndpointOptions {
  readonly url: string;
  readonly name?: string;
  readonly additionalEvents: string;
  readonly events?: string;
  readonly payload?: EndpointRow['payload'];
  readonly secretOverlap?: number;
}

interface CreateOptions extends EndpointOptions {
  readonly account: string;
}

/** Parses event types and groups such as `payment.*`. @returns null for `all`: no filter */
function eventTypes(text: string | undefined): readonly string[] | null | undefined {
  return text === 'all' ? null : text?.split(',').map((one) => one.trim());
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Parses a duration such as `24h` into seconds; `off` gives 0. */
function overlap(text: string): number {
  const [, number, unit = 's'] = /^(\d{1,6})([smhd])?$/.exec(text === 'off' ? '0' : text) ?? [];
  const seconds = number === undefined ? Number.NaN : Number(number) * (unitSeconds[unit] ?? Number.NaN);
  if (!(seconds <= maxOverlapSeconds)) {
    throw new InvalidArgumentError('off, or a time such as 24h of at most 7d');
  }
  return seconds;
}

/** Adds the options of an endpoint other than its URL. */
const withOptions = (command: Command) =>
  command
    .option('--events <types>', 'only these, such as payment.*,refund.failed; all: no filter')
    .addOption(
      new Option('--payload <full|thin>', 'thin: events without their object').choices(['full', 'thin']),
    )
    .option('--secret-overlap <time>', 'a rolled secret signs too for so long, such as 24h; or off', overlap);

const readOptions = (options: Partial<EndpointOptions>) => ({
  name: options.name,
  eventTypes: eventTypes(options.events),
  payload: options.payload,
  secretOverlapSeconds: options.secretOverlap,
});

function createCommand(webhooks: Command, shell: Shell): void {
  withOptions(webhooks.command('create'))
    .description('add an endpoint and print its signing secret, once')
    .requiredOption('--account <id>')
    .requiredOption('--url <url>', 'http or https')
    .option('--name <name>', 'what you call it')
    .addOption(
      onOff('--additional-events <on|off>', 'more than the four types of the contract').default('off'),
    )
    .action(function (this: Command, options: CreateOptions) {
      return report(this, shell, () =>
        asOperator(() =>
          withVault(shell, async (deps) => {
            const { account } = options;
            await requireAccount(deps, account);
            const additionalEvents = options.additionalEvents === 'on';
            const request = { url: options.url, additionalEvents, ...readOptions(options) };
            const { endpoint, secret } = await createEndpoint(
              { ...deps, wake },
              account,
              request,
              (db, made) => noteChange({ ...deps, db }, account, made.id, 'created', null, made),
            );
            return { id: endpoint.id, url: endpoint.url, secret };
          }),
        ),
      );
    });
}

function endpointCommands(webhooks: Command, shell: Shell): void {
  createCommand(webhooks, shell);
  webhooks
    .command('roll')
    .description('replace the signing secret and print the new one, once; the old one ends after the overlap')
    .argument('<id>')
    .action(function (this: Command, id: string) {
      return report(this, shell, () =>
        asOperator(() =>
          withVault(shell, async (deps) => {
            const accountId = await accountOfEndpoint(deps, id);
            const { secret, formerUntil } = await rollSecret({ ...deps, wake }, accountId, id, (db) =>
              noteChange({ ...deps, db }, accountId, id, 'secret_rolled'),
            );
            return formerUntil === null ? { secret } : { secret, former_secret_until: showTime(formerUntil) };
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
  withOptions(webhooks.command('update'))
    .description('change what is named')
    .argument('<id>')
    .option('--url <url>', 'http or https')
    .option('--name <name>', "what you call it; '' for none")
    .addOption(onOff('--additional-events <on|off>', 'more than the four types of the contract'))
    .action(function (this: Command, id: string, options: Partial<EndpointOptions>) {
      return report(this, shell, () =>
        onEndpoint(shell, id, async (deps, accountId) => {
          const before = await requireEndpoint(deps.db, accountId, id);
          const additionalEvents = isOn(options.additionalEvents);
          const changes = { url: options.url, additionalEvents, ...readOptions(options) };
          const after = await updateEndpoint(deps, accountId, id, changes, (db, row) =>
            noteChange({ ...deps, db }, accountId, id, 'updated', before, row),
          );
          return show(after);
        }),
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
  command(
    'pause',
    'send nothing more; events are kept for it until it is resumed',
    async (deps, accountId, id) =>
      show(
        await pauseEndpoint(deps, accountId, id, (db) =>
          noteChange({ ...deps, db }, accountId, id, 'paused'),
        ),
      ),
  );
  command('resume', 'send again, beginning with what waited', async (deps, accountId, id) =>
    show(
      await resumeEndpoint(deps, accountId, id, (db) =>
        noteChange({ ...deps, db }, accountId, id, 'resumed'),
      ),
    ),
  );
  command('delete', 'end an endpoint and what still waits for it', async (deps, accountId, id) => {
    const before = await requireEndpoint(deps.db, accountId, id);
    await deleteEndpoint(deps, accountId, id, (db) =>
      noteChange({ ...deps, db }, accountId, id, 'deleted', before),
    );
    return { id, deleted: true };
  });
  command('test', 'log an endpoint.test event and send it to this endpoint', async (deps, accountId, id) => {
    const tenant = currentTenant(await requireAccount(deps, accountId));
    const event = await sendTestEvent(deps, tenant, id);
    const [delivery] = await listDeliveries(deps.db, accountId, id, { type: 'endpoint.test', limit: 1 });
    return { event, delivery: delivery?.event_id === event ? delivery.id : null };
  });
}
