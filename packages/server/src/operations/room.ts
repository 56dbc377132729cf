import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import type { KeptAnswer } from '../idempotency/store.ts';
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
  /** A lease of this process, from now on. */
  readonly lease: () => Lease;
  readonly connect: Connect;
  /** Keeps an answer under its key where no commit of the subject does. */
  readonly keepAnswer: (context: AccountContext, claim: Claim, answer: KeptAnswer) => Promise<boolean>;
  /** Whether a request with this key has been recorded meanwhile. */
  readonly isKeyTaken: (context: AccountContext, claim: Claim) => Promise<boolean>;
  readonly onIncident: OnIncident;
}

/** The request's idempotency key, and whether an earlier request with it was left without an answer. */
export interface IdempotentRequest {
  readonly claim: Claim | null;
  readonly resumes: string | null;
  /** Where somebody in the dashboard asks for it. */
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
export interface Room<S extends Subject, Outcome extends { readonly kind: string }, Change> {
  /** For messages, e.g. `payment`. */
  readonly noun: string;
  /** Reads the subject anew. @throws ApiError `not_found` */
  readonly read: () => Promise<S>;
  /** What the audit log says of it when somebody of the staff begins an operation. */
  readonly facts: (subject: S) => object;
  /** What is kept of the request with the intent; absent: nothing. */
  readonly request?: (subject: S) => object | null;
  /** What a request may resume where it was left without an answer; absent: operations of its own kind. */
  readonly resumes?: {
    readonly kinds: readonly OperationKind[];
    /** The open operation as it was begun, this very one where it is the same; null: not known now. */
    readonly begun: (subject: S) => Promise<Operation<S, Outcome, Change> | null>;
  };
  /** Its JSON as the API shows it at this moment. */
  readonly write: (subject: S) => string;
  /** Commit 2, with the answer to be replayed. @returns undefined where the subject changed meanwhile: nothing was written */
  readonly commit: (before: S, change: Change, claim: Claim | null) => Promise<Answer | undefined>;
}
