import { type TSchema, Type } from 'typebox';
import type { ErrorCode } from '../primitives/error.ts';
import { patterns } from '../primitives/patterns.ts';
import type { OperationMethod } from './operation.ts';

/** What a person may do in an account, from most to least. */
export const roles = ['owner', 'admin', 'developer', 'support', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** Roles by what they are for; the server enforces them. */
export const rolesFor = {
  viewing: roles,
  /** Keys, webhooks, logs, sandbox tools. Live keys are made by those who manage. */
  developing: ['owner', 'admin', 'developer'],
  /** Refund, capture, void, answer disputes, remove saved methods. In the sandbox developers may too. */
  money: ['owner', 'admin', 'support'],
  /** People, settings, environment. */
  managing: ['owner', 'admin'],
  owning: ['owner'],
} as const satisfies Record<string, readonly Role[]>;

/**
 * One operation of the dashboard's own API. Its schemas carry no `$id`; objects that the merchant API shows stand in
 * them by `Ref(…)`.
 */
export type DashboardOperation = OperationMethod & DashboardOperationFields;

interface DashboardOperationFields {
  readonly id: string;
  /** Below `/dashboard/api`, `:id` for parameters. Below `/accounts/:account/` it acts in that account. */
  readonly path: string;
  /** `anyone`: signed in or not; `signed_in`: in an account, every member. */
  readonly roles: readonly Role[] | 'anyone' | 'signed_in';
  /** Roles that may call it in the sandbox only, beside `roles`. */
  readonly sandboxRoles?: readonly Role[];
  /** Its caller must have given their password within the last 10 minutes, else `confirmation_required`. */
  readonly confirmation?: boolean;
  /** Whether it takes an `Idempotency-Key`; everything that moves money does. */
  readonly idempotency?: 'required' | 'optional';
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The body is a form with one file in this field, in place of JSON. */
  readonly upload?: { readonly field: string; readonly maxBytes: number };
  /** Codes of faults in these body fields, instead of `invalid_params`. */
  readonly codes?: Readonly<Record<string, ErrorCode>>;
  /** Whether null is a value of its own, in all body fields or in these; elsewhere it counts as absent. */
  readonly keepsNull?: boolean | readonly string[];
  /** By status; empty for one that answers with a file. */
  readonly answers: Readonly<Record<number, TSchema>>;
  /** Name of the audit entry, e.g. `payment.refunded`; every operation that changes something has one. */
  readonly audit?: string;
}

/** Whether a role may call an operation of an account in this mode. */
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

/** A page of a list whose items carry no `$id`, newest first. */
export const PageOf = <S extends TSchema>(item: S) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(item),
    has_more: Type.Boolean(),
    total_count: Type.Integer(),
  });

/** A page of a list that filters narrow: matches are counted, and paged through, up to a bound. */
export const CappedPageOf = <S extends TSchema>(item: S) =>
  Type.Object({
    ...PageOf(item).properties,
    /** There are more than `total_count`. */
    capped: Type.Boolean(),
  });
