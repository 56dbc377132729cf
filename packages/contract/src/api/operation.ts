import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../primitives/error.ts';
import type { Permission } from '../primitives/permissions.ts';

/**
 * An operation's method. Each POST says whether it moves money: charges, collects, releases or returns it. Under overload
 * that is served before everything else. Other methods never do.
 */
export type OperationMethod =
  | { readonly method: 'POST'; readonly movesMoney: boolean }
  | { readonly method: 'GET' | 'PATCH' | 'DELETE'; readonly movesMoney?: never };

/** One endpoint: what validates it, serialises it and documents it. */
export type Operation = OperationMethod & OperationFields;

interface OperationFields {
  readonly id: string;
  /** Fastify notation, `:id` for parameters. */
  readonly path: string;
  /** What a restricted key has to be allowed; full keys may call every operation. */
  readonly permission: Permission;
  readonly tag: string;
  readonly summary: string;
  readonly idempotency: 'required' | 'optional' | 'unused';
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The body is a form with one file in this field, in place of JSON. */
  readonly upload?: { readonly field: string; readonly maxBytes: number };
  /** Body fields whose absence is 400 `missing_field`; any other absent field is 422 `invalid_params`. */
  readonly missingFields?: readonly string[];
  /** Codes of faults in these body fields, instead of `invalid_params`. */
  readonly codes?: Readonly<Record<string, ErrorCode>>;
  /** Whether null is a value of its own, in all body fields or in these; elsewhere it counts as absent. */
  readonly keepsNull?: boolean | readonly string[];
  /** Body fields that are dropped, not refused, when malformed. */
  readonly lenientFields?: readonly string[];
  /** Path of the body field that takes a card number: it may stand in no other. */
  readonly cardNumberField?: string;
  readonly answers: Readonly<Record<number, TSchema>>;
  readonly errors: readonly ErrorCode[];
}

/** What an operation takes as its body, and as its query. */
export type BodyOf<O> = O extends { body: infer B extends TSchema } ? Static<B> : undefined;
export type QueryOf<O> = O extends { query: infer Q extends TSchema } ? Static<Q> : undefined;
