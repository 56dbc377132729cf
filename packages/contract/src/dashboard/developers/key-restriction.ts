import { type Static, Type } from 'typebox';
import { IsoTime } from '../../api/dashboard-operation.ts';
import { Amount, limits, Nullable, Text } from '../../primitives/common.ts';
import { grantedPermissions } from '../../primitives/permissions.ts';

const Permissions = Type.Array(Type.Enum([...grantedPermissions]), { minItems: 1, maxItems: 50 });

/** Maximum number of networks that a key can be restricted to. */
export const maxKeyAddresses = 50;
const Addresses = Type.Array(Text(50, 'An IPv4 or IPv6 address, or a network in CIDR notation.'), {
  maxItems: maxKeyAddresses,
});

/** What a restricted key may do. */
export const KeyRestriction = Type.Object({
  permissions: Permissions,
  /** In account time. Null if the key does not expire. */
  ends_at: Nullable(IsoTime),
  /** Networks that the key may be used from. Empty if it may be used from anywhere. */
  addresses: Addresses,
  /**
   * Maximum amount of one payment, capture, refund, or payment by a link, in minor units of its currency,
   * whichever that is. Null if there is no limit.
   */
  max_amount: Nullable(Amount),
  /** Maximum amount per UTC day of account time, separately for each currency. Null if there is no limit. */
  max_daily: Nullable(Amount),
  /**
   * Refunds, captures and payment links above this amount wait for a person's approval. In minor units of
   * their currency, whichever that is. Null if none waits.
   */
  approval_above: Nullable(Type.Integer({ minimum: 0, maximum: limits.amountMax })),
});
export type KeyRestriction = Static<typeof KeyRestriction>;

/** The request for a restriction. Absent fields restrict nothing. */
export const NewKeyRestriction = Type.Object({
  permissions: Permissions,
  ends_at: Type.Optional(IsoTime),
  addresses: Type.Optional(Addresses),
  max_amount: Type.Optional(Amount),
  max_daily: Type.Optional(Amount),
  approval_above: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.amountMax })),
});
export type NewKeyRestriction = Static<typeof NewKeyRestriction>;
