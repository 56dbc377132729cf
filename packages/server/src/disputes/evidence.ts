import type { AlsoKeep } from '../operations/begin.ts';
import type { Database } from '../store/database.ts';
import type { DisputeRow } from './present.ts';

/** What is submitted with a defence; a file by its id. */
export interface Submission {
  readonly reasonCode: string | null;
  readonly statement: string | null;
  readonly evidence: readonly {
    readonly type: string;
    readonly text: string | null;
    readonly file: string | null;
  }[];
}

/** What a request to begin a defence keeps with the intent; one whose predecessor was never asked takes its place. */
export const keepEvidence: AlsoKeep = {
  name: 'begin_dispute_operations',
  sql: `evidence_kept as (
    insert into dispute_evidence as e (tenant, dispute_id, attempt, reason_code, statement, evidence,
      created_at)
    select f.tenant, f.id, s.attempt, s.reason_code, s.statement, s.evidence, f.created_at
    from fresh f cross join json_to_record(f.request) as s (attempt int, reason_code text, statement text,
      evidence json)
    where f.kind = 'defend'
    on conflict (tenant, dispute_id, attempt) do update set reason_code = excluded.reason_code,
      statement = excluded.statement, evidence = excluded.evidence, created_at = excluded.created_at
      where e.submitted_at is null)`,
  // Evidence and key at the processor go by the number of answers so far: those of a dispute that was answered since are gone.
  isCurrent: `exists (select from disputes d where d.tenant = i.tenant
    and d.id = i.id and d.version = i.version)`,
};

/** The request of `keepEvidence`. */
export const evidenceRequest = (dispute: DisputeRow, { reasonCode, statement, evidence }: Submission) => ({
  attempt: dispute.operations_done,
  reason_code: reasonCode,
  statement,
  evidence,
});

/** What the open defence of a dispute submits. @throws Error where it is gone */
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
