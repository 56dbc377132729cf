import { ApiError } from '@till/contract';
import { type AccountContext, backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { createPaymentLink } from '../payment-links/payment-links.ts';
import { capturePayment } from '../payments/operations/capture.ts';
import { checkActivation } from '../payments/request/rules.ts';
import { createRefund } from '../refunds/create-refund.ts';
import type { Tenant } from '../store/tenant.ts';
import type { ApprovalDependencies } from './dependencies.ts';
import type { ApprovalRow } from './row.ts';
import { endRun } from './store.ts';

/** Number of tries without an answer after which a request fails: about four hours. */
const maxRuns = 12;

/**
 * Runs an approved request, with effect only once: a refund or link has its id since the approval, and a capture that an earlier
 * try began is resumed. A request that has become impossible ends with the reason. The sweep retries a request without an answer.
 * @param row the approval, taken for this try
 */
export async function runTaken(deps: ApprovalDependencies, tenant: Tenant, row: ApprovalRow): Promise<void> {
  const account = await findAccount(deps.db, tenant.accountId);
  if (account === undefined) return;
  const context = backgroundContext(account, tenant.livemode, deps.clock.now());
  try {
    await actions[row.action](deps, context, row);
    await endRun(deps.db, row, null);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Once the refund exists, the approval is done: the refund's own recovery finds its outcome.
    if (await isThere(deps, context, row)) return endRun(deps.db, row, null);
    const isFinal = error.status < 500 || row.runs >= maxRuns;
    if (!isFinal || (await isBeingCaptured(deps, context, row))) return;
    await endRun(deps.db, row, { code: error.code, message: error.message });
  }
}

/** Whether the refund or link of an approval exists already, or its payment is captured. */
async function isThere(
  { refunds, links }: ApprovalDependencies,
  context: AccountContext,
  { action, result_id: id, payment_id: paymentId }: ApprovalRow,
): Promise<boolean> {
  if (action === 'capture') {
    return (await refunds.payments.store.find(context, paymentId ?? ''))?.status === 'succeeded';
  }
  return (await (action === 'refund' ? refunds : links).store.find(context, id ?? '')) !== undefined;
}

/**
 * Whether the capture's outcome is still open. A refused further capture then proves nothing, and a later try sees the outcome.
 */
const isBeingCaptured = async (
  { refunds }: ApprovalDependencies,
  { tenant }: Tenant,
  { action, payment_id: id }: ApprovalRow,
): Promise<boolean> =>
  action === 'capture' && refunds.payments.operations.isOpen({ tenant, id: id ?? '' }, ['capture']);

type Run = (deps: ApprovalDependencies, context: AccountContext, row: ApprovalRow) => Promise<void>;

const refund: Run = async (deps, context, row) => {
  if (await isThere(deps, context, row)) return;
  await createRefund(deps.refunds, context, {
    paymentId: row.payment_id ?? '',
    request: row.request.refund ?? {},
    claim: null,
    resumes: null,
    id: row.result_id ?? undefined,
  });
};

const capture: Run = async (deps, context, row) => {
  checkActivation(context);
  const resumes = row.runs > 1 ? row.payment_id : null;
  await capturePayment(deps.refunds.payments, context, row.payment_id ?? '', { claim: null, resumes });
};

const paymentLink: Run = async (deps, context, row) => {
  const { link } = row.request;
  if (link === undefined) throw new Error(`${row.id} does not say which link`);
  if (await isThere(deps, context, row)) return;
  await createPaymentLink(deps.links, context, link, { claim: null, id: row.result_id ?? undefined });
};

const actions = { refund, capture, payment_link: paymentLink } as const;
