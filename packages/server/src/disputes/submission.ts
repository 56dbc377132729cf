import { type DisputeDefend, evidenceLimits, invalidParam } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { usableSince } from '../files/files.ts';
import type { EvidenceFile } from '../processors/port/disputes.ts';
import type { DisputeDependencies } from './dependencies.ts';
import type { Submission } from './evidence.ts';

/**
 * Reads the evidence from the request body (decisions, "Disputes"): step 9 of the checks.
 * @throws ApiError `invalid_params` if there is nothing to submit
 */
export function readSubmission(request: DisputeDefend): Submission {
  if (request.evidence.length === 0 && request.statement === undefined) {
    throw invalidParam('evidence', 'evidence must have at least one item where no statement is sent.');
  }
  const empty = request.evidence.findIndex(({ text, file }) => text === undefined && file === undefined);
  if (empty >= 0) {
    throw invalidParam(`evidence[${empty}]`, `evidence[${empty}] must have a text, a file or both.`);
  }
  return {
    reasonCode: request.reason_code ?? null,
    statement: request.statement ?? null,
    evidence: request.evidence.map(({ type, text, file }) => ({
      type,
      text: text ?? null,
      file: file ?? null,
    })),
  };
}

const fileIds = ({ evidence }: Submission) => [...new Set(evidence.flatMap(({ file }) => file ?? []))];

/**
 * Step 10 of the checks: every file exists, belongs to the merchant, and all together are small enough.
 * @throws ApiError `invalid_params`
 */
export async function checkFiles(
  deps: DisputeDependencies,
  context: AccountContext,
  submission: Submission,
): Promise<void> {
  const since = usableSince(deps.clock.now());
  const files = await deps.files.findUsable(context, fileIds(submission), since);
  const known = new Set(files.map(({ id }) => id));
  const missing = submission.evidence.findIndex(({ file }) => file !== null && !known.has(file));
  if (missing >= 0) {
    throw invalidParam(
      `evidence[${missing}].file`,
      `evidence[${missing}].file was not found: upload it first.`,
    );
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > evidenceLimits.filesBytes) {
    throw invalidParam(
      'evidence',
      `evidence must have files of at most ${evidenceLimits.filesBytes / 1024 / 1024} MiB together.`,
    );
  }
}

/** The evidence with the contents of its files, as it is sent to the processor. */
export async function withContents(
  deps: DisputeDependencies,
  context: AccountContext,
  submission: Submission,
) {
  const ids = fileIds(submission);
  const files = new Map((await deps.files.find(context, ids)).map((file) => [file.id, file]));
  const contents = await deps.files.contents(context, ids);
  const read = (id: string): EvidenceFile => {
    const [file, content] = [files.get(id), contents.get(id)];
    if (file === undefined || content === undefined) throw new Error(`${id} is gone`);
    return { name: file.name, contentType: file.content_type, content };
  };
  return submission.evidence.map(({ type, text, file }) => ({
    type,
    text,
    file: file === null ? null : read(file),
  }));
}
