import {
  ApiError,
  namedSchemas,
  PaymentLinkCreate,
  type PaymentLinkStatus,
  PaymentLinkUpdate,
  paymentLinkStatuses,
} from '@till/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { TSchema } from 'typebox';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { type AccountContext, backgroundContext } from '../../accounts/context.ts';
import { createValidator, refusal } from '../../http/input/validate.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { createLinks } from '../../payment-links/feature.ts';
import {
  createPaymentLink,
  type LinkDependencies,
  retrieveLink,
  updatePaymentLink,
  writeLink,
} from '../../payment-links/payment-links.ts';
import { type LinkRow, loggedLink, loggedNewLink } from '../../payment-links/row.ts';
import { locateLink } from '../../payment-links/store.ts';
import { auditEntry } from '../../users/audit/audit.ts';
import { type CommandDependencies, withDatabase } from '../lib/connect.ts';
import { moment } from '../lib/moment.ts';
import { asTable, report, type Shell } from '../lib/output.ts';
import { publicUrl } from '../lib/public-url.ts';

const perPage = 100;

/** The options that `create` and `update` share. */
interface LinkOptions {
  readonly title?: string;
  readonly description?: string;
  readonly maxPayments?: number;
  readonly expiresAt?: string;
}

interface CreateOptions extends LinkOptions {
  readonly account: string;
  readonly live?: boolean;
  readonly currency: string;
  readonly amount?: number;
  readonly min?: number;
  readonly max?: number;
  readonly suggested?: number;
  readonly referenceLabel?: string;
  readonly savePaymentMethod?: boolean;
  readonly successUrl?: string;
  readonly failureUrl?: string;
}

interface UpdateOptions extends Omit<LinkOptions, 'maxPayments'> {
  readonly maxPayments?: number | '';
  readonly status?: 'active' | 'inactive';
}

function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('a whole number of at most 15 digits');
  return Number(text);
}

const wholeOrEmpty = (text: string): number | '' => (text === '' ? '' : whole(text));

const endTime = (text: string): string => isoSeconds(moment(text));
const endTimeOrEmpty = (text: string): string => (text === '' ? '' : endTime(text));

/** Maps an empty text to null, which removes a field. */
const orNone = <T>(value: T | '' | undefined): T | null | undefined => (value === '' ? null : value);

/** Runs work, and turns an error of the API into an operator's error. @throws OperatorError */
async function asOperator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new OperatorError(error.code === 'not_found' ? 'link_not_found' : 'invalid_link', error.message);
  }
}

/** Validates a body as the API does. @throws ApiError that names the field */
function requireValid(schema: TSchema, body: object): void {
  const validate = createValidator(namedSchemas).compile(schema);
  if (!validate(body)) throw refusal(validate, []);
}

interface LinkCommand {
  readonly deps: CommandDependencies;
  readonly links: LinkDependencies;
  readonly context: AccountContext;
}

/** Runs work on an account's links. @throws OperatorError `address_unknown` if the public URL of the links is not known */
async function onLinks<T>(
  shell: Shell,
  deps: CommandDependencies,
  { accountId, livemode }: { readonly accountId: string; readonly livemode?: boolean },
  work: (command: LinkCommand) => Promise<T>,
): Promise<T> {
  const address = publicUrl(shell);
  if (address === '') {
    throw new OperatorError(
      'address_unknown',
      'The port of the server is not known here: set BASE_URL or PORT as it has them.',
    );
  }
  const account = await requireAccount(deps, accountId);
  const context = backgroundContext(account, livemode ?? account.environment === 'live', deps.clock.now());
  const links = createLinks({
    ...deps,
    publicAddress: () => address,
    write: (link) => JSON.stringify(link),
    // The running server polls for due work.
    onEvent: () => {},
  });
  return asOperator(() => work({ deps, links, context }));
}

/** Runs work on the account of a link. @throws OperatorError `link_not_found` */
const onLink = <T>(shell: Shell, id: string, work: (command: LinkCommand) => Promise<T>): Promise<T> =>
  withDatabase(shell, async (deps) => {
    const tenant = await locateLink(deps.db, id);
    if (tenant === undefined) throw new OperatorError('link_not_found', `There is no payment link ${id}.`);
    return onLinks(shell, deps, tenant, work);
  });

const shown = ({ links, context }: LinkCommand, link: LinkRow): object => ({
  ...(JSON.parse(writeLink(links, context, link)) as object),
  paid_amount: link.payments_amount,
});

const entryOf =
  ({ deps, context }: LinkCommand, action: 'payment_link.created' | 'payment_link.updated') =>
  (objectId: string, before: object | null, after: object) =>
    auditEntry(deps, {
      ...context,
      actor: { type: 'operator' },
      action,
      objectId,
      before,
      after,
      ip: null,
    });

async function create(command: LinkCommand, options: CreateOptions): Promise<object> {
  const { min, max, suggested } = options;
  const body = {
    title: options.title ?? '',
    description: options.description,
    currency: options.currency,
    amount: options.amount,
    amount_range: min === undefined && max === undefined ? undefined : { min, max, suggested },
    max_payments: options.maxPayments,
    expires_at: options.expiresAt,
    reference_label: options.referenceLabel,
    save_payment_method: options.savePaymentMethod,
    success_url: options.successUrl,
    failure_url: options.failureUrl,
  };
  const request = JSON.parse(JSON.stringify(body)) as PaymentLinkCreate;
  requireValid(PaymentLinkCreate, request);
  const entry = entryOf(command, 'payment_link.created');
  const made = await createPaymentLink(command.links, command.context, request, {
    claim: null,
    entry: (link) => entry(link.id, null, loggedNewLink(link)),
  });
  if (made === null) throw new Error('without an idempotency key nobody else has it');
  return shown(command, made.link);
}

