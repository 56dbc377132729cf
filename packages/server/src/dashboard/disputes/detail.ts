import type { Dispute, StoredFile } from '@till/contract';
import type { DisputeDetail, DisputeStep, DisputeSubmission } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { findCustomer } from '../../customers/customers.ts';
import { presentCustomer } from '../../customers/present.ts';
import { retrieveDispute } from '../../disputes/deadlines/retrieve-dispute.ts';
import { type DisputeRow, presentDispute } from '../../disputes/present.ts';
import { type SubmissionRow, submissionsOf } from '../../disputes/reads.ts';
import { type DisputeEventRow, eventsOfDispute } from '../../events/reads.ts';
import { presentFile } from '../../files/files.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { retrievePayment } from '../../payments/operations/expire.ts';
import { presentPayment } from '../../payments/present.ts';
import { processorRefusal, refundedOf } from '../../payments/reads.ts';
import { type StaffAnswerRow, staffAnswers } from '../../users/people/reads.ts';
import { viewOf } from '../payments/list-payments.ts';
import type { InboxDependencies } from './dependencies.ts';
import { teamworkOf } from './draft.ts';

/** Everything that the page of one dispute shows. @throws ApiError `not_found` */
export async function retrieveDisputeDetail(
  deps: InboxDependencies,
  context: AccountContext,
  id: string,
): Promise<DisputeDetail> {
  const { disputes, payments } = deps;
  const { db } = disputes;
  const dispute = await retrieveDispute(disputes, context, id);
  const [payment, refunded, customer, events, answers, submissions, teamwork] = await Promise.all([
    retrievePayment(payments, context, dispute.payment_id),
    refundedOf(db, context, dispute.payment_id),
    dispute.customer_id === null ? undefined : findCustomer(payments.customers, context, dispute.customer_id),
    eventsOfDispute(db, context, dispute.id),
    staffAnswers(db, context, dispute.id),
    submissionsOf(db, context, dispute.id),
    teamworkOf(deps, context, dispute.id),
  ]);
  return {
    dispute: presentDispute(dispute, context),
    network_reason_code: dispute.network_reason_code,
    in_doubt: dispute.operation === 'conclude' ? null : dispute.operation,
    refusal: refusalOf(deps, context, dispute),
    payment: presentPayment(payment, viewOf(payments, context)),
    refunded_amount: refunded,
    customer: customer === undefined ? null : presentCustomer(customer, context),
    timeline: events.map((event) => stepOf(event, answers)),
    submissions: await presentSubmissions(deps, context, submissions),
    ...teamwork,
  };
}

/** Why a dispute cannot be answered now; null if it can. */
function refusalOf(
  { disputes }: InboxDependencies,
  context: AccountContext,
  dispute: DisputeRow,
): string | null {
  const { status, operation } = dispute;
  if (operation !== null) {
    return 'An answer is with the processor, which has not confirmed it yet. Till asks again by itself.';
  }
  if (status === 'new') return 'The processor has not asked for an answer yet.';
  if (status === 'challenged') return 'The defence was submitted. The issuer decides now.';
  if (status !== 'action_required') return 'This dispute is closed.';
  return processorRefusal(disputes, context, dispute);
}

/** A dispute is in each combination of state and status at most once, so the combination identifies the answer that led there. */
function stepOf(
  { id, type, created_at: at, body }: DisputeEventRow,
  answers: readonly StaffAnswerRow[],
): DisputeStep {
  const {
    state,
    status,
    respond_by: respondBy,
  } = (JSON.parse(body) as { data: { object: Dispute } }).data.object;
  const answer = answers.find((one) => one.state === state && one.status === status);
  return {
    type,
    at: isoSeconds(at),
    event: id,
    state,
    status,
    respond_by: respondBy,
    by: answer?.email ?? null,
  };
}

async function presentSubmissions(
  { files }: InboxDependencies,
  context: AccountContext,
  rows: readonly SubmissionRow[],
): Promise<DisputeSubmission[]> {
  const ids = rows.flatMap(({ evidence }) => evidence.flatMap(({ file }) => file ?? []));
  const known = new Map<string, StoredFile>(
    (ids.length === 0 ? [] : await files.store.find(context, ids)).map((file) => [
      file.id,
      presentFile(file, context),
    ]),
  );
  return rows.map((row) => ({
    reason_code: row.reason_code,
    statement: row.statement,
    evidence: row.evidence.map(({ type, text, file }) => ({
      type: type as DisputeSubmission['evidence'][number]['type'],
      text,
      file: (file === null ? undefined : known.get(file)) ?? null,
    })),
    created_at: isoSeconds(row.created_at),
    submitted_at: row.submitted_at && isoSeconds(row.submitted_at),
  }));
}
