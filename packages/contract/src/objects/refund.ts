import { type Static, Type } from 'typebox';
import {
  Amount,
  Currency,
  ListOf,
  limits,
  Metadata,
  Nullable,
  PageQuery,
  Text,
  UnixSeconds,
} from '../primitives/common.ts';

export const refundReasons = ['duplicate', 'fraudulent', 'requested_by_customer', 'other'] as const;
export type RefundReason = (typeof refundReasons)[number];

export const RefundStatus = Type.Enum(['pending', 'succeeded', 'failed']);
export type RefundStatus = Static<typeof RefundStatus>;

/** Money given back on a payment (spec, "Refund"). */
export const Refund = Type.Object(
  {
    id: Type.String({ pattern: '^re_[a-z0-9]{24}$' }),
    object: Type.Literal('refund'),
    payment: Type.String(),
    amount: Amount,
    currency: Currency,
    status: RefundStatus,
    reason: Nullable(Type.Enum([...refundReasons])),
    note: Nullable(Type.String()),
    failure: Nullable(
      Type.Object({
        code: Type.String({ description: 'Stable; in lower case. New codes may be added.' }),
        message: Type.String(),
      }),
    ),
    metadata: Metadata,
    livemode: Type.Boolean(),
    created: UnixSeconds,
  },
  { $id: 'Refund' },
);
export type Refund = Static<typeof Refund>;

/** Every field may be left out: then all that is left of the payment is given back. */
export const RefundCreate = Type.Object(
  {
    amount: Type.Optional(Amount),
    reason: Type.Optional(Type.Enum([...refundReasons])),
    note: Type.Optional(Text(limits.refundNoteLength)),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        maxProperties: limits.refundMetadataKeys,
        // The pattern of a record's keys ends at a line break.
        additionalProperties: Type.String(),
        description: `At most ${limits.refundMetadataKeys} keys, each at most ${limits.refundMetadataKeyBytes} and its value at most ${limits.refundMetadataValueBytes} bytes in UTF-8.`,
      }),
    ),
  },
  { $id: 'RefundCreate' },
);
export type RefundCreate = Static<typeof RefundCreate>;

export const RefundList = ListOf(Refund, 'RefundList');

export const RefundListQuery = Type.Object({ ...PageQuery });
export type RefundListQuery = Static<typeof RefundListQuery>;

/** What the processor will say of a refund that is pending (test helper). */
export const RefundSettle = Type.Object(
  { outcome: Type.Enum(['succeeded', 'failed']) },
  { $id: 'RefundSettle' },
);
export type RefundSettle = Static<typeof RefundSettle>;
