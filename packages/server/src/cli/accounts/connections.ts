import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Provider, providers } from '@till/contract';
import { type Command, Option } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { modesOf, tenantOf } from '../../accounts/store.ts';
import { readConfig } from '../../config/config.ts';
import {
  type ConnectionDependencies,
  type OwnConnection,
  openConnection,
  removeConnection,
  setConnection,
} from '../../connections/connections.ts';
import { CredentialError, readCredentials, readHost } from '../../connections/fields.ts';
import { describeOpenWork, openWorkAt } from '../../connections/open-work.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { merchantAccountOf } from '../../lib/merchant-account.ts';
import { identityOf } from '../../processors/connect.ts';
import { describeIdentity, simulatorIdentity } from '../../processors/port/connected.ts';
import { processors } from '../../processors/registry.ts';
import type {
  ConnectionFinding,
  CredentialField,
  Credentials,
  Hosts,
} from '../../processors/upstream/processor.ts';
import { undiciTransport } from '../../processors/wire/undici-transport.ts';
import type { Tenant } from '../../store/tenant.ts';
import { requireReadable } from '../lib/in-file.ts';
import { asTable, report, type Shell } from '../lib/output.ts';
import { withVault } from '../lib/with-vault.ts';

interface Place {
  readonly account: string;
  readonly live?: boolean;
}

interface SetOptions extends Place {
  readonly from?: string;
  readonly baseUrl?: string;
  readonly disputesUrl?: string;
  readonly check: boolean;
  readonly force?: boolean;
}

type Dependencies = ConnectionDependencies & Parameters<typeof requireAccount>[0];

/** Reads JSON from a file or from standard input: other users of the machine can see the arguments of a process. */
async function readInput(from: string | undefined): Promise<unknown> {
  const isFile = from !== undefined && from !== '-';
  if (isFile) await requireReadable(from);
  const source = isFile ? await readFile(from, 'utf8') : await text(process.stdin);
  try {
    return JSON.parse(source) as unknown;
  } catch {
    throw new OperatorError(
      'invalid_input',
      'One JSON object with the credentials was expected, on standard input or in the file of --from.',
    );
  }
}

async function asOperator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CredentialError ? new OperatorError('invalid_credentials', error.message) : error;
  }
}

async function ask(
  shell: Shell,
  processor: Provider,
  tenant: Tenant,
  { baseUrl, disputesUrl, credentials }: Hosts & { readonly credentials: Credentials },
): Promise<ConnectionFinding[]> {
  const { processorTimeoutMs: timeoutMs } = readConfig(shell.environment, shell.folder);
  const network = undiciTransport({ timeoutMs });
  try {
    return await processors[processor].checkConnection(network.send, {
      ...tenant,
      baseUrl,
      disputesUrl,
      credentials,
    });
  } finally {
    await network.close();
  }
}

const mode = (livemode: boolean) => (livemode ? 'live' : 'test');

/** The connection's settings for printing. Of a secret only the last four characters are shown. */
function show(processor: Provider, livemode: boolean, own: OwnConnection): object {
  const { credentials, baseUrl, disputesUrl, updatedAt } = own;
  const values = processors[processor].credentialFields.flatMap(({ name, key, secret }) => {
    const value = credentials[key];
    if (value === undefined) return [];
    return [[name, secret ? (value.length < 16 ? 'set' : `…${value.slice(-4)}`) : value]];
  });
  return {
    mode: mode(livemode),
    base_url: baseUrl,
    disputes_url: disputesUrl,
    ...Object.fromEntries(values),
    updated: isoSeconds(updatedAt),
  };
}

/** The merchant account that payments have used until now; undefined if there was no connection. */
function identityBefore(
  processor: Provider,
  { accountId, livemode }: Tenant,
  own: OwnConnection | undefined,
): string | undefined {
  if (own !== undefined) return identityOf(processor, livemode, own);
  return livemode ? undefined : simulatorIdentity(merchantAccountOf(accountId, livemode));
}

/** @throws OperatorError `connection_in_use` if work with this merchant account is still open, unless the operator forces it */
async function requireNothingOpen(
  deps: Dependencies,
  tenant: Tenant,
  identity: string,
  { force = false }: { readonly force?: boolean },
): Promise<void> {
  const open = force ? null : describeOpenWork(await openWorkAt(deps.db, tenant, identity));
  if (open === null) return;
  throw new OperatorError(
    'connection_in_use',
    `Open with ${describeIdentity(identity)}: ${open}. No other merchant account is asked about these: they wait until its credentials are set again, and what it charged cannot be refunded until then. Nothing was changed; --force goes on all the same.`,
  );
}

/** Validates the credentials, checks them with the upstream, and only then stores them. */
async function keep(
  shell: Shell,
  deps: Dependencies,
  options: SetOptions,
  known: (own: OwnConnection | undefined) => Credentials,
): Promise<object> {
  const { account: accountId, live: livemode = false } = options;
  const account = await requireAccount(deps, accountId);
  const { processor } = account;
  const tenant = tenantOf(account, livemode);
  const own = await openConnection(deps, tenant);
  const credentials = readCredentials(processor, livemode, await readInput(options.from), known(own));
  const usual = own ?? processors[processor].defaultHosts(livemode, credentials);
  const hosts = {
    baseUrl: options.baseUrl === undefined ? usual.baseUrl : readHost('--base-url', options.baseUrl),
    disputesUrl:
      options.disputesUrl === undefined ? usual.disputesUrl : readHost('--disputes-url', options.disputesUrl),
  };
  const after = identityOf(processor, livemode, { ...hosts, credentials });
  const before = identityBefore(processor, tenant, own);
  if (before !== undefined && before !== after) await requireNothingOpen(deps, tenant, before, options);
  const checks = options.check ? await ask(shell, processor, tenant, { ...hosts, credentials }) : [];
  const wrong = checks.find(({ ok }) => !ok);
  if (wrong !== undefined) {
    throw new OperatorError(
      'connection_refused',
      `${wrong.check}: ${wrong.detail}. Nothing was changed; --no-check keeps them all the same.`,
    );
  }
  await setConnection(deps, tenant, { ...hosts, credentials });
  const kept = await openConnection(deps, tenant);
  return kept === undefined ? {} : { account: accountId, ...show(processor, livemode, kept) };
}

