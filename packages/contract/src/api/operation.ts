import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../primitives/error.ts';
import type { Permission } from '../primitives/permissions.ts';

/**
 * An operation's method. Each POST declares whether it moves money: charges, captures, releases or refunds
 * it. Under overload the server serves these first. Other methods never move money.
 */
export type OperationMethod =
  | { readonly method: 'POST'; readonly movesMoney: boolean }
  | { readonly method: 'GET' | 'PATCH' | 'DELETE'; readonly movesMoney?: never };

/** One endpoint. The server validates, serializes and documents it by this definition. */
export type Operation = OperationMethod & OperationFields;

interface OperationFields {
  readonly id: string;
  /** Fastify notation, with `:id` for parameters. */
  readonly path: string;
  /** The permission that a restricted key needs. Full keys may call every operation. */
  readonly permission: Permission;
  readonly tag: string;
  readonly summary: string;
  readonly idempotency: 'required' | 'optional' | 'unused';
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The body is a form with one file in this field instead of JSON. */
  readonly upload?: { readonly field: string; readonly maxBytes: number };
  /**
   * Body fields whose absence is a 400 `missing_field`. The absence of any other required field is a 422
   * `invalid_params`.
   */
  readonly missingFields?: readonly string[];
  /** Error codes for invalid values of these body fields, instead of `invalid_params`. */
  readonly codes?: Readonly<Record<string, ErrorCode>>;
  /**
   * Whether null is distinct from absent: true for all body fields, or a list of fields. In other fields null
   * counts as absent.
   */
  readonly keepsNull?: boolean | readonly string[];
  /** Body fields that are dropped instead of rejected if they are malformed. */
  readonly lenientFields?: readonly string[];
  /** Path of the body field for the card number. No other field may contain one. */
  readonly cardNumberField?: string;
  readonly answers: Readonly<Record<number, TSchema>>;
  readonly errors: readonly ErrorCode[];
}

/** Types of an operation's body and query. */
export type BodyOf<O> = O extends { body: infer B extends TSchema } ? Static<B> : undefined;
export type QueryOf<O> = O extends { query: infer Q extends TSchema } ? Static<Q> : undefined;
