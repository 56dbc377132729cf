import type { DashboardOperation } from '@till/contract/dashboard';
import type { Queryable } from '../store/database.ts';
import type { AuditInput } from '../users/audit.ts';
import type { AuditDetails, Client, Staff } from './call.ts';

/** @param db the transaction of the change; undefined: none */
export type AuditWriter = (entry: AuditInput, db?: Queryable) => Promise<void>;

export interface AuditTrail {
  readonly write: (details: AuditDetails, db?: Queryable) => Promise<void>;
  /** The operation did what it is for. */
  readonly finish: () => Promise<void>;
  /** Nobody knows whether it did. @param code of the refusal */
  readonly inDoubt: (code: string) => Promise<void>;
}

/** One audit entry at least for each call of an operation that changes something. */
export function auditTrail(
  write: AuditWriter,
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
  const writeEntry = async (details: AuditDetails, db?: Queryable) => {
    const name = details.action ?? action;
    if (name === undefined) throw new Error('an operation without `audit` has nothing to write');
    written = true;
    await write(
      {
        accountId: staff.accountId,
        livemode: staff.livemode,
        actor: { type: 'user', userId: staff.userId, email: staff.email },
        action: name,
        objectId: details.objectId === undefined ? named : details.objectId,
        before: details.before ?? null,
        after: details.after ?? null,
        ip: client.ip,
      },
      db,
    );
  };
  return {
    write: writeEntry,
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
