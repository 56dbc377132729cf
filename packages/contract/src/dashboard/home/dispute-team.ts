import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { evidenceLimits, evidenceTypes } from '../../objects/dispute.ts';
import { StoredFile } from '../../objects/file.ts';
import { limits, Nullable, Ref, Text } from '../../primitives/common.ts';

/** A member of the account who may respond to disputes. */
export const Colleague = Type.Object({ id: Type.String(), email: Type.String() });
export type Colleague = Static<typeof Colleague>;

const written = {
  statement: Type.String({ maxLength: evidenceLimits.textLength }),
  reason_code: Type.String({ maxLength: evidenceLimits.reasonCodeLength }),
};
const words = {
  type: Type.Enum([...evidenceTypes]),
  text: Type.String({ maxLength: evidenceLimits.textLength }),
};

/** The team's draft of the response to a dispute. Texts are empty if nothing is written yet. */
export const DisputeDraft = Type.Object({
  /** Counts the draft's changes. The next change has to send the current version. */
  version: Type.Integer(),
  ...written,
  evidence: Type.Array(Type.Object({ ...words, files: Type.Array(Ref(StoredFile)) })),
  edited_by: Type.String({ description: 'E-mail address.' }),
  /** Account time. */
  edited_at: IsoTime,
});
export type DisputeDraft = Static<typeof DisputeDraft>;

export const DisputeDraftChange = Type.Object({
  /** Version of the draft that was changed. 0 if there is none yet. */
  version: Type.Integer({ minimum: 0, maximum: 2_000_000_000 }),
  ...written,
  evidence: Type.Array(
    Type.Object({
      ...words,
      files: Type.Array(Text(limits.textLength, 'The `file_` id of an uploaded file.'), {
        maxItems: evidenceLimits.items,
      }),
    }),
    { maxItems: evidenceTypes.length },
  ),
});
export type DisputeDraftChange = Static<typeof DisputeDraftChange>;

/** The summary of a draft in a row of the inbox. */
export const DraftSummary = Type.Object({
  files: Type.Integer(),
  edited_by: Type.String({ description: 'E-mail address.' }),
  /** Account time. */
  edited_at: IsoTime,
});

export type DraftSummary = Static<typeof DraftSummary>;

/** The records about the disputed payment, as its PDF document words them. */
export const ProposedEvidence = Type.Object({
  sections: Type.Array(
    Type.Object({
      title: Type.String(),
      facts: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
    }),
  ),
});
export type ProposedEvidence = Static<typeof ProposedEvidence>;

const onDispute = '/accounts/:account/disputes/:id';
const money = { roles: rolesFor.money, sandboxRoles: ['developer'] } as const;

/** Operations for preparing a response together. */
export const disputeTeamOperations = {
  /** The response is `conflict` if somebody else has changed the draft since that version. */
  saveDisputeDraft: {
    id: 'saveDisputeDraft',
    method: 'PATCH',
    path: `${onDispute}/draft`,
    ...money,
    body: DisputeDraftChange,
    answers: { 200: DisputeDraft },
    audit: 'dispute.draft_edited',
  },
  /** Assigns a dispute to a colleague, who gets an email. Null assigns it to nobody. */
  assignDispute: {
    id: 'assignDispute',
    method: 'PATCH',
    path: `${onDispute}/assignee`,
    ...money,
    body: Type.Object({ user: Nullable(Text(limits.textLength)) }),
    keepsNull: true,
    answers: { 200: Type.Object({ assignee: Nullable(Colleague) }) },
    audit: 'dispute.assigned',
  },
  retrieveProposedEvidence: {
    id: 'retrieveProposedEvidence',
    method: 'GET',
    path: `${onDispute}/proposed_evidence`,
    roles: rolesFor.viewing,
    answers: { 200: ProposedEvidence },
  },
  /** Stores the records as a PDF, like an uploaded file. */
  fileProposedEvidence: {
    id: 'fileProposedEvidence',
    method: 'POST',
    movesMoney: false,
    path: `${onDispute}/proposed_evidence`,
    ...money,
    answers: { 201: Ref(StoredFile) },
    audit: 'dispute.evidence_proposed',
  },
} as const satisfies Record<string, DashboardOperation>;
