import { expect, it } from 'vitest';
import { outsideTheirRoom } from './support/rooms-exceptions.ts';
import { filesBelow, placeOf, read } from './support/sources.ts';
import { serverCode } from './support/statements.ts';

/*
 * The SQL on a table is in one folder of the server, its room. Other rooms read through functions of that
 * folder, usually in its `reads.ts`, or use SQL fragments from its `sql.ts`. Exceptions are listed.
 */

/** The folders that contain the SQL on a table. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  accounts: ['accounts'],
  account_branding: ['accounts'],
  refund_limits: ['accounts'],
  role_approvals: ['accounts'],
  card_testing_limits: ['card-testing'],
  card_declines: ['card-testing'],
  card_testing_marks: ['card-testing'],
  cells: ['cells'],
  account_cells: ['cells'],
  cell_keys: ['cells'],
  own_cell: ['cells'],
  account_moves: ['cells'],
  departures: ['cells'],
  departed_rows: ['cells'],
  arrivals: ['cells'],
  // The owner of the rows in every other room, read wherever a statement determines the owner.
  tenants: ['*'],
  connections: ['connections'],
  connection_credentials: ['connections'],
  master_keys: ['vault'],
  account_keys: ['vault'],
  users: ['users'],
  memberships: ['users'],
  sessions: ['users'],
  user_totp: ['users'],
  recovery_codes: ['users'],
  sign_in_throttles: ['users'],
  known_sites: ['users'],
  setup_links: ['users'],
  invitations: ['users'],
  audit_log: ['users'],
  api_keys: ['api-keys'],
  api_key_days: ['api-keys'],
  mails: ['mail'],
  buyer_mails: ['mail'],
  counters: ['store'],
  process_lives: ['store'],
  process_marks: ['store'],
  customers: ['customers'],
  payment_methods: ['payment-methods'],
  forgotten_tokens: ['payment-methods'],
  payment_links: ['payment-links'],
  payment_link_attempts: ['payment-links'],
  payments: ['payments'],
  discarded_payments: ['payments'],
  hold_notices: ['payments'],
  payment_alerts: ['payment-alerts'],
  payment_movements: ['payment-alerts'],
  operations: ['operations'],
  checkout_tokens: ['checkout'],
  refunds: ['refunds'],
  approvals: ['approvals'],
  disputes: ['disputes'],
  dispute_drafts: ['disputes'],
  dispute_evidence: ['disputes'],
  book_accounts: ['settlements'],
  payouts: ['settlements'],
  payout_lines: ['settlements'],
  settlement_reports: ['settlements'],
  files: ['files'],
  // These form one room: the statement that writes an event also writes its deliveries.
  events: ['events', 'webhooks'],
  deliveries: ['events', 'webhooks'],
  delivery_attempts: ['events', 'webhooks'],
  webhook_endpoints: ['events', 'webhooks'],
  processor_notifications: ['processor-notifications'],
  idempotency_keys: ['idempotency'],
  request_logs: ['request-logs'],
  saved_views: ['dashboard'],
  hidden_checklists: ['dashboard'],
};

const tables = filesBelow('packages/server/migrations')
  .flatMap((path) => [...read(path).matchAll(/create (?:unlogged )?table (\w+) \(/g)])
  .map(([, name = '']) => name);

/** The dashboard owns the tables of figures. */
const roomsOf = (table: string): readonly string[] =>
  rooms[table] ?? (/^figures(_|$)/.test(table) ? ['dashboard'] : []);

/** A table's name after a SQL keyword, or as the table of a row description. */
const named = new RegExp(
  `\\b(?:from|join|update|into|using)\\s+(?:only\\s+)?(${tables.join('|')})\\b(?![(.'])|\\btable: '(${tables.join('|')})'`,
  'g',
);

/** Uses of tables outside their room, as `table in folder`. */
const found = new Set(
  [...serverCode].flatMap(([path, text]) => {
    const [folder = ''] = placeOf(path).path.split('/');
    return [...text.matchAll(named)]
      .map(([, inSql, described]) => inSql ?? described ?? '')
      .filter((table) => !roomsOf(table).some((room) => room === '*' || room === folder))
      .map((table) => `${table} in ${folder}`);
  }),
);

it('every table has a room', () => {
  expect(tables.length).toBeGreaterThan(30);
  expect(tables.filter((table) => roomsOf(table).length === 0)).toEqual([]);
  expect(Object.keys(rooms).filter((table) => !tables.includes(table))).toEqual([]);
});

it('SQL on a table stands in its room, or in the list of what stands elsewhere', () => {
  const pairs = outsideTheirRoom.flatMap((outside) =>
    outside.tables.map((table) => `${table} in ${outside.folder}`),
  );
  const listed = new Set(pairs);
  expect([...found].filter((one) => !listed.has(one)).sort()).toEqual([]);
  // Exceptions that are no longer needed have to be removed.
  expect([...listed].filter((one) => !found.has(one)).sort()).toEqual([]);
  expect(listed.size).toBe(pairs.length);
});
