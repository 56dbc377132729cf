import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertedColumns as accountBrandingInsertedColumns } from '../accounts/branding.ts';
import { insertedColumns as refundLimitsInsertedColumns } from '../accounts/refund-limits.ts';
import { roleApprovalColumns } from '../accounts/role-approvals.ts';
import { ownColumns as accountsOwnColumns } from '../accounts/store.ts';
import { insertedColumns as apiKeysInsertedColumns } from '../api-keys/api-keys.ts';
import { approvalColumns } from '../approvals/row.ts';
import { limitColumns as cardTestingLimitColumns } from '../card-testing/limits.ts';
import { markColumns as cardTestingMarkColumns } from '../card-testing/reads.ts';
import { countColumns as cardDeclinesCountColumns } from '../card-testing/store.ts';
import { ownCellColumns } from '../cells/own-cell.ts';
import { cellColumns as cellsCellColumns } from '../cells/store.ts';

import { tokenColumns as checkoutTokensTokenColumns } from '../checkout/visit/store.ts';
import { insertedColumns as connectionCredentialsInsertedColumns } from '../connections/store.ts';
import { insertedColumns as customersInsertedColumns } from '../customers/store.ts';
import { hiddenColumns as hiddenChecklistsHiddenColumns } from '../dashboard/home/checklist-store.ts';
import { insertedColumns as savedViewsInsertedColumns } from '../dashboard/saved-views/saved-views.ts';
import { draftColumns } from '../disputes/drafts.ts';
import {
  insertedColumns as disputeEvidenceInsertedColumns,
  submissionColumns as disputeEvidenceSubmissionColumns,
} from '../disputes/evidence.ts';
import { disputeColumns as disputesDisputeColumns } from '../disputes/present.ts';
import { deliveryColumns as newDeliveryColumns } from '../events/events.ts';
import { insertedColumns as filesInsertedColumns } from '../files/store.ts';
import { newMailColumns as mailsNewMailColumns } from '../mail/store.ts';
import { movementColumns } from '../payment-alerts/movements.ts';
import { insertedColumns as paymentAlertsInsertedColumns } from '../payment-alerts/store.ts';
import { countedColumns as paymentLinksCountedColumns } from '../payment-links/row.ts';
import { paymentMethodColumns as paymentMethodsPaymentMethodColumns } from '../payment-methods/row.ts';
import { noticeColumns } from '../payments/holds/ending-guarantees.ts';
import {
  begunColumns as paymentsBegunColumns,
  paymentColumns as paymentsPaymentColumns,
} from '../payments/payment.ts';
import { listedColumns as processorNotificationsListedColumns } from '../processor-notifications/row.ts';
import { insertedColumns as processorNotificationsInsertedColumns } from '../processor-notifications/store.ts';
import { refundColumns as refundsRefundColumns } from '../refunds/row.ts';
import { logColumns as requestLogsLogColumns } from '../request-logs/row.ts';
import { bookColumns } from '../settlements/book-accounts.ts';
import { lineColumns, payoutColumns, reportColumns } from '../settlements/row.ts';
import type { Columns } from '../store/columns.ts';
import { entryColumns as auditLogEntryColumns } from '../users/audit/audit.ts';
import { insertedColumns as invitationsInsertedColumns } from '../users/invitations/invitations.ts';
import { linkColumns as setupLinksLinkColumns } from '../users/invitations/setup-links.ts';
import {
  membershipColumns as membershipsMembershipColumns,
  insertedColumns as usersInsertedColumns,
} from '../users/people/users.ts';
import { sessionColumns as sessionsSessionColumns } from '../users/sign-in/sessions.ts';
import {
  beginColumns as userTotpBeginColumns,
  totpColumns as userTotpTotpColumns,
} from '../users/sign-in/totp.ts';
import {
  accountKeyColumns as accountKeysAccountKeyColumns,
  masterKeyColumns as masterKeysMasterKeyColumns,
} from '../vault/store.ts';
import { createTestDatabase } from '../vault/test-database.ts';
import {
  deliveryColumns as deliveriesDeliveryColumns,
  attemptColumns as deliveryAttemptsAttemptColumns,
} from '../webhooks/delivery/reads.ts';
import { insertedColumns as webhookEndpointsInsertedColumns } from '../webhooks/endpoints/store.ts';