async function update(command: LinkCommand, id: string, options: UpdateOptions): Promise<object> {
  const { title, description, maxPayments, expiresAt, status } = options;
  const body = {
    title,
    description: orNone(description),
    max_payments: orNone(maxPayments),
    expires_at: orNone(expiresAt),
    status,
  };
  const request = JSON.parse(JSON.stringify(body)) as PaymentLinkUpdate;
  requireValid(PaymentLinkUpdate, request);
  const entry = entryOf(command, 'payment_link.updated');
  const link = await updatePaymentLink(command.links, command.context, id, request, {
    entry: (before, after) => entry(id, loggedLink(before), loggedLink(after)),
  });
  return shown(command, link);
}

/** Lists the newest links of an account. */
const list = (
  { links, context }: LinkCommand,
  status: PaymentLinkStatus | undefined,
): Promise<readonly LinkRow[]> =>
  links.store
    .list(
      context,
      { page: 1, per_page: perPage, statuses: status === undefined ? null : [status] },
      context.now,
    )
    .then(({ rows }) => rows);

const listed = ['id', 'status', 'title', 'payments_count', 'paid_amount', 'currency', 'url'] as const;
type Listed = Readonly<Record<(typeof listed)[number], unknown>>;

/** `till links`: payment links, the URLs at which buyers pay. */
export function linkCommands(program: Command, shell: Shell): void {
  const links = program.command('links').description('payment links: addresses at which buyers pay');
  links
    .command('list')
    .description('the newest 100 of an account, in its current environment')
    .requiredOption('--account <id>')
    .option('--live', 'live ones, whatever the environment is now')
    .addOption(new Option('--status <status>', 'only these').choices(paymentLinkStatuses))
    .action(function (
      this: Command,
      { account, live, status }: { account: string; live?: true; status?: PaymentLinkStatus },
    ) {
      const place = { accountId: account, ...(live === undefined ? {} : { livemode: live }) };
      return report(
        this,
        shell,
        () =>
          withDatabase(shell, (deps) =>
            onLinks(shell, deps, place, async (command) =>
              (await list(command, status)).map((link) => shown(command, link)),
            ),
          ),
        (rows: readonly Listed[]) =>
          asTable(rows.map((row) => Object.fromEntries(listed.map((name) => [name, row[name]])))),
      );
    });
  links
    .command('show')
    .description('one link, with its address and what came in')
    .argument('<id>')
    .action(function (this: Command, id: string) {
      return report(this, shell, () =>
        onLink(shell, id, async (command) =>
          shown(command, await retrieveLink(command.links, command.context, id)),
        ),
      );
    });
  createCommand(links, shell);
  changeCommands(links, shell);
}

function createCommand(links: Command, shell: Shell): void {
  links
    .command('create')
    .description('make a link and print its address')
    .requiredOption('--account <id>')
    .option('--live', 'a live one, whatever the environment is now')
    .requiredOption('--title <text>', 'what is paid for')
    .requiredOption('--currency <code>', 'such as EUR')
    .option('--amount <n>', 'in minor units', whole)
    .option('--min <n>', 'instead: the buyer enters the amount, at least this', whole)
    .option('--max <n>', 'and at most this', whole)
    .option('--suggested <n>', 'what the page offers at first', whole)
    .option('--description <text>', 'more about it, on the page only')
    .option('--max-payments <n>', 'how often it can be paid; 1 for an invoice', whole)
    .option('--expires-at <time>', 'from then on nobody can pay, such as 2026-12-31T23:59:59Z', endTime)
    .option('--reference-label <text>', 'what the buyer has to fill in')
    .option('--save-payment-method', 'keep the card or wallet for later charges')
    .option('--success-url <url>', 'where the buyer goes after paying')
    .option('--failure-url <url>', 'where the buyer goes otherwise')
    .action(function (this: Command, options: CreateOptions) {
      const { account: accountId, live } = options;
      const place = { accountId, ...(live === undefined ? {} : { livemode: live }) };
      return report(this, shell, () =>
        withDatabase(shell, (deps) => onLinks(shell, deps, place, (command) => create(command, options))),
      );
    });
}

function changeCommands(links: Command, shell: Shell): void {
  links
    .command('update')
    .description("change what is named; '' takes a field away")
    .argument('<id>')
    .option('--title <text>', 'what is paid for')
    .option('--description <text>', 'more about it, on the page only')
    .option('--max-payments <n>', 'how often it can be paid', wholeOrEmpty)
    .option('--expires-at <time>', 'from then on nobody can pay', endTimeOrEmpty)
    .addOption(new Option('--status <status>', 'on or off').choices(['active', 'inactive']))
    .action(function (this: Command, id: string, options: UpdateOptions) {
      return report(this, shell, () => onLink(shell, id, (command) => update(command, id, options)));
    });
  links
    .command('deactivate')
    .description('switch a link off: its page says so, and nobody can pay')
    .argument('<id>')
    .action(function (this: Command, id: string) {
      return report(this, shell, () =>
        onLink(shell, id, (command) => update(command, id, { status: 'inactive' })),
      );
    });
}
