import { type JsonObject, jsonObjects, jsonText } from '../../wire/json.ts';
import type { EvidenceDocument } from './evidence-documents.ts';

/** One reason with which a dispute can be defended, and the documents that it needs (Adyen Disputes API v30, DefenseReason). */
export interface DefenceReason {
  readonly code: string;
  /** Sufficient documents were supplied already. */
  readonly satisfied: boolean;
  readonly documentTypes: readonly DocumentType[];
}

interface DocumentType {
  readonly code: string;
  readonly level: 'required' | 'one_or_more' | 'optional';
  /** A document of this type was supplied already; a new one replaces it. */
  readonly available: boolean;
}

/** The documents to supply before defending with the reason. */
export interface DefencePlan {
  readonly reasonCode: string;
  readonly documents: readonly { readonly typeCode: string; readonly document: EvidenceDocument }[];
}

/** The defence reason that makes no particular claim. */
export const generalReason = 'SupplyDefenseMaterial';

/** Document types for which any evidence is suitable. */
const generalTypes: ReadonlySet<string> = new Set(['DefenseMaterial', 'WrittenRebuttal']);

/**
 * Evidence types that suit a document type of the upstream. It lists only types that state nothing that only the merchant can
 * know.
 */
const suitableEvidence: ReadonlyMap<string, readonly string[]> = new Map([
  ['TIDorInvoice', ['receipt']],
  [
    'ProofOfGoodsOrServicesProvided',
    [
      'proof_of_delivery',
      'shipping_documentation',
      'service_documentation',
      'customer_signature',
      'access_activity_log',
    ],
  ],
  ['ShippedToAVS', ['proof_of_delivery', 'shipping_documentation']],
  ['DisclosureAtPointOfInteraction', ['refund_policy', 'cancellation_policy']],
  ['MerchantProofOfRecurringTransaction', ['recurring_agreement']],
  ['PaymentByOtherMeans', ['duplicate_charge_documentation']],
  ['CompellingEvidence', ['access_activity_log', 'customer_communication', 'customer_signature']],
]);

/** Reads the defence reasons in a response of `/retrieveApplicableDefenseReasons`. */
export function defenceReasons(answer: JsonObject): DefenceReason[] {
  return jsonObjects(answer, 'defenseReasons').flatMap((reason) => {
    const code = jsonText(reason, 'defenseReasonCode');
    const documentTypes = jsonObjects(reason, 'defenseDocumentTypes').flatMap(documentType);
    return code === null ? [] : [{ code, satisfied: reason.satisfied === true, documentTypes }];
  });
}

const levels: ReadonlyMap<string, DocumentType['level']> = new Map([
  ['Required', 'required'],
  ['OneOrMore', 'one_or_more'],
  ['AlternativeRequired', 'one_or_more'],
]);

function documentType(type: JsonObject): DocumentType[] {
  const code = jsonText(type, 'defenseDocumentTypeCode');
  const level = levels.get(jsonText(type, 'requirementLevel') ?? '') ?? 'optional';
  return code === null ? [] : [{ code, level, available: type.available === true }];
}

/**
 * Finds a reason with which to defend, and assigns each document to a document type of its own; undefined if there is none.
 * With a reason that the merchant chose, a document may be assigned to a type that it does not suit. Otherwise a reason is
 * used only if all documents suit it, because a reason is a claim.
 */
export function planDefence(
  reasons: readonly DefenceReason[],
  chosen: string | null,
  documents: readonly EvidenceDocument[],
): DefencePlan | undefined {
  for (const reason of reasons.filter(({ code }) => chosen === null || code === chosen)) {
    const places = placed(reason, documents, chosen !== null);
    const complete = places.size === documents.length && isCovered(reason, places);
    if (complete) {
      const supplied = [...places].map(([typeCode, document]) => ({ typeCode, document }));
      return { reasonCode: reason.code, documents: supplied };
    }
  }
  return undefined;
}

/**
 * Assigns the documents to the types that they suit, required types first. `anywhere`: also assigns the remaining documents
 * to the remaining types.
 */
function placed(
  { documentTypes }: DefenceReason,
  documents: readonly EvidenceDocument[],
  anywhere: boolean,
): Map<string, EvidenceDocument> {
  const rest = [...documents];
  const places = new Map<string, EvidenceDocument>();
  const fill = (code: string, wanted: (document: EvidenceDocument) => boolean): void => {
    const index = places.has(code) ? -1 : rest.findIndex(wanted);
    for (const document of index === -1 ? [] : rest.splice(index, 1)) {
      places.set(code, document);
    }
  };
  const suits = (code: string, { kind }: EvidenceDocument): boolean =>
    suitableEvidence.get(code)?.includes(kind) ?? false;
  const types = (['required', 'one_or_more', 'optional'] as const).flatMap((level) =>
    documentTypes.filter((type) => type.level === level),
  );
  for (const { code } of types) {
    if (!generalTypes.has(code)) {
      fill(code, (document) => suits(code, document));
      continue;
    }
    // A document that suits a specific type is assigned to the general one only if no other document is left.
    fill(code, (document) => !types.some((type) => suits(type.code, document)));
    fill(code, () => true);
  }
  for (const { code } of anywhere ? types : []) {
    fill(code, () => true);
  }
  return places;
}

function isCovered(
  { satisfied, documentTypes }: DefenceReason,
  places: ReadonlyMap<string, EvidenceDocument>,
): boolean {
  const isThere = ({ code, available }: DocumentType): boolean => available || places.has(code);
  const choices = documentTypes.filter(({ level }) => level === 'one_or_more');
  const required = documentTypes.filter(({ level }) => level === 'required');
  return satisfied || (required.every(isThere) && (choices.length === 0 || choices.some(isThere)));
}
