import type { PaymentCapture, PaymentLinkCreate, RefundCreate } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { requireNoApprovalNeeded, requireWithinAmount } from '../api-keys/limits.ts';
import type { Claim } from '../idempotency/claims.ts';
import { retrieveLink, writeLink } from '../payment-links/payment-links.ts';
import { type LinkRow, largestPayment, opensLink } from '../payment-links/row.ts';
import { checkNewLink } from '../payment-links/rules.ts';
import { isHoldOver } from '../payments/operations/capture.ts';
import { requirePayment } from '../payments/reads.ts';
import { writePayment } from '../payments/settle-payment.ts';
import { unsupportedAmountReason } from '../processors/port/amounts.ts';
import { writeRefund } from '../refunds/commit-refund.ts';
import { checkMetadata } from '../refunds/create-refund.ts';
import { refundableOf } from '../refunds/refundable.ts';
import { retrieveRefund } from '../refunds/refunds.ts';
import type { ApprovalDependencies } from './dependencies.ts';
import { type Asked, keyOf, requestApproval, type Waits } from './request-approval.ts';
import { presentApproval } from './row.ts';
import { findApproval } from './store.ts';

type AskedOfPayment = Asked & { readonly paymentId: string };

/**
 * Decides whether a refund has to wait for an approval. A refund that is not possible anyway does not wait: it proceeds and is
 * refused.
 * @returns the response with the approval, or for a repeated request with the approval's result; null if the refund may proceed
 * @throws ApiError `metadata_invalid`
 */
export async function approvalForRefund(
  deps: ApprovalDependencies,
  context: AccountContext,
  request: RefundCreate,
  asked: AskedOfPayment,
  by = keyOf(context),
): Promise<Waits | null> {
  if (isApproval(asked.resumes)) return answerRepeat(deps, context, asked);
  if (by.above === null || asked.resumes !== null) return null;
  const payment = await requirePayment(deps.refunds.payments.store, context, asked.paymentId);
  checkMetadata(request);
  if (payment.status !== 'succeeded') return null;
  const { left } = await refundableOf(deps.db, payment);
  const amount = request.amount ?? left;
  if (amount > left || amount <= by.above) return null;
  const { id: paymentId, currency } = payment;
  const port = deps.refunds.connect(context)?.port;
  if (port !== undefined && unsupportedAmountReason(port, amount, currency) !== null) return null;
  requireWithinAmount(context, { amount, currency });
  const what = { action: 'refund', paymentId, amount, currency, left } as const;
  return requestApproval(
    deps,
    context,
    { ...what, request: { refund: { ...request, amount } } },
    asked.claim,
    by,
  );
}

/** Like `approvalForRefund`, for a capture. */
export async function approvalForCapture(
  deps: ApprovalDependencies,
  context: AccountContext,
  request: PaymentCapture,
  asked: AskedOfPayment,
  by = keyOf(context),
): Promise<Waits | null> {
  if (isApproval(asked.resumes)) return answerRepeat(deps, context, asked);
  if (by.above === null || asked.resumes !== null) return null;
  const payment = await requirePayment(deps.refunds.payments.store, context, asked.paymentId);
  const { id: paymentId, amount, currency, status } = payment;
  if (status !== 'authorized' || isHoldOver(payment, context.now)) return null;
  if ((request.amount ?? amount) !== amount || amount <= by.above) return null;
  requireWithinAmount(context, payment);
  const what = { action: 'capture', paymentId, amount, currency, left: amount } as const;
  return requestApproval(deps, context, { ...what, request: {} }, asked.claim, by);
}

/**
 * Like `approvalForRefund`, for a payment link, judged by the largest single payment that a buyer could make with it.
 * @throws ApiError `limit_exceeded` if that exceeds the maximum amount of the request's key
 */
export async function approvalForLink(
  deps: ApprovalDependencies,
  context: AccountContext,
  request: PaymentLinkCreate,
  asked: Asked,
  by = keyOf(context),
): Promise<Waits | null> {
  if (isApproval(asked.resumes)) return answerRepeat(deps, context, asked);
  checkNewLink(request, context.now);
  const { currency } = request;
  const amount = request.amount ?? request.amount_range?.max ?? 0;
  requireWithinAmount(context, { amount, currency });
  if (by.above === null || amount <= by.above) return null;
  const what = { action: 'payment_link', paymentId: null, amount, currency, left: null } as const;
  return requestApproval(deps, context, { ...what, request: { link: request } }, asked.claim, by);
}

/**
 * Checks that a changed link does not let buyers pay more than the request's key may move without an approval.
 * @throws ApiError `limit_exceeded`
 */
export function requireMayOpen(context: AccountContext, before: LinkRow, after: LinkRow): void {
  if (!opensLink(before, after)) return;
  const movement = { amount: largestPayment(after), currency: after.currency };
  requireWithinAmount(context, movement);
  requireNoApprovalNeeded(context, movement);
}

const isApproval = (resumes: string | null): resumes is string => resumes?.startsWith('apr_') === true;

/** Answers a repeated request: with the approval until it has run, then with the refund, payment or link that resulted. */
async function answerRepeat(
  deps: ApprovalDependencies,
  context: AccountContext,
  { claim, resumes }: { readonly claim: Claim | null; readonly resumes: string | null },
): Promise<Waits> {
  const row = await findApproval(deps.db, context, resumes ?? '');
  if (row === undefined) throw new Error(`${resumes} does not exist`);
  const { action, result } = presentApproval(row, context);
  if (claim !== null) await deps.release(context, claim);
  if (result === null) return { status: 202, text: deps.write(presentApproval(row, context)) };
  switch (action) {
    case 'capture': {
      const payment = await requirePayment(deps.refunds.payments.store, context, result);
      return { status: 200, text: writePayment(deps.refunds.payments, context, payment) };
    }
    case 'payment_link': {
      const link = await retrieveLink(deps.links, context, result);
      return { status: 201, text: writeLink(deps.links, context, link) };
    }
    case 'refund': {
      const refund = await retrieveRefund(deps.refunds, context, result);
      return { status: 201, text: writeRefund(deps.refunds, context, refund) };
    }
  }
}
