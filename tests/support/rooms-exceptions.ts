/** SQL on tables in a folder that is not their room, and why it stands there. */
interface Outside {
  readonly folder: string;
  readonly tables: readonly string[];
  readonly reason: string;
}

/** Changes that are committed together, in one statement. */
const committed: readonly Outside[] = [
  { folder: 'accounts', tables: ['connections'], reason: 'an account and its connections are made at once' },
  { folder: 'payments', tables: ['checkout_tokens'], reason: 'inserted with the redirect that it is for' },
  { folder: 'payments', tables: ['payment_methods'], reason: 'refused or marked as gone by the same commit' },
  {
    folder: 'payments',
    tables: ['operations', 'idempotency_keys', 'customers'],
    reason: 'a first charge that never left is discarded with its key and its new customer',
  },
  {
    folder: 'refunds',
    tables: ['payments'],
    reason: 'the commit takes the amount from what is left of the payment',
  },
  {
    folder: 'disputes',
    tables: ['operations'],
    reason: 'an update is refused while an answer is on its way',
  },
  {
    folder: 'operations',
    tables: ['idempotency_keys'],
    reason: 'a repeated key is reported before an operation that is open already',
  },
  {
    folder: 'idempotency',
    tables: ['payments', 'operations'],
    reason: 'a record is kept while what it began has no answer',
  },
];

/** Locks on the account's row, so that what an account may have few of is counted one by one. */
const locked: readonly Outside[] = [
  { folder: 'files', tables: ['accounts'], reason: 'the account is locked while its files are counted' },
  {
    folder: 'webhooks',
    tables: ['accounts'],
    reason: 'the account is locked while its endpoints are counted',
  },
];

/** Joined in one statement because of speed: one round trip, or rows that are found by both. */
const joined: readonly Outside[] = [
  {
    folder: 'api-keys',
    tables: ['accounts', 'connections', 'idempotency_keys'],
    reason: 'a request is authenticated and its replay found in one statement',
  },
  { folder: 'api-keys', tables: ['users'], reason: 'a key is listed with who made it' },
  { folder: 'checkout', tables: ['connections'], reason: 'every page asks whether the account is connected' },
  { folder: 'disputes', tables: ['payments'], reason: 'a dispute is shown with amounts of its payment' },
  {
    folder: 'disputes',
    tables: ['accounts'],
    reason: 'deadlines are on the clock of the account',
  },
  { folder: 'payments', tables: ['accounts'], reason: 'deadlines are on the clock of the account' },
  { folder: 'jobs', tables: ['accounts'], reason: 'what is due is so on the clock of the account' },
  {
    folder: 'refunds',
    tables: ['disputes'],
    reason: 'what is left of a payment, with the disputes that cover the rest',
  },
  { folder: 'files', tables: ['dispute_evidence'], reason: 'a file that a dispute uses is kept' },
  {
    folder: 'mail',
    tables: ['memberships', 'users'],
    reason: 'mails go to the owners and admins of an account',
  },
  {
    folder: 'mail',
    tables: ['accounts'],
    reason: 'a mail is found by its id through the keys of the accounts',
  },
  {
    folder: 'users',
    tables: ['accounts'],
    reason: 'workspaces and invitations are listed with the names of their accounts',
  },
];

/** The number of its last row, with which each of these begins. */
const counted: readonly Outside[] = [
  { folder: 'events', tables: ['counters'], reason: 'where the log of events ends' },
  {
    folder: 'request-logs',
    tables: ['counters'],
    reason: 'its oldest rows are dropped, so a count is a difference',
  },
];

/** Reports of an operator over everything that is open. */
const reports: readonly Outside[] = [
  {
    folder: 'cli',
    tables: [
      'accounts',
      'connection_credentials',
      'mails',
      'payments',
      'processor_notifications',
      'webhook_endpoints',
    ],
    reason: 'till doctor counts what waits for somebody in one statement',
  },
  {
    folder: 'connections',
    tables: ['disputes', 'operations', 'payment_methods', 'payments', 'processor_notifications', 'refunds'],
    reason:
      'what is open with a merchant account is counted in one statement, and tried again with new credentials',
  },
  {
    folder: 'vault',
    tables: [
      'connection_credentials',
      'payment_methods',
      'processor_notifications',
      'user_totp',
      'webhook_endpoints',
    ],
    reason: 'every sealed column is sealed anew where a key is rotated',
  },
];

/** Pages of the dashboard, of which each reads several tables at once. */
const dashboard: readonly Outside[] = [
  {
    folder: 'dashboard',
    tables: [
      'customers',
      'disputes',
      'operations',
      'payment_alerts',
      'payment_methods',
      'payments',
      'refunds',
    ],
    reason: 'lists are filtered and shown by what stands in several tables',
  },
  {
    folder: 'dashboard',
    tables: ['deliveries', 'delivery_attempts', 'events', 'webhook_endpoints'],
    reason: 'lists of deliveries and events with their endpoints and latest attempts',
  },
  {
    folder: 'dashboard',
    tables: ['counters', 'request_logs', 'user_totp'],
    reason: 'figures and the checklist of the home page are counted over many tables',
  },
];

export const outsideTheirRoom: readonly Outside[] = [
  ...committed,
  ...locked,
  ...joined,
  ...counted,
  ...reports,
  ...dashboard,
];
