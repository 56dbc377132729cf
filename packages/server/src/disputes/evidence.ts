import type { IntentExtension } from '../operations/begin.ts';
import {
  assigned,
  int,
  json,
  listOf,
  nullable,
  type RowOf,
  tenantColumns,
  text,
  time,
  typesOf,
} from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import type { DisputeRow } from './present.ts';

/** The content of a defence. Files are given by id. */
export interface Submission {
  readonly reasonCode: string | null;
  readonly statement: string | null;
  readonly evidence: readonly {
    readonly type: string;
    readonly text: string | null;
    readonly file: string | null;
  }[];
}

const submittedColumns = {
  reason_code: nullable(text),
  statement: nullable(text),
  evidence: json<Submission['evidence']>(),
} as const;
/** A stored submission, and the time at which the processor accepted it. Times in account time. */
export const submissionColumns = {
  ...submittedColumns,
  created_at: time,
  submitted_at: nullable(time),
} as const;
const requestColumns = { attempt: int, ...submittedColumns } as const;
export const insertedColumns = {
  ...tenantColumns,
  dispute_id: text,
  ...requestColumns,
  created_at: time,
} as const;

/**
 * Stores the evidence in the commit that begins a defence. It replaces the evidence of an earlier try that was never submitted.
 */
export const keepEvidence: IntentExtension = {
  name: 'begin_dispute_operations',
  sql: `evidence_kept as (
    insert into dispute_evidence as e (${listOf(insertedColumns)})
    select ${listOf(insertedColumns, 's', { tenant: 'f.tenant', dispute_id: 'f.id', created_at: 'f.created_at' })}
    from fresh f cross join json_to_record(f.request) as s (${typesOf(requestColumns)})
    where f.kind = 'defend'
    on conflict (tenant, dispute_id, attempt) do update set ${assigned(submittedColumns, 'excluded')},
      created_at = excluded.created_at
      where e.submitted_at is null)`,
  // Evidence and upstream key are numbered by the answers so far, so the dispute must not have been answered since it was read.
  isCurrent: `exists (select from disputes d where d.tenant = i.tenant
    and d.id = i.id and d.version = i.version)`,
};

/** The request row that `keepEvidence` stores. */
export const evidenceRequest = (
  dispute: DisputeRow,
  { reasonCode, statement, evidence }: Submission,
): RowOf<typeof requestColumns> => ({
  attempt: dispute.operations_done,
  reason_code: reasonCode,
  statement,
  evidence,
});

/** Reads the evidence of a dispute's open defence. @throws Error if it does not exist */
export async function submissionOf(
  db: Database,
  { tenant, id, operations_done }: DisputeRow,
): Promise<Submission> {
  const [row] = await db.query<Submission>({
    name: 'evidence_of_dispute',
    text: `select reason_code as "reasonCode", statement, evidence from dispute_evidence
           where tenant = $1 and dispute_id = $2 and attempt = $3`,
    values: [tenant, id, operations_done],
    scope: { tenant },
  });
  if (row === undefined) throw new Error(`the evidence of ${id} is gone`);
  return row;
}
