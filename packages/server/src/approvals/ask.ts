import { type Approval, approvalHours, type PaymentCapture, type RefundCreate } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { requireWithinAmount } from '../api-keys/limits.ts';
import { writeEvent } from '../events/events.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import { approvalMail } from '../mail/approval-mails.ts';
import { addressMails } from '../mail/queue-mail.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { requirePayment } from '../payments/reads.ts';
import { writePayment } from '../payments/settle-payment.ts';
import { writeRefund } from '../refunds/commit-refund.ts';
import { refundableOf } from '../refunds/refundable.ts';
import { retrieveRefund } from '../refunds/refunds.ts';
import type { ApprovalDependencies } from './dependencies.ts';
import { type ApprovalRow, presentApproval, type WaitingRequest } from './row.ts';
import { findApproval, insertApproval } from './store.ts';

/** A request that may have to wait. */
interface Asked {
  readonly paymentId: string;
  readonly claim: Claim | null;
  readonly resumes: string | null;
}

type Waits = { readonly status: 200 | 201 | 202; readonly text: string } | { readonly keyTaken: true };

/** The amount above which what a key asks for waits for a person, in minor units; null: nothing does. */
const waitsAbove = ({ restriction }: AccountContext): number | null => restriction?.approval_above ?? null;

/**
 * Whether a refund has to wait for a person. What cannot be refunded anyway is refused at once, and so does not wait.
 * @returns the approval, or, for a repeat, what came of it; null: the refund may go ahead
 */
export async function refundWaits(
  deps: ApprovalDependencies,
  context: AccountContext,
  request: RefundCreate,
  asked: Asked,
): Promise<Waits | null> {
  if (isApproval(asked.resumes)) return answerRepeat(deps, context, asked);
  const above = waitsAbove(context);
  if (above === null || asked.resumes !== null) return null;
  const payment = await requirePayment(deps.refunds.payments.store, context, asked.paymentId);
  if (payment.status !== 'succeeded') return null;
  const { left } = await refundableOf(deps.db, payment);
  const amount = request.amount ?? left;
  if (amount > left || amount <= above) return null;
  requireWithinAmount(context, { amount, currency: payment.currency });
  return askFor(
    deps,
    context,
    payment,
    { action: 'refund', amount, request: { refund: { ...request, amount } } },
    asked,
  );
}

/** The same for a capture. */
export async function captureWaits(
  deps: ApprovalDependencies,
  context: AccountContext,
  request: PaymentCapture,
  asked: Asked,
): Promise<Waits | null> {
  if (isApproval(asked.resumes)) return answerRepeat(deps, context, asked);
  const above = waitsAbove(context);
  if (above === null || asked.resumes !== null) return null;
  const payment = await requirePayment(deps.refunds.payments.store, context, asked.paymentId);
  const { amount, status } = payment;
  if (status !== 'authorized' || (request.amount ?? amount) !== amount || amount <= above) return null;
  requireWithinAmount(context, payment);
  return askFor(deps, context, payment, { action: 'capture', amount, request: {} }, asked);
}

const isApproval = (resumes: string | null): resumes is string => resumes?.startsWith('apr_') === true;

/** Commits the approval with its event and a mail for each owner and admin, under the request's idempotency key. */
async function askFor(
  deps: ApprovalDependencies,
  context: AccountContext,
  payment: PaymentRow,
  { action, amount, request }: Pick<Approval, 'action' | 'amount'> & { readonly request: WaitingRequest },
  { claim }: Asked,
): Promise<Waits> {
  const row: ApprovalRow = {
    tenant: context.tenant,
    id: newId('apr', deps.clock.now(), deps.randomBytes),
    status: 'pending',
    action,
    payment_id: payment.id,
    amount,
    currency: payment.currency,
    request,
    requested_by: context.keyId,
    decided_by: null,
    reason: null,
    result_id: null,
    failure_code: null,
    failure_message: null,
    run_at: null,
    runs: 0,
    created_at: context.now,
    expires_at: new Date(context.now.getTime() + approvalHours * 3_600_000),
    decided_at: null,
  };
  const text = deps.write(presentApproval(row, context));
  const event = writeEvent(
    {
      id: newId('evt', deps.clock.now(), deps.randomBytes),
      type: 'approval.created',
      sequence: 1,
      created: context.now,
      livemode: context.livemode,
    },
    text,
  );
  const { accountName, livemode, timeZone } = context;
  const message = approvalMail({ ...row, accountName, livemode, timeZone, paymentId: payment.id });
  const mails = await addressMails(deps.mail, context.accountId, message);
  if (!(await insertApproval(deps.db, row, { claim, event, mails }))) return { keyTaken: true };
  deps.wake(context.accountId);
  return { status: 202, text };
}

/** A repeat of the request is answered with the approval until it has run, then with what came of it. */
async function answerRepeat(
  deps: ApprovalDependencies,
  context: AccountContext,
  { claim, resumes }: Asked,
): Promise<Waits> {
  const row = await findApproval(deps.db, context, resumes ?? '');
  if (row === undefined) throw new Error(`${resumes} does not exist`);
  const approval = presentApproval(row, context);
  if (claim !== null) await deps.release(context, claim);
  if (approval.result === null) return { status: 202, text: deps.write(approval) };
  if (approval.action === 'capture') {
    const payment = await requirePayment(deps.refunds.payments.store, context, approval.result);
    return { status: 200, text: writePayment(deps.refunds.payments, context, payment) };
  }
  const refund = await retrieveRefund(deps.refunds, context, approval.result);
  return { status: 201, text: writeRefund(deps.refunds, context, refund) };
}