/** The column descriptions of each table. */
const described: readonly (readonly [table: string, columns: Columns])[] = [
  ['accounts', accountsOwnColumns],
  ['cells', cellsCellColumns],
  ['own_cell', ownCellColumns],
  ['account_branding', accountBrandingInsertedColumns],
  ['refund_limits', refundLimitsInsertedColumns],
  ['role_approvals', roleApprovalColumns],
  ['card_testing_limits', cardTestingLimitColumns],
  ['card_declines', cardDeclinesCountColumns],
  ['card_testing_marks', cardTestingMarkColumns],
  ['connection_credentials', connectionCredentialsInsertedColumns],
  ['master_keys', masterKeysMasterKeyColumns],
  ['account_keys', accountKeysAccountKeyColumns],
  ['users', usersInsertedColumns],
  ['memberships', membershipsMembershipColumns],
  ['sessions', sessionsSessionColumns],
  ['user_totp', userTotpBeginColumns],
  ['user_totp', userTotpTotpColumns],
  ['setup_links', setupLinksLinkColumns],
  ['invitations', invitationsInsertedColumns],
  ['audit_log', auditLogEntryColumns],
  ['api_keys', apiKeysInsertedColumns],
  ['mails', mailsNewMailColumns],
  ['customers', customersInsertedColumns],
  ['payment_methods', paymentMethodsPaymentMethodColumns],
  ['payment_links', paymentLinksCountedColumns],
  ['payments', paymentsPaymentColumns],
  ['payments', paymentsBegunColumns],
  ['hold_notices', noticeColumns],
  ['checkout_tokens', checkoutTokensTokenColumns],
  ['payment_alerts', paymentAlertsInsertedColumns],
  ['payment_movements', movementColumns],
  ['refunds', refundsRefundColumns],
  ['approvals', approvalColumns],
  ['disputes', disputesDisputeColumns],
  ['book_accounts', bookColumns],
  ['payouts', payoutColumns],
  ['payout_lines', lineColumns],
  ['settlement_reports', reportColumns],
  ['dispute_drafts', draftColumns],
  ['dispute_evidence', disputeEvidenceInsertedColumns],
  ['dispute_evidence', disputeEvidenceSubmissionColumns],
  ['files', filesInsertedColumns],
  ['webhook_endpoints', webhookEndpointsInsertedColumns],
  ['deliveries', newDeliveryColumns],
  ['deliveries', deliveriesDeliveryColumns],
  ['delivery_attempts', deliveryAttemptsAttemptColumns],
  ['processor_notifications', processorNotificationsInsertedColumns],
  ['processor_notifications', processorNotificationsListedColumns],
  ['request_logs', requestLogsLogColumns],
  ['saved_views', savedViewsInsertedColumns],
  ['hidden_checklists', hiddenChecklistsHiddenColumns],
];

interface CatalogColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}

let catalog: readonly CatalogColumn[];
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await createTestDatabase();
  drop = () => database.drop();
  catalog = await database.db.query<CatalogColumn>({
    text: `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable
           from pg_attribute a join pg_class c on c.oid = a.attrelid
           where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`,
    scope: 'anybody',
  });
});
afterAll(() => drop());

const typeNames: Readonly<Record<string, string>> = {
  int: 'integer',
  timestamptz: 'timestamp with time zone',
  json: 'jsonb',
};

/** Columns that a description reads or writes differently from the table's definition, with the reason. */
const computed: Readonly<Record<string, string>> = {
  'deliveries.livemode': 'read from the tenant',
  'deliveries.next_attempt_at': 'null in place of infinity',
  'processor_notifications.body': 'written in hex; null once it was applied',
  'processor_notifications.key_version': 'null once it was applied',
  'processor_notifications.processor_identity': 'null where it was received before identities were kept',
};

it('describes columns as the database has them: name, type, and whether they may be null', () => {
  const differences = described.flatMap(([table, columns]) =>
    Object.entries(columns).flatMap(([name, { sql, isNullable = false }]) => {
      const column = catalog.find((one) => one.table === table && one.name === name);
      const type = column?.type === 'json' ? 'jsonb' : column?.type;
      const isSame = type === (typeNames[sql] ?? sql) && column?.nullable === isNullable;
      return isSame ? [] : [`${table}.${name}`];
    }),
  );
  expect([...new Set(differences)].sort()).toEqual(Object.keys(computed).sort());
});

/** Tables without a description: their values are computed in the writing statements, and no code reads a whole row. */
const written = [
  'account_cells',
  'account_moves',
  'api_key_days',
  'arrivals',
  'buyer_mails',
  'cell_keys',
  'connections',
  'counters',
  'departed_rows',
  'departures',
  'discarded_payments',
  'events',
  'figures',
  'figures_progress',
  'forgotten_tokens',
  'idempotency_keys',
  'known_sites',
  'operations',
  'payment_link_attempts',
  'process_lives',
  'process_marks',
  'recovery_codes',
  'schema_migrations',
  'sign_in_throttles',
  'tenants',
];

it('every table has a description, but for those that are written by SQL alone', () => {
  const tables = new Set(catalog.map(({ table }) => table).filter((table) => !/_(other|\d+)$/.test(table)));
  const names = new Set(described.map(([table]) => table));
  expect([...tables].filter((table) => !names.has(table)).sort()).toEqual(written);
});
