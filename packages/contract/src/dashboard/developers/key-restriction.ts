import { type Static, Type } from 'typebox';
import { IsoTime } from '../../api/dashboard-operation.ts';
import { Amount, limits, Nullable, Text } from '../../primitives/common.ts';
import { grantedPermissions } from '../../primitives/permissions.ts';

const Permissions = Type.Array(Type.Enum([...grantedPermissions]), { minItems: 1, maxItems: 50 });

/** The most networks that one key can be bound to. */
export const maxKeyAddresses = 50;
const Addresses = Type.Array(Text(50, 'An IPv4 or IPv6 address, or a network in CIDR notation.'), {
  maxItems: maxKeyAddresses,
});

/** What a key that is not a full one may do. */
export const KeyRestriction = Type.Object({
  permissions: Permissions,
  /** In account time; null: it has no end. */
  ends_at: Nullable(IsoTime),
  /** Where it may be used from; empty: anywhere. */
  addresses: Addresses,
  /** The largest amount of one payment, capture, refund, or payment by a link, in the minor units of whatever currency it is in; null: any. */
  max_amount: Nullable(Amount),
  /** What it may move on one UTC day of account time, in each currency by itself; null: any. */
  max_daily: Nullable(Amount),
  /** Refunds, captures and payment links above this amount wait for a person, in minor units of whatever currency; null: none does. */
  approval_above: Nullable(Type.Integer({ minimum: 0, maximum: limits.amountMax })),
});
export type KeyRestriction = Static<typeof KeyRestriction>;

/** The same as it is asked for: what is left out restricts nothing. */
export const NewKeyRestriction = Type.Object({
  permissions: Permissions,
  ends_at: Type.Optional(IsoTime),
  addresses: Type.Optional(Addresses),
  max_amount: Type.Optional(Amount),
  max_daily: Type.Optional(Amount),
  approval_above: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.amountMax })),
});
export type NewKeyRestriction = Static<typeof NewKeyRestriction>;
