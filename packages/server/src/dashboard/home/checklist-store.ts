import { unfinishedCodes } from '@till/contract/dashboard';
import { hasAuthorized, hasDeclined } from '../../payments/sql.ts';
import { hasRefunded } from '../../refunds/reads.ts';
import { listOf, parametersOf, text, time, valuesOf } from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import { hasSecondFactor } from '../../users/people/reads.ts';
import { hasDelivered } from '../../webhooks/lists/attempts.ts';
import type { Staff } from '../call.ts';
import { attemptsCountedUntil } from '../figures/reads.ts';

/** The member and account whose checklist is meant. */
export interface ChecklistOwner {
  readonly accountId: string;
  readonly userId: string;
}

export const hiddenColumns = { account_id: text, user_id: text, hidden_at: time } as const;

/** Which of the first steps are recorded as done. */
export interface StepsDone {
  readonly test_payment: boolean;
  readonly test_decline: boolean;
  readonly webhook: boolean;
  readonly test_refund: boolean;
  readonly two_factor: boolean;
}

/** Steps are tried out in the sandbox and count only there, except that an event may be delivered from either mode. */
export async function stepsDone(
  db: Queryable,
  { accountId, userId, modes }: Pick<Staff, 'accountId' | 'userId' | 'modes'>,
): Promise<StepsDone> {
  const [row] = await db.query<StepsDone>({
    name: 'checklist_steps_done',
    text: `select
             ${hasAuthorized} as test_payment,
             ${hasDeclined('$3')} as test_decline,
             exists (select from figures where tenant = any ($4)
               and measure in ('attempts_succeeded', 'retries_succeeded'))
             or ${hasDelivered('$5', '$6')} as webhook,
             ${hasRefunded} as test_refund,
             ${hasSecondFactor('$2')} as two_factor`,
    values: [
      modes[0].tenant,
      userId,
      unfinishedCodes,
      modes.map(({ tenant }) => tenant),
      accountId,
      await attemptsCountedUntil(db),
    ],
    scope: modes,
  });
  if (row === undefined) throw new Error('a statement without a table gives one row');
  return row;
}

export async function isChecklistHidden(
  db: Queryable,
  { accountId, userId }: ChecklistOwner,
): Promise<boolean> {
  const rows = await db.query({
    name: 'is_checklist_hidden',
    text: 'select 1 from hidden_checklists where account_id = $1 and user_id = $2',
    values: [accountId, userId],
    scope: { accountId },
  });
  return rows.length > 0;
}

/** @param now real time */
export async function hideChecklist(
  db: Queryable,
  { accountId, userId }: ChecklistOwner,
  now: Date,
): Promise<void> {
  await db.query({
    text: `insert into hidden_checklists (${listOf(hiddenColumns)}) values (${parametersOf(hiddenColumns)})
           on conflict do nothing`,
    values: valuesOf(hiddenColumns, { account_id: accountId, user_id: userId, hidden_at: now }),
    scope: { accountId },
  });
}

export async function showChecklist(db: Queryable, { accountId, userId }: ChecklistOwner): Promise<void> {
  await db.query({
    text: 'delete from hidden_checklists where account_id = $1 and user_id = $2',
    values: [accountId, userId],
    scope: { accountId },
  });
}
