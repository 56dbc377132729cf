import { type Static, Type } from 'typebox';
import {
  Amount,
  Currency,
  IdOf,
  ListOf,
  LiveMode,
  Nullable,
  ObjectName,
  PageQuery,
  UnixSeconds,
} from '../primitives/common.ts';

export const approvalStatuses = ['pending', 'approved', 'refused', 'expired'] as const;
export const approvalActions = ['refund', 'capture', 'payment_link'] as const;

/** How long a person has to decide, in account time. */
export const approvalHours = 72;

/** A request that waits for a person's approval before it is executed. */
export const Approval = Type.Object(
  {
    id: IdOf('apr'),
    object: ObjectName('approval'),
    status: Type.Enum([...approvalStatuses], {
      description: '`pending`: nobody has decided. `expired`: nobody did in time.',
    }),
    action: Type.Enum([...approvalActions], { description: 'What is done when it is approved.' }),
    amount: Type.Integer({
      ...Amount,
      description: 'Of a payment link the largest amount that a buyer could pay with it.',
    }),
    currency: Currency,
    resource: Nullable(
      Type.String(),
      'What it is about: the `pay_` id; null for a payment link, which is made when it is approved.',
    ),
    result: Nullable(
      Type.String(),
      'What came of it once it ran: the `re_` id of the refund, the `pay_` id of the captured payment, the `pl_` id of the payment link.',
    ),
    failure: Nullable(
      Type.Object({
        code: Type.String({ description: 'An error code; match on it.' }),
        message: Type.String({ description: 'For people; may change.' }),
      }),
      'Why it could not be done after it was approved, as an error would say it.',
    ),
    requested_by: Type.String({
      description: 'Id of the API key that asked, or of the person in the dashboard: `usr_`.',
    }),
    requester_email: Nullable(Type.String(), 'E-mail address of the person who asked; null: an API key did.'),
    decided_by: Nullable(
      Type.String(),
      'E-mail address of the person who decided; `operator` at the command line.',
    ),
    reason: Nullable(Type.String(), 'Why it was decided so, where the person said it.'),
    expires_at: Type.String({ description: 'ISO 8601 in UTC: 72 hours after it was asked for.' }),
    livemode: LiveMode,
    created: UnixSeconds,
  },
  { $id: 'Approval' },
);
export type Approval = Static<typeof Approval>;

export const ApprovalList = ListOf(Approval, 'ApprovalList');

export const ApprovalListQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(Type.Enum([...approvalStatuses], { description: 'Only those with this status.' })),
});
export type ApprovalListQuery = Static<typeof ApprovalListQuery>;
