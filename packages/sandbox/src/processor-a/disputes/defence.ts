import { isObject } from '../../lib/json.ts';
import type { Document } from './dispute.ts';

interface DefenceReason {
  readonly code: string;
  readonly documents: readonly { readonly typeCode: string; readonly level: 'Required' | 'Optional' }[];
}

const invoice = 'TIDorInvoice';

/**
 * The defence reasons of Adyen's own sample (Adyen Disputes API v30). The one that is always applicable comes
 * first.
 */
const defenceReasons: readonly DefenceReason[] = [
  {
    code: 'SupplyDefenseMaterial',
    documents: [
      { typeCode: 'DefenseMaterial', level: 'Required' },
      { typeCode: invoice, level: 'Optional' },
    ],
  },
  {
    code: 'GoodsNotReturned',
    documents: [
      { typeCode: 'GoodsNotReturned', level: 'Required' },
      { typeCode: invoice, level: 'Optional' },
    ],
  },
  {
    code: 'GoodsRepairedOrReplaced',
    documents: [
      { typeCode: 'GoodsRepairedOrReplaced', level: 'Required' },
      { typeCode: invoice, level: 'Optional' },
    ],
  },
  {
    code: 'GoodsWereAsDescribed',
    documents: [
      { typeCode: 'GoodsWereAsDescribed', level: 'Required' },
      { typeCode: invoice, level: 'Required' },
    ],
  },
];

const knownTypes: ReadonlySet<string> = new Set(
  defenceReasons.flatMap(({ documents }) => documents.map(({ typeCode }) => typeCode)),
);

const mebibyte = 1024 * 1024;

/** Maximum size in bytes by content type (Adyen docs, "Defense requirements"). */
const largest: Readonly<Record<string, number>> = {
  'application/pdf': 2 * mebibyte,
  'image/jpeg': 10 * mebibyte,
  'image/jpg': 10 * mebibyte,
  'image/tiff': 10 * mebibyte,
};

function has(documents: readonly Document[], typeCode: string): boolean {
  return documents.some((document) => document.typeCode === typeCode);
}

function isSatisfied({ documents: wanted }: DefenceReason, supplied: readonly Document[]): boolean {
  return wanted.every(({ typeCode, level }) => level === 'Optional' || has(supplied, typeCode));
}

/**
 * Returns the defence reasons of a dispute, each with the documents it needs and has (Adyen Disputes API v30,
 * DefenseReason).
 */
export function applicableReasons(supplied: readonly Document[]) {
  return defenceReasons.map((reason) => ({
    defenseReasonCode: reason.code,
    satisfied: isSatisfied(reason, supplied),
    defenseDocumentTypes: reason.documents.map(({ typeCode, level }) => ({
      defenseDocumentTypeCode: typeCode,
      requirementLevel: level,
      available: has(supplied, typeCode),
    })),
  }));
}

/** Returns why a defence is not possible, or undefined if it is. */
export function objectionTo(reasonCode: unknown, supplied: readonly Document[]): string | undefined {
  const reason = defenceReasons.find(({ code }) => code === reasonCode);
  if (reason === undefined) return 'The defense reason is not applicable';
  return isSatisfied(reason, supplied) ? undefined : 'Required defense documents are missing';
}

function readDocument(value: unknown): Document | string {
  if (!isObject(value)) return 'A defense document is not valid';
  const { defenseDocumentTypeCode: typeCode, contentType, content } = value;
  if (typeof typeCode !== 'string' || !knownTypes.has(typeCode)) return 'The document type is not applicable';
  const limit = typeof contentType === 'string' ? largest[contentType] : undefined;
  if (typeof contentType !== 'string' || limit === undefined) return 'The content type is not supported';
  if (typeof content !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(content)) {
    return 'The content of a defense document is not valid';
  }
  const size = Buffer.from(content, 'base64').length;
  return size > limit ? 'A defense document is too large' : { typeCode, contentType, size };
}

/**
 * Reads documents (Adyen Disputes API v30, DefenseDocument).
 * @returns a description of the first invalid document instead, if there is one
 */
export function readDocuments(value: unknown): readonly Document[] | string {
  if (!Array.isArray(value) || value.length === 0) return 'No defense documents are supplied';
  const documents: Document[] = [];
  for (const each of value) {
    const document = readDocument(each);
    if (typeof document === 'string') return document;
    documents.push(document);
  }
  return documents;
}
