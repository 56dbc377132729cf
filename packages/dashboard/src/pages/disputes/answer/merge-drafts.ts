import { type EvidenceType, evidenceTypes } from '../../../lib/wording/dispute-words.ts';
import type { EvidenceFile } from './detail.ts';
import { type Draft, slotOf, withSlot } from './draft.ts';

/** Identifies a text of the draft: the statement, the reason code, or the text on a kind of evidence. */
export type Place = 'statement' | 'reasonCode' | EvidenceType;

/** A text that two people have changed concurrently. */
export interface Conflict {
  readonly place: Place;
  /** The text of the other person. */
  readonly theirs: string;
}

export const textAt = (draft: Draft, place: Place): string =>
  place === 'statement' || place === 'reasonCode' ? draft[place] : slotOf(draft, place).text;

export const withTextAt = (draft: Draft, place: Place, text: string): Draft =>
  place === 'statement' || place === 'reasonCode'
    ? { ...draft, [place]: text }
    : withSlot(draft, place, { ...slotOf(draft, place), text });

/** Merges added and removed files one by one, so that the changes of both people are kept. */
function mergeFiles(
  base: readonly EvidenceFile[],
  mine: readonly EvidenceFile[],
  theirs: readonly EvidenceFile[],
): readonly EvidenceFile[] {
  const has = (files: readonly EvidenceFile[], { id }: EvidenceFile) => files.some((file) => file.id === id);
  const stays = (file: EvidenceFile) => !has(base, file) || (has(mine, file) && has(theirs, file));
  return [...theirs, ...mine.filter((file) => !has(theirs, file))].filter(stays);
}

/**
 * Merges the changes of two people to the same draft. If both have changed a text, mine stays and theirs becomes a
 * conflict, so that nothing that was typed is lost.
 */
export function mergeDrafts(
  base: Draft,
  mine: Draft,
  theirs: Draft,
): { readonly draft: Draft; readonly conflicts: readonly Conflict[] } {
  const conflicts: Conflict[] = [];
  let draft = mine;
  for (const place of ['statement', 'reasonCode', ...evidenceTypes] as const) {
    const [before, own, other] = [base, mine, theirs].map((one) => textAt(one, place));
    if (other === undefined || other === before || other === own) continue;
    if (own === before) draft = withTextAt(draft, place, other);
    else conflicts.push({ place, theirs: other });
  }
  for (const type of evidenceTypes) {
    const [before, own, other] = [slotOf(base, type), slotOf(mine, type), slotOf(theirs, type)];
    const files = mergeFiles(before.files, own.files, other.files);
    if (files.length > 0 || own.files.length > 0) {
      draft = withSlot(draft, type, { ...slotOf(draft, type), files });
    }
  }
  return { draft, conflicts };
}
