import { ServiceError } from '@till/contract';
import type { DashboardOperation } from '@till/contract/dashboard';
import type { Queryable } from '../store/database.ts';
import type { AuditEntryRow, AuditInput } from '../users/audit/audit.ts';
import type { AuditedRequest } from '../users/audit/audited-requests.ts';
import type { AuditDetails, Client, DashboardAnswer, Staff } from './call.ts';

export interface AuditWriter {
  /** @param db the transaction of the change; undefined if there is none */
  readonly write: (entry: AuditInput, db?: Queryable) => Promise<void>;
  /** Builds an entry that the statement of the change inserts. */
  readonly entry: (entry: AuditInput) => AuditEntryRow;
  /** Id and time of an entry that another component writes. */
  readonly next: () => Pick<AuditedRequest, 'id' | 'at'>;
}

export interface AuditTrail {
  readonly write: (details: AuditDetails, db?: Queryable) => Promise<void>;
  /** Builds the entry for the statement of the change to insert. Nothing else writes one then. */
  readonly entry: (details: AuditDetails) => AuditEntryRow;
  /** Builds the entry that is committed with the intent of the processor operation. Nothing else writes one then. */
  readonly audited: () => AuditedRequest;
  /** Marks the call as covered by an entry that is already in the log. */
  readonly covered: () => void;
  /** Called when the operation succeeded. Writes an entry unless there is one. */
  readonly finish: () => Promise<void>;
  /** Called when it is unknown whether the operation succeeded. @param code of the error that was answered */
  readonly inDoubt: (code: string) => Promise<void>;
}

/** Ensures that each call of an operation that changes something gets at least one audit entry. */
export function auditTrail(
  writer: AuditWriter,
  { audit: action, idempotency }: DashboardOperation,
  {
    staff,
    params,
    client,
  }: {
    readonly staff: Staff;
    readonly params: Readonly<Record<string, string>>;
    readonly client: Client;
  },
): AuditTrail {
  let written = false;
  const named = Object.entries(params).findLast(([name]) => name !== 'account')?.[1] ?? null;
  const nameOf = (given: string | undefined) => {
    const name = given ?? action;
    if (name === undefined) throw new Error('an operation without `audit` has nothing to write');
    written = true;
    return name;
  };
  const inputOf = (details: AuditDetails): AuditInput => ({
    tenant: staff.tenant,
    accountId: staff.accountId,
    livemode: staff.livemode,
    actor: { type: 'user', userId: staff.userId, email: staff.email },
    action: nameOf(details.action),
    objectId: details.objectId === undefined ? named : details.objectId,
    before: details.before ?? null,
    after: details.after ?? null,
    ip: client.ip,
  });
  const writeEntry = (details: AuditDetails, db?: Queryable) => writer.write(inputOf(details), db);
  return {
    write: writeEntry,
    entry: (details) => writer.entry(inputOf(details)),
    audited() {
      const { userId, email } = staff;
      return { ...writer.next(), userId, email, action: nameOf(undefined), ip: client.ip };
    },
    covered() {
      written = true;
    },
    async finish() {
      if (!written && action !== undefined) await writeEntry({});
    },
    async inDoubt(code) {
      if (!written && action !== undefined && idempotency !== undefined) {
        await writeEntry({ after: { outcome: 'unknown', code } });
      }
    },
  };
}

/** Writes the entry after the work. A request whose outcome is unknown is logged too. */
export async function audited(
  trail: AuditTrail,
  work: () => Promise<DashboardAnswer>,
): Promise<DashboardAnswer> {
  try {
    const answer = await work();
    if (!('keyTaken' in answer || 'refusal' in answer)) await trail.finish();
    return answer;
  } catch (error) {
    if (error instanceof ServiceError && error.status >= 500) await trail.inDoubt(error.code);
    throw error;
  }
}
