import { type Static, Type } from 'typebox';
import { CappedPageOf, type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Customer } from '../../objects/customer.ts';
import {
  Dispute,
  DisputeDefend,
  disputeReasons,
  disputeStates,
  evidenceTypes,
} from '../../objects/dispute.ts';
import { fileBytesMax, StoredFile } from '../../objects/file.ts';
import { Payment } from '../../objects/payment.ts';
import { Amount, limits, Nullable, Ref, Text } from '../../primitives/common.ts';
import { Colleague, DisputeDraft, DraftSummary, disputeTeamOperations } from './dispute-team.ts';

/** `action_required` includes new disputes. `closed` are those accepted, lost, won or recovered. */
export const disputeTabs = ['action_required', 'challenged', 'closed'] as const;
export type DisputeTab = (typeof disputeTabs)[number];

/** The filters of the inbox, which also apply to its export. */
const disputeFilters = {
  tab: Type.Optional(Type.Enum([...disputeTabs])),
  reason: Type.Optional(Type.Enum([...disputeReasons])),
  state: Type.Optional(Type.Enum([...disputeStates])),
  /** Id of a payment. */
  payment: Type.Optional(Text(100)),
  /** Assigned to the caller, or to nobody. */
  assignee: Type.Optional(Type.Enum(['me', 'nobody'])),
};

export const DisputesQuery = Type.Object({
  ...disputeFilters,
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageSizeMax, default: 50 })),
});
export type DisputesQuery = Static<typeof DisputesQuery>;

/** Without a tab the export contains all disputes. */
export const DisputesExportQuery = Type.Object(disputeFilters);
export type DisputesExportQuery = Static<typeof DisputesExportQuery>;

/** A count that stops at this maximum. */
const CountedUpTo = Type.Integer({ minimum: 0, maximum: 10_000 });

/** A row of the inbox. */
export const InboxDispute = Type.Object({
  ...Dispute.properties,
  draft: Nullable(DraftSummary),
  /** The colleague who prepares the response. */
  assignee: Nullable(Type.String({ description: 'E-mail address.' })),
});
export type InboxDispute = Static<typeof InboxDispute>;

/** One step in the history of a dispute. Steps are in chronological order. */
export const DisputeStep = Type.Object({
  /** `dispute.created`, `dispute.updated` or `dispute.closed`. */
  type: Type.String(),
  /** Account time. */
  at: IsoTime,
  event: Type.String(),
  state: Type.Enum([...disputeStates]),
  status: Type.String(),
  respond_by: Nullable(IsoTime),
  /** The person who responded in the dashboard. Null if it was the API, the processor or nobody. */
  by: Nullable(Type.String({ description: 'E-mail address.' })),
});
export type DisputeStep = Static<typeof DisputeStep>;

/** A response that was or is being submitted to the processor. */
export const DisputeSubmission = Type.Object({
  reason_code: Nullable(Type.String()),
  statement: Nullable(Type.String()),
  evidence: Type.Array(
    Type.Object({
      type: Type.Enum([...evidenceTypes]),
      text: Nullable(Type.String()),
      file: Nullable(Ref(StoredFile)),
    }),
  ),
  created_at: IsoTime,
  /** When the processor accepted it. Null if it did not, or if that is not known yet. */
  submitted_at: Nullable(IsoTime),
});
export type DisputeSubmission = Static<typeof DisputeSubmission>;

/** Everything that the page of one dispute shows. */
export const DisputeDetail = Type.Object({
  dispute: Ref(Dispute),
  /** The scheme's own code, as reported. */
  network_reason_code: Nullable(Type.String()),
  /** The operation that the processor has not answered yet. */
  in_doubt: Nullable(Type.Enum(['accept', 'defend'])),
  /** Why the dispute cannot be responded to now, as text for people. Null if it can. */
  refusal: Nullable(Type.String()),
  payment: Ref(Payment),
  /** Refunded or pending, in minor units. */
  refunded_amount: Type.Integer(),
  customer: Nullable(Ref(Customer)),
  timeline: Type.Array(DisputeStep),
  /** Newest first. */
  submissions: Type.Array(DisputeSubmission),
  draft: Nullable(DisputeDraft),
  assignee: Nullable(Colleague),
  /** The colleagues it can be assigned to. */
  colleagues: Type.Array(Colleague),
});
export type DisputeDetail = Static<typeof DisputeDetail>;

const onDispute = '/accounts/:account/disputes/:id';
const money = { roles: rolesFor.money, sandboxRoles: ['developer'] } as const;

/** The inbox of disputes and the responses to them. Available even if the merchant API has no disputes. */
export const disputeOperations = {
  listDisputes: {
    id: 'listDisputes',
    method: 'GET',
    path: '/accounts/:account/disputes',
    roles: rolesFor.viewing,
    query: DisputesQuery,
    answers: {
      200: Type.Object({
        ...CappedPageOf(InboxDispute).properties,
        /** Counts without the other filters. */
        tabs: Type.Object({ action_required: CountedUpTo, challenged: CountedUpTo, closed: CountedUpTo }),
      }),
    },
  },
  /** A CSV file of the disputes that the inbox shows with these filters, newest first. */
  exportDisputes: {
    id: 'exportDisputes',
    method: 'GET',
    path: '/accounts/:account/disputes/export',
    roles: rolesFor.viewing,
    query: DisputesExportQuery,
    answers: {},
    audit: 'disputes.exported',
  },
  retrieveDispute: {
    id: 'retrieveDispute',
    method: 'GET',
    path: onDispute,
    roles: rolesFor.viewing,
    answers: { 200: DisputeDetail },
  },
  acceptDispute: {
    id: 'acceptDispute',
    method: 'POST',
    movesMoney: false,
    path: `${onDispute}/accept`,
    ...money,
    idempotency: 'required',
    /**
     * The amount that the person saw and typed. The request is rejected if it differs from the dispute's
     * amount.
     */
    body: Type.Object({ amount: Amount }),
    answers: { 200: Ref(Dispute) },
    audit: 'dispute.accepted',
  },
  defendDispute: {
    id: 'defendDispute',
    method: 'POST',
    movesMoney: false,
    path: `${onDispute}/defend`,
    ...money,
    idempotency: 'required',
    body: Ref(DisputeDefend),
    answers: { 200: Ref(Dispute) },
    audit: 'dispute.defended',
  },
  uploadEvidence: {
    id: 'uploadEvidence',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/files',
    ...money,
    upload: { field: 'file', maxBytes: fileBytesMax },
    answers: { 201: Ref(StoredFile) },
    audit: 'file.uploaded',
  },
  /** The content of an uploaded file. */
  downloadFile: {
    id: 'downloadFile',
    method: 'GET',
    path: '/accounts/:account/files/:id',
    roles: rolesFor.viewing,
    answers: {},
  },
  ...disputeTeamOperations,
} as const satisfies Record<string, DashboardOperation>;