const tenantAt = async (deps: Dependencies, { account, live = false }: Place): Promise<Tenant> =>
  tenantOf(await requireAccount(deps, account), live);

async function requireOwn(deps: Dependencies, tenant: Tenant): Promise<OwnConnection> {
  const own = await openConnection(deps, tenant);
  if (own !== undefined) return own;
  const { accountId, livemode } = tenant;
  throw new OperatorError(
    'not_set',
    `${accountId} has no credentials of its own for ${mode(livemode)} mode.`,
  );
}

const namesOf = (fields: readonly CredentialField[]) => fields.map(({ name }) => name).join(', ');

const inputText = `
One JSON object with the credentials is read from standard input, or from the file of --from:

${providers.map((one) => `  ${one}  ${namesOf(processors[one].credentialFields)}`).join('\n')}

Never put them on the command line: other users of the machine could read them there.`;

const forcing = () =>
  new Option(
    '--force',
    'also where payments, refunds, disputes or saved methods of the former connection are open',
  );

const placed = (command: Command) =>
  command.requiredOption('--account <id>').option('--live', 'of live mode; test mode where not said');

const keeping = (command: Command) =>
  placed(command)
    .option('--from <file>', 'read the credentials from there; - is standard input')
    .option('--base-url <url>', "in place of the processor's own address")
    .option('--disputes-url <url>', "in place of the processor's own address for disputes")
    .addOption(new Option('--no-check', 'keep them without asking the processor'))
    .addOption(forcing())
    .addHelpText('after', inputText);

function changingCommands(connections: Command, shell: Shell): void {
  keeping(connections.command('set'))
    .description('give an account its own credentials at the processor; servers use them within seconds')
    .action(function (this: Command, options: SetOptions) {
      return report(this, shell, () =>
        asOperator(() => withVault(shell, (deps) => keep(shell, deps, options, () => ({})))),
      );
    });
  keeping(connections.command('rotate'))
    .description('replace those credentials that are given, and keep the others')
    .action(function (this: Command, options: SetOptions) {
      return report(this, shell, () =>
        asOperator(() =>
          withVault(shell, async (deps) => {
            await requireOwn(deps, await tenantAt(deps, options));
            return keep(shell, deps, options, (own) => own?.credentials ?? {});
          }),
        ),
      );
    });
  placed(connections.command('remove'))
    .addOption(forcing())
    .description('forget them: test mode goes back to the simulator, live mode takes no payments')
    .action(function (this: Command, options: Place & { readonly force?: boolean }) {
      return report(this, shell, () =>
        withVault(shell, async (deps) => {
          const { account: accountId, live: livemode = false } = options;
          const found = await requireAccount(deps, accountId);
          const { processor } = found;
          const tenant = tenantOf(found, livemode);
          const own = await openConnection(deps, tenant);
          if (own !== undefined) {
            await requireNothingOpen(deps, tenant, identityOf(processor, livemode, own), options);
          }
          const removed = await removeConnection(deps, tenant);
          return { account: accountId, mode: mode(livemode), removed };
        }),
      );
    });
}

export function connectionCommands(program: Command, shell: Shell): void {
  const connections = program
    .command('connections')
    .description("accounts' own credentials at the processors, sealed in the database");
  changingCommands(connections, shell);
  connections
    .command('show')
    .description('what is set, without secrets')
    .requiredOption('--account <id>')
    .action(function (this: Command, { account }: Place) {
      return report(this, shell, () =>
        withVault(shell, async (deps) => {
          const found = await requireAccount(deps, account);
          const shown: object[] = [];
          for (const tenant of modesOf(found)) {
            const own = await openConnection(deps, tenant);
            if (own !== undefined) shown.push(show(found.processor, tenant.livemode, own));
          }
          return shown;
        }),
      );
    });
  placed(connections.command('check'))
    .description('ask the processor whether they work; changes nothing; exit code 1 where they do not')
    .action(function (this: Command, options: Place) {
      return report(
        this,
        shell,
        () =>
          withVault(shell, async (deps) => {
            const { account: accountId, live: livemode = false } = options;
            const account = await requireAccount(deps, accountId);
            const tenant = tenantOf(account, livemode);
            const own = await requireOwn(deps, tenant);
            const checks = await ask(shell, account.processor, tenant, own);
            const ok = checks.every((one) => one.ok);
            if (!ok) shell.fail('', 1);
            return { account: accountId, mode: mode(livemode), base_url: own.baseUrl, ok, checks };
          }),
        ({ checks, base_url: address }: { checks: readonly ConnectionFinding[]; base_url: string }) =>
          `${address}\n${asTable(checks)}`,
      );
    });
}
