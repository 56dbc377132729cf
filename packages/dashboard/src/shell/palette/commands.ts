import { type AccountPaths, settingsPages, withQuery } from '../../navigation/paths.ts';
import { leadsTo, navigationOf } from '../../navigation/site-map.ts';

/** A page or an action that can be selected in the palette by name. */
export interface Command {
  readonly label: string;
  /** A path below `/dashboard`, a URL of the server that opens in a new tab, or an action that is executed in place. */
  readonly target:
    | { readonly to: string }
    | { readonly href: string }
    | { readonly act: 'sign-out' | 'help' };
  /** Alternative search words, in lower case. */
  readonly synonyms: string;
  /** The operation that the command needs. The command is hidden from people who may not call it. */
  readonly needs?: string;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const pageSynonyms: Readonly<Record<string, string>> = {
  Home: 'overview dashboard start figures charts revenue',
  Payments: 'transactions charges orders sales',
  Refunds: 'money back returns reimburse',
  'Payment links': 'invoice donation qr code pay by link checkout address',
  Customers: 'buyers people clients saved cards',
  Disputes: 'chargebacks claims inquiries evidence',
  Ledger: 'books accounting month reports bookkeeping reconcile',
  'API keys': 'secret token credentials',
  Webhooks: 'endpoints notifications deliveries callbacks',
  Events: 'log history what happened',
  'Request logs': 'api calls errors debug',
  'Sandbox tools': 'test triggers simulate play the buyer',
  'Mail outbox': 'emails sent notifications',
};

const settingsSynonyms: Readonly<Record<string, string>> = {
  business: 'account name company time zone',
  branding: 'logo colour color checkout look',
  payments: 'refund limits save cards',
  connection: 'processor credentials 3-d secure merchant account',
  team: 'members users colleagues roles permissions staff',
  security: 'password two-factor 2fa totp authenticator sessions',
  audit: 'log who did what history trail',
  environment: 'live sandbox mode switch production test',
};

function pages(paths: AccountPaths, sandbox: boolean): Command[] {
  const items = navigationOf(paths, sandbox).flatMap((group) => group.items);
  const page = (label: string, to: string, synonyms = '', needs?: string): Command => ({
    label,
    target: { to },
    synonyms,
    ...(needs === undefined ? {} : { needs }),
  });
  return [
    ...items.flatMap(({ label, to, needs }) =>
      label === 'Settings' ? [] : [page(label, to, pageSynonyms[label], needs)],
    ),
    // Going live is already listed as an action.
    ...settingsPages.flatMap((name) =>
      name === 'go-live'
        ? []
        : page(`Settings: ${capital(name.replace('-', ' '))}`, paths.settings(name), settingsSynonyms[name]),
    ),
  ];
}

function actions(paths: AccountPaths, sandbox: boolean): Command[] {
  const action = (label: string, to: string, synonyms: string, needs?: string): Command => ({
    label,
    target: { to },
    synonyms,
    ...(needs === undefined ? {} : { needs }),
  });
  const clock = action(
    'Move the sandbox clock',
    paths.sandbox,
    'time forward advance days expire',
    'retrieveSandbox',
  );
  return [
    action(
      'Invite a team member',
      paths.settings('team'),
      'add user colleague person access invitation',
      'inviteMember',
    ),
    action('Export payments', paths.payments, 'csv download excel spreadsheet accountant report'),
    action('Export refunds', paths.refunds, 'csv download excel spreadsheet accountant report'),
    action(
      'Create a payment link',
      paths.paymentLinks,
      'new invoice donation qr code pay by link',
      'createPaymentLink',
    ),
    action('Export payment links', paths.paymentLinks, 'csv download excel spreadsheet report'),
    action('Export disputes', paths.disputes, 'csv download excel spreadsheet accountant report'),
    action('Export the ledger of a month', paths.ledger, 'csv download close accountant report books'),
    action('Go live', paths.settings('go-live'), 'activate production launch switch mode requirements'),
    action('Create an API key', paths.keys, 'new secret token', 'createApiKey'),
    action('Roll an API key', paths.keys, 'rotate renew replace revoke secret', 'rollApiKey'),
    action(
      'Roll the secret of a webhook',
      paths.webhooks,
      'rotate renew replace signing secret',
      'rollWebhookSecret',
    ),
    action('Add a webhook endpoint', paths.webhooks, 'new create notification url', 'createWebhookEndpoint'),
    action(
      'Resend webhooks',
      paths.webhooks,
      'recover retry deliveries outage failed send again',
      'recoverDeliveries',
    ),
    action(
      'Capture holds',
      withQuery(paths.payments, { status: 'authorized' }),
      'collect authorized authorised bulk',
      'capturePayment',
    ),
    action(
      'Refund a payment',
      withQuery(paths.payments, { status: 'succeeded' }),
      'give back money return reimburse',
    ),
    action('Failed payments', withQuery(paths.payments, { status: 'failed' }), 'declined declines errors'),
    action('Answer a dispute', paths.disputes, 'defend accept evidence chargeback'),
    action('Change the time zone', paths.settings('business'), 'clock hours utc local'),
    action('Change the password', paths.settings('security'), 'two-factor 2fa authenticator'),
    ...(sandbox ? [clock] : []),
    { label: 'Documentation', target: { href: '/docs' }, synonyms: 'docs guides help manual how to' },
    { label: 'API reference', target: { href: '/docs/reference' }, synonyms: 'docs openapi endpoints' },
    { label: 'Keyboard shortcuts', target: { act: 'help' }, synonyms: 'keys help hotkeys' },
    { label: 'Sign out', target: { act: 'sign-out' }, synonyms: 'log out logout leave exit' },
  ];
}

/**
 * The pages and actions of an account; `sandbox` adds those that only a sandbox has.
 * @param allowed the operations that the person's role allows; undefined while they are unknown
 */
export const commandsOf = (
  paths: AccountPaths,
  sandbox: boolean,
  allowed?: readonly string[],
): readonly Command[] =>
  [...pages(paths, sandbox), ...actions(paths, sandbox)].filter(({ needs }) => leadsTo(needs, allowed));

/**
 * How well a command matches the typed text: 0 if not at all. Every typed word has to start a word of the name or of
 * the synonyms.
 */
function fit({ label, synonyms }: Command, typed: string): number {
  const name = label.toLowerCase();
  if (name.startsWith(typed)) return 4;
  const own = name.split(/[^\p{L}\p{N}-]+/u);
  const other = synonyms.split(' ');
  const wanted = typed.split(/\s+/);
  if (wanted.every((word) => own.some((one) => one.startsWith(word)))) return 3;
  if (wanted.every((word) => [...own, ...other].some((one) => one.startsWith(word)))) return 2;
  return typed.length >= 3 && name.includes(typed) ? 1 : 0;
}

/** The commands that match the text, best first; all pages if the text is empty. */
export function findCommands(commands: readonly Command[], text: string, max = 6): readonly Command[] {
  const typed = text.trim().toLowerCase();
  if (typed === '') return commands;
  return commands
    .map((command) => ({ command, score: fit(command, typed) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, max)
    .map(({ command }) => command);
}
