import { textDocument } from '../../../lib/text/text-document.ts';
import type { DefendDisputeRequest } from '../../port/disputes.ts';

/** A document for the dispute service. */
export interface EvidenceDocument {
  /** Our evidence type, or `statement` for a text about the whole dispute. */
  readonly kind: string;
  readonly contentType: 'application/pdf' | 'image/jpeg';
  /** In base64. */
  readonly content: string;
}

/**
 * Converts the evidence to documents: each file as it is, and one document with all texts, because the dispute service takes
 * only documents. Undefined if a file has a type that it does not take (Adyen docs, "Defense requirements": PDF, JPEG, TIFF).
 */
export function evidenceDocuments({
  statement,
  evidence,
}: Pick<DefendDisputeRequest, 'statement' | 'evidence'>): EvidenceDocument[] | undefined {
  const documents: EvidenceDocument[] = [];
  for (const { type, file } of evidence) {
    if (file?.contentType === 'image/png') return undefined;
    if (file !== null) {
      const content = Buffer.from(file.content).toString('base64');
      documents.push({ kind: type, contentType: file.contentType, content });
    }
  }
  const words = wordsOf(statement, evidence);
  return words === undefined ? documents : [...documents, words];
}

function wordsOf(
  statement: string | null,
  evidence: DefendDisputeRequest['evidence'],
): EvidenceDocument | undefined {
  const texts = evidence.filter(({ text }) => text);
  const sections = texts.map(({ type, text }) => `${titleOf(type)}\n\n${text}`);
  const [only] = texts;
  const text = [...(statement ? [statement] : []), ...sections].join('\n\n\n');
  return text === ''
    ? undefined
    : {
        kind: !statement && texts.length === 1 && only !== undefined ? only.type : 'statement',
        contentType: 'application/pdf',
        content: textDocument(text).toString('base64'),
      };
}

/** Formats `proof_of_delivery` as `Proof of delivery`. */
const titleOf = (type: string): string => type.charAt(0).toUpperCase() + type.slice(1).replaceAll('_', ' ');
