import { type TSchema, Type } from 'typebox';
import type { ErrorCode } from '../primitives/error.ts';
import { patterns } from '../primitives/patterns.ts';
import type { OperationMethod } from './operation.ts';

/** The roles of people in an account, from the most to the fewest rights. */
export const roles = ['owner', 'admin', 'developer', 'support', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** Groups of roles by purpose. The server enforces them. */
export const rolesFor = {
  viewing: roles,
  /** API keys, webhooks, logs and sandbox tools. Only managing roles create live keys. */
  developing: ['owner', 'admin', 'developer'],
  /**
   * Refunds, captures, voids, responses to disputes, removal of saved methods. In the sandbox developers may
   * do these too.
   */
  money: ['owner', 'admin', 'support'],
  /** People, settings and the environment. */
  managing: ['owner', 'admin'],
  owning: ['owner'],
} as const satisfies Record<string, readonly Role[]>;

/**
 * One operation of the dashboard's own API. Its schemas have no `$id`. They refer to objects of the merchant
 * API by `Ref(…)`.
 */
export type DashboardOperation = OperationMethod & DashboardOperationFields;

interface DashboardOperationFields {
  readonly id: string;
  /**
   * Path below `/dashboard/api`, with `:id` for parameters. A path below `/accounts/:account/` belongs to
   * that account.
   */
  readonly path: string;
  /** `anyone`: whether signed in or not. `signed_in`: any signed-in person or, in an account, any member. */
  readonly roles: readonly Role[] | 'anyone' | 'signed_in';
  /** Roles in addition to `roles` that may call the operation in the sandbox only. */
  readonly sandboxRoles?: readonly Role[];
  /**
   * Whether the caller must have entered their password within the last 10 minutes. Otherwise the response is
   * `confirmation_required`.
   */
  readonly confirmation?: boolean;
  /** Whether the operation accepts an `Idempotency-Key`. All operations that move money do. */
  readonly idempotency?: 'required' | 'optional';
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The body is a form with one file in this field instead of JSON. */
  readonly upload?: { readonly field: string; readonly maxBytes: number };
  /** Error codes for invalid values of these body fields, instead of `invalid_params`. */
  readonly codes?: Readonly<Record<string, ErrorCode>>;
  /**
   * Whether null is distinct from absent: true for all body fields, or a list of fields. In other fields null
   * counts as absent.
   */
  readonly keepsNull?: boolean | readonly string[];
  /** Response schemas by status. Empty for an operation that returns a file. */
  readonly answers: Readonly<Record<number, TSchema>>;
  /** Name of the audit entry, such as `payment.refunded`. Every operation that changes something has one. */
  readonly audit?: string;
}

/** Whether a role may call an operation of an account in the given mode. */
export function mayCall(
  { roles: allowed, sandboxRoles = [] }: Pick<DashboardOperation, 'roles' | 'sandboxRoles'>,
  role: Role,
  livemode: boolean,
): boolean {
  if (typeof allowed === 'string') return true;
  return allowed.includes(role) || (!livemode && sandboxRoles.includes(role));
}

/** ISO 8601 in UTC with seconds. */
export const IsoTime = Type.String({
  pattern: patterns.utcTime,
  description: 'a time in UTC such as 2026-11-20T12:00:00Z',
});

export const Done = Type.Object({ done: Type.Literal(true) });

/** A page of a list whose items have no `$id`, newest first. */
export const PageOf = <S extends TSchema>(item: S) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(item),
    has_more: Type.Boolean(),
    total_count: Type.Integer(),
  });

/** A page of a filtered list. Matches are counted, and can be paged through, up to a limit. */
export const CappedPageOf = <S extends TSchema>(item: S) =>
  Type.Object({
    ...PageOf(item).properties,
    /** Whether there are more matches than `total_count`. */
    capped: Type.Boolean(),
  });
