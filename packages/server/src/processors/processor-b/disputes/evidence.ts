import { asciiText } from '../../../lib/text/ascii.ts';
import type { DefendDisputeRequest, EvidenceFile } from '../../port/disputes.ts';
import { cut, filled } from '../../wire/text.ts';
import type { FormFile } from './multipart.ts';

/** One piece of evidence (PayPal Disputes v1, evidence). */
interface Evidence {
  readonly evidence_type: string;
  readonly notes?: string | undefined;
  readonly documents?: readonly { readonly name: string }[] | undefined;
}

/** Maps our evidence types to the upstream's; all others become `OTHER` (PayPal Disputes v1, evidence_type). */
export const evidenceTypes: ReadonlyMap<string, string> = new Map([
  ['receipt', 'PROOF_OF_RECEIPT_COPY'],
  ['proof_of_delivery', 'PROOF_OF_DELIVERY_SIGNATURE'],
  ['shipping_documentation', 'PROOF_OF_FULFILLMENT'],
  ['proof_of_refund', 'PROOF_OF_REFUND'],
  ['refund_policy', 'RETURN_POLICY'],
  ['cancellation_policy', 'RETURN_POLICY'],
  ['recurring_agreement', 'BILLING_AGREEMENT'],
  ['service_documentation', 'PROOF_FOR_SOFTWARE_OR_SERVICE_DELIVERED'],
]);

/** The merchant's statement and evidence in the upstream's terms. */
export interface Defence {
  readonly evidences: readonly Evidence[];
  readonly files: readonly FormFile[];
}

/** Converts a defence: the statement first, then one piece for each of the merchant's. */
export function defenceOf({ statement, evidence }: DefendDisputeRequest): Defence {
  const pieces = evidence
    .map(({ type, text, file }, index) => ({
      evidence_type: evidenceTypes.get(type) ?? 'OTHER',
      notes: notes(text),
      file: file === null ? null : { name: documentName(file, index), file },
    }))
    .filter((piece) => piece.notes !== undefined || piece.file !== null);
  const said = notes(statement);
  return {
    evidences: [
      ...(said === undefined ? [] : [{ evidence_type: 'OTHER', notes: said }]),
      ...pieces.map(({ file, ...piece }) => ({
        ...piece,
        documents: file === null ? undefined : [{ name: file.name }],
      })),
    ],
    files: pieces.flatMap(({ file }) => file ?? []),
  };
}

/** The whole text of a defence, for stages that do not take separate pieces. */
export const defenceText = ({ evidences }: Defence): string =>
  cut(evidences.flatMap((piece) => piece.notes ?? []).join('\n\n'), maxNotesLength);

const maxNotesLength = 2000;

function notes(text: string | null): string | undefined {
  const some = filled(text);
  return some === undefined ? undefined : cut(some, maxNotesLength);
}

const endings: Readonly<Record<EvidenceFile['contentType'], string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
};

/** A file name that the upstream accepts and that is unique in the form (PayPal Disputes v1, document). */
function documentName({ name, contentType }: EvidenceFile, index: number): string {
  const stem = asciiText(name.replace(/\.[^.]*$/, '')).replace(/[^A-Za-z0-9_-]+/g, '-');
  return `${index + 1}-${cut(stem, 100)}.${endings[contentType]}`;
}
