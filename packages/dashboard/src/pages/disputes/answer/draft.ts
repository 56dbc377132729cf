import type { ProcessorTraits } from '@till/contract/dashboard';
import type { Body } from '../../../api/calls.ts';
import { type EvidenceType, evidenceTypes } from '../../../lib/wording/dispute-words.ts';
import type { Detail, EvidenceFile } from './detail.ts';

/** The collected evidence of one kind. */
export interface Slot {
  readonly text: string;
  readonly files: readonly EvidenceFile[];
}

/** A defence before it is submitted. */
export interface Draft {
  readonly statement: string;
  readonly reasonCode: string;
  readonly slots: Readonly<Partial<Record<EvidenceType, Slot>>>;
}

export const emptyDraft: Draft = { statement: '', reasonCode: '', slots: {} };
export const emptySlot: Slot = { text: '', files: [] };

/** The limits of one defence, as in the contract. */
export const draftLimits = {
  textLength: 2000,
  reasonCodeLength: 100,
  items: 20,
  fileBytes: 5 * 1024 * 1024,
  filesBytes: 20 * 1024 * 1024,
} as const;

export const isEmptySlot = ({ text, files }: Slot): boolean => text.trim() === '' && files.length === 0;

export const slotOf = (draft: Draft, type: EvidenceType): Slot => draft.slots[type] ?? emptySlot;

/** The draft with one slot replaced. */
export const withSlot = (draft: Draft, type: EvidenceType, slot: Slot): Draft => ({
  ...draft,
  slots: { ...draft.slots, [type]: slot },
});

/** The draft that is stored on the server; an empty draft if there is none. */
export const draftFrom = (stored: Detail['draft']): Draft =>
  stored === null
    ? emptyDraft
    : {
        statement: stored.statement,
        reasonCode: stored.reason_code,
        slots: Object.fromEntries(stored.evidence.map(({ type, text, files }) => [type, { text, files }])),
      };

/** The request body that saves the draft in its present state. */
export const changeOf = (
  { statement, reasonCode, slots }: Draft,
  version: number,
): Body<'saveDisputeDraft'> => ({
  version,
  statement,
  reason_code: reasonCode,
  evidence: evidenceTypes.flatMap((type) => {
    const { text, files } = slots[type] ?? emptySlot;
    return text === '' && files.length === 0 ? [] : [{ type, text, files: files.map(({ id }) => id) }];
  }),
});

/** Whether two drafts have the same content. */
export const isSameDraft = (one: Draft, other: Draft): boolean =>
  one === other || JSON.stringify(changeOf(one, 0)) === JSON.stringify(changeOf(other, 0));

/** The request body of the submission. The text on a kind of evidence goes with its first file. */
export function submissionOf({ statement, reasonCode, slots }: Draft): Body<'defendDispute'> {
  const evidence = evidenceTypes.flatMap((type) => {
    const { text, files } = slots[type] ?? emptySlot;
    const words = text.trim() === '' ? {} : { text: text.trim() };
    if (files.length === 0) return text.trim() === '' ? [] : [{ type, ...words }];
    return files.map(({ id }, index) => ({ type, file: id, ...(index === 0 ? words : {}) }));
  });
  return {
    ...(statement.trim() === '' ? {} : { statement: statement.trim() }),
    ...(reasonCode.trim() === '' ? {} : { reason_code: reasonCode.trim() }),
    evidence,
  };
}

/** Why a draft cannot be submitted; undefined if it can. */
export function faultOf(draft: Draft): string | undefined {
  const { statement, evidence } = submissionOf(draft);
  const files = Object.values(draft.slots).flatMap((slot) => slot.files);
  if (statement === undefined && evidence.length === 0) {
    return 'Add at least one piece of evidence, or write a statement.';
  }
  if (evidence.length > draftLimits.items) {
    return `At most ${draftLimits.items} pieces of evidence can be sent.`;
  }
  if (files.reduce((sum, { size }) => sum + size, 0) > draftLimits.filesBytes) {
    return 'The files are larger than 20 MB together. Remove one, or make them smaller.';
  }
  return undefined;
}

const known = /\.(pdf|png|jpe?g)$/i;
const knownTypes = ['application/pdf', 'image/png', 'image/jpeg'];

/** Whether the processor accepts PNG files; true while that is unknown. */
export const takesPng = (processor: Pick<ProcessorTraits, 'evidence_types'> | undefined): boolean =>
  processor?.evidence_types.includes('image/png') !== false;

/** Why a file's type or size forbids its upload; undefined if it can be uploaded. The server checks the content. */
export function fileFault(
  { name, type, size }: Pick<File, 'name' | 'type' | 'size'>,
  processor: Pick<ProcessorTraits, 'evidence_types'> | undefined,
): string | undefined {
  if (!knownTypes.includes(type) && !known.test(name)) return `“${name}” is no PDF, PNG or JPEG file.`;
  if (!takesPng(processor) && (type === 'image/png' || /\.png$/i.test(name))) {
    return `“${name}” is a PNG, which your processor does not take. Save it as PDF or JPEG.`;
  }
  if (size > draftLimits.fileBytes) return `“${name}” is larger than 5 MB. Make it smaller, or split it.`;
  if (size === 0) return `“${name}” is empty.`;
  return undefined;
}
