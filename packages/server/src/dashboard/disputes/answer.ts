import { DashboardError, type dashboardApi } from '@till/contract/dashboard';
import { retrieveDispute } from '../../disputes/deadlines/retrieve-dispute.ts';
import type { Move } from '../../disputes/operations/answer.ts';
import { answerDispute } from '../../disputes/operations/answer-dispute.ts';
import { disputedAmount } from '../../disputes/present.ts';
import { readSubmission } from '../../disputes/submission.ts';
import type { DashboardAnswer, StaffCall } from '../call.ts';
import type { InboxDependencies } from './dependencies.ts';

type Call<Name extends 'acceptDispute' | 'defendDispute'> = StaffCall<(typeof dashboardApi)[Name]>;

/** Accepts a dispute, as the API does. @throws as `answerDispute`; DashboardError `conflict` if the person saw another amount */
export async function acceptFromDashboard(
  deps: InboxDependencies,
  call: Call<'acceptDispute'>,
): Promise<DashboardAnswer> {
  const { amount } = disputedAmount(await retrieveDispute(deps.disputes, call.context, call.params.id ?? ''));
  if (amount !== call.body.amount) {
    throw new DashboardError('conflict', 'The dispute has another amount. Reload the page and look again.');
  }
  return answer(deps, call, { kind: 'accept' });
}

/** Submits evidence, as the API does. @throws as `answerDispute` */
export async function defendFromDashboard(
  deps: InboxDependencies,
  call: Call<'defendDispute'>,
): Promise<DashboardAnswer> {
  return answer(deps, call, { kind: 'defend', submission: readSubmission(call.body) });
}

const answer = (
  { disputes }: InboxDependencies,
  { context, params, claim, resumes, audited }: Call<'acceptDispute'> | Call<'defendDispute'>,
  move: Move,
): Promise<DashboardAnswer> =>
  answerDispute(disputes, context, params.id ?? '', move, { claim, resumes, audited: audited() });
