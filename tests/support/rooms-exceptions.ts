/** Tables with SQL in a folder that is not their room, and the reason for it. */
interface Outside {
  readonly folder: string;
  readonly tables: readonly string[];
  readonly reason: string;
}

/** Changes that one statement has to commit together. */
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
    tables: ['operations'],
    reason: 'a record is kept while what it began has no answer',
  },
];

/**
 * Reads that one statement combines with writes, in a folder that is below the table's own in the order of
 * imports.
 */
const read: readonly Outside[] = [
  {
    folder: 'files',
    tables: ['dispute_drafts', 'dispute_evidence'],
    reason: 'a file that a dispute uses is kept',
  },
  {
    folder: 'mail',
    tables: ['memberships', 'users'],
    reason: 'mails go to the owners and admins of an account',
  },
  {
    folder: 'users',
    tables: ['account_moves'],
    reason: 'people of an account that is arriving in a cell are left there',
  },
];

/** Reports for operators about everything that is open. */
const reports: readonly Outside[] = [
  {
    folder: 'cli',
    tables: [
      'accounts',
      'connection_credentials',
      'mails',
      'operations',
      'processor_notifications',
      'webhook_endpoints',
    ],
    reason: 'till doctor counts what waits for somebody in one statement',
  },
  {
    folder: 'vault',
    tables: [
      'cells',
      'connection_credentials',
      'payment_methods',
      'processor_notifications',
      'user_totp',
      'webhook_endpoints',
    ],
    reason: 'every sealed column is sealed anew where a key is rotated',
  },
];

export const outsideTheirRoom: readonly Outside[] = [...committed, ...read, ...reports];
