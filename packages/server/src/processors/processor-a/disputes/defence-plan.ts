import { type JsonObject, jsonObjects, jsonText } from '../../wire/json.ts';
import type { EvidenceDocument } from './evidence-documents.ts';

/** One way to defend a dispute, and the documents that it takes (Adyen Disputes API v30, DefenseReason). */
export interface DefenceReason {
  readonly code: string;
  /** Enough was supplied already. */
  readonly satisfied: boolean;
  readonly documentTypes: readonly DocumentType[];
}

interface DocumentType {
  readonly code: string;
  readonly level: 'required' | 'one_or_more' | 'optional';
  /** One was supplied already; another takes its place. */
  readonly available: boolean;
}

/** What to supply before defending with the reason. */
export interface DefencePlan {
  readonly reasonCode: string;
  readonly documents: readonly { readonly typeCode: string; readonly document: EvidenceDocument }[];
}

/** The defence that claims nothing in particular. */
export const generalReason = 'SupplyDefenseMaterial';

/** Document types that any evidence is right for. */
const generalTypes: ReadonlySet<string> = new Set(['DefenseMaterial', 'WrittenRebuttal']);

/**
 * Evidence that a document type of the upstream is meant for, as far as it says nothing that only the merchant knows.
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

/** The ways that an answer of `/retrieveApplicableDefenseReasons` offers. */
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
 * How to defend with these documents, each in a place of its own, or undefined. With a reason that the merchant chose
 * the documents may stand where they must; else only a reason is taken that all of them suit, since a reason is a
 * claim.
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

/** Puts the documents where they suit, the required places first; `anywhere`: the rest in the places that are left. */
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
    // What has a place of its own stays out of the general one while there is anything else.
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
