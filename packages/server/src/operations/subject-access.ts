import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import type { StoredAnswer } from '../idempotency/store.ts';
import type { Clock } from '../lib/clock.ts';
import type { OperationWaits } from '../lib/waiting/operation-waits.ts';
import type { Connect } from '../processors/port/connected.ts';
import type { AuditedRequest } from '../users/audit/audited-requests.ts';
import type { Lease, OnIncident, Operation, OperationKind, Subject } from './operation.ts';
import type { OperationStore } from './store.ts';

export interface OperationDependencies {
  readonly operations: OperationStore;
  readonly waits: OperationWaits;
  readonly clock: Clock;
  /** Returns a lease of this process that begins now. */
  readonly lease: () => Lease;
  readonly connect: Connect;
  /** Stores an answer under its key if no commit of the subject does. */
  readonly keepAnswer: (context: AccountContext, claim: Claim, answer: StoredAnswer) => Promise<boolean>;
  /** Whether another request with this key was recorded meanwhile. */
  readonly isKeyTaken: (context: AccountContext, claim: Claim) => Promise<boolean>;
  readonly onIncident: OnIncident;
}

/** The request's claim on its key; `resumes` is the id of the resource that an earlier request with the key left unanswered. */
export interface IdempotentRequest {
  readonly claim: Claim | null;
  readonly resumes: string | null;
  /** Present if a user of the dashboard makes the request. */
  readonly audited?: AuditedRequest | null;
}

export interface Answer {
  readonly status: 200 | 201;
  readonly text: string;
}

/** Another request with the same idempotency key was faster: its answer counts. */
export interface KeyTaken {
  readonly keyTaken: true;
}

/** How a feature reads, shows and commits what its operations change. */
export interface SubjectAccess<S extends Subject, Outcome extends { readonly kind: string }, Change> {
  /** What messages call the subject, e.g. `payment`. */
  readonly noun: string;
  /** Reads the subject's present state. @throws ApiError `not_found` */
  readonly read: () => Promise<S>;
  /** What the audit entry says about the subject when a user of the dashboard begins an operation. */
  readonly facts: (subject: S) => object;
  /** The part of the request that is stored with the intent; absent: none. */
  readonly request?: (subject: S) => object | null;
  /** Which unanswered operations a request may resume; absent: only those of its own kind. */
  readonly resumes?: {
    readonly kinds: readonly OperationKind[];
    /** Returns the open operation as it was begun, and the request's own if that is the same; null: it is not known now. */
    readonly begun: (subject: S) => Promise<Operation<S, Outcome, Change> | null>;
  };
  /** Returns the subject's JSON as the API shows it at this moment. */
  readonly write: (subject: S) => string;
  /** Commit 2, with the answer to be replayed. @returns undefined if the subject changed meanwhile: nothing was written */
  readonly commit: (before: S, change: Change, claim: Claim | null) => Promise<Answer | undefined>;
}
