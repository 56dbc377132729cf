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

/** The member who sent the request, and the account in its present environment. */
export interface Staff extends Tenant {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  /** The account in test and in live mode. */
  readonly modes: readonly [Tenant, Tenant];
  readonly sessionId: string;
}

/** What the audit log says of a change beside who, when and which operation. Never with secrets. */
export interface AuditDetails {
  /** Default: the last parameter of the path. */
  readonly objectId?: string | null;
  /** Default: the operation's. */
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
  /** For the features' operations: the account in its present environment. */
  readonly context: AccountContext;
  /** The claim on the `Idempotency-Key`; null where none was sent. */
  readonly claim: Claim | null;
  /** The resource of an earlier attempt under the same key that never got its answer. */
  readonly resumes: string | null;
  /** Reads the file of an operation that takes one. */
  readonly upload: () => Promise<{ readonly name: string; readonly content: Buffer }>;
  /**
   * Writes the operation's audit entry, in the change's own transaction where there is one. An operation that does not call it
   * gets an entry without details right after the answer.
   */
  readonly audit: (details: AuditDetails, db?: Queryable) => Promise<void>;
  /** The operation's audit entry, in place of `audit` for a change whose own statement writes it. */
  readonly entry: (details: AuditDetails) => AuditEntryRow;
  /**
   * The operation's audit entry for what is asked of a processor: in place of `audit`, committed by the feature with the
   * operation that it begins. Where it begins none there is nothing to log.
   */
  readonly audited: () => AuditedRequest;
  /** In place of `audit` where an entry that is in the log already covers the call: a person who saves while they type. */
  readonly covered: () => void;
}

/** One call of an operation that belongs to no account. */
export interface SessionCall<O extends DashboardOperation> extends Input<O> {
  readonly session: O extends { roles: 'anyone' } ? Session | null : Session;
  /** The token that the browser sent, of a session or not. */
  readonly token: string | null;
  /** How the request waits. */
  readonly suspend: Suspend;
}

/** Sets or takes away the session's cookie with an answer. */
export type CookieChange = { readonly token: string } | 'clear';

export type DashboardAnswer =
  | { readonly status: number; readonly body: object; readonly cookie?: CookieChange }
  /** JSON text as a feature's operation wrote it. */
  | { readonly status: number; readonly text: string }
  | { readonly file: DownloadedFile }
  | { readonly refusal: ApiError; readonly keep: (text: string) => Promise<void> }
  /** Another request with the same key was faster: look again what it did. */
  | { readonly keyTaken: true };

export interface DownloadedFile {
  readonly name: string;
  readonly contentType: string;
  /** Pieces are sent as they come. */
  readonly content: Buffer | string | AsyncIterable<string | Buffer>;
}
