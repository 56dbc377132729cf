import type { ApiError, BodyOf, QueryOf } from '@till/contract';
import type { DashboardOperation, Role } from '@till/contract/dashboard';
import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import type { Suspend } from '../lib/waiting/suspend.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import type { AuditEntryRow } from '../users/audit/audit.ts';
import type { AuditedRequest } from '../users/audit/audited-requests.ts';
import type { Session } from '../users/sign-in/sessions.ts';

/** The member who sent the request, and the account in its current environment. */
export interface Staff extends Tenant {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  /** The account's tenants in test mode and in live mode. */
  readonly modes: readonly [Tenant, Tenant];
  readonly sessionId: string;
}

/** What the audit log records of a change besides the person, the time and the operation. It must not contain secrets. */
export interface AuditDetails {
  /** Default: the last parameter of the path. */
  readonly objectId?: string | null;
  /** Default: the `audit` action of the operation. */
  readonly action?: string;
  readonly before?: object | null;
  readonly after?: object | null;
}

export interface Client {
  readonly ip: string;
  readonly userAgent: string | null;
}

interface Input<O extends DashboardOperation> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  readonly client: Client;
}

/** One call of an operation below `/accounts/:account/`. */
export interface StaffCall<O extends DashboardOperation> extends Input<O> {
  readonly staff: Staff;
  /** The account in its current environment, as the features' operations take it. */
  readonly context: AccountContext;
  /** The claim on the `Idempotency-Key`; null if the request has none. */
  readonly claim: Claim | null;
  /** The id of the resource of an earlier attempt with the same key that never got an answer; null if there is none. */
  readonly resumes: string | null;
  /** Reads the file of an operation that takes one. */
  readonly upload: () => Promise<{ readonly name: string; readonly content: Buffer }>;
  /**
   * Writes the operation's audit entry, in the transaction of the change if there is one. An operation that does not call
   * this gets an entry without details right after the handler has finished.
   */
  readonly audit: (details: AuditDetails, db?: Queryable) => Promise<void>;
  /** Builds the operation's audit entry for a change whose own statement inserts it. Replaces `audit`. */
  readonly entry: (details: AuditDetails) => AuditEntryRow;
  /**
   * Builds the audit entry of a request to a processor. Replaces `audit`: the feature commits the entry with the processor
   * operation that it begins. If it begins none, nothing is logged.
   */
  readonly audited: () => AuditedRequest;
  /** Replaces `audit` if an entry in the log already covers the call, as when a page saves while a person types. */
  readonly covered: () => void;
}

/** One call of an operation that belongs to no account. */
export interface SessionCall<O extends DashboardOperation> extends Input<O> {
  readonly session: O extends { roles: 'anyone' } ? Session | null : Session;
  /** The token that the browser sent, whether or not it belongs to a session; null if there is none. */
  readonly token: string | null;
  /** Suspends the request while it waits. */
  readonly suspend: Suspend;
}

/** Sets the session's cookie with an answer, or removes it. */
export type CookieChange = { readonly token: string } | 'clear';

export type DashboardAnswer =
  | { readonly status: number; readonly body: object; readonly cookie?: CookieChange }
  /** JSON text as a feature's operation wrote it. */
  | { readonly status: number; readonly text: string }
  | { readonly file: DownloadedFile }
  | { readonly refusal: ApiError; readonly keep: (text: string) => Promise<void> }
  /** A concurrent request with the same key won. The caller looks up its answer. */
  | { readonly keyTaken: true };

export interface DownloadedFile {
  readonly name: string;
  readonly contentType: string;
  /** An iterable is sent piece by piece as it is produced. */
  readonly content: Buffer | string | AsyncIterable<string | Buffer>;
}
