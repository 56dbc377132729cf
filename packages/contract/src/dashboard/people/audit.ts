import { type Static, Type } from 'typebox';
import { CappedPageOf, type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable, PageQuery, Text } from '../../primitives/common.ts';

/** An entry of the audit log: who did what to which object. */
export const AuditEntry = Type.Object({
  id: Type.String(),
  action: Type.String({ description: 'E.g. payment.refunded.' }),
  actor: Type.Object({
    type: Type.Enum(['user', 'operator']),
    /** Null for the operator at the command line. */
    user_id: Nullable(Type.String()),
    email: Nullable(Type.String()),
  }),
  object_id: Nullable(Type.String()),
  /** Values of the changed fields by name, without secrets. */
  before: Nullable(Type.Record(Type.String(), Type.Unknown())),
  after: Nullable(Type.Record(Type.String(), Type.Unknown())),
  ip: Nullable(Type.String()),
  livemode: Type.Boolean(),
  /** Real time, even in the sandbox. */
  created_at: IsoTime,
});
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditQuery = Type.Object({
  ...PageQuery,
  actor: Type.Optional(Text(254, 'E-mail address or user id.')),
  action: Type.Optional(Text(100, 'The whole name, or its beginning up to a dot: payment.')),
  object: Type.Optional(Text(100)),
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
});
export type AuditQuery = Static<typeof AuditQuery>;

export const auditApi = {
  listAuditEntries: {
    id: 'listAuditEntries',
    method: 'GET',
    path: '/accounts/:account/audit_log',
    roles: rolesFor.developing,
    query: AuditQuery,
    answers: { 200: CappedPageOf(AuditEntry) },
  },
} as const satisfies Record<string, DashboardOperation>;
