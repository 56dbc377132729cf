import { describe, expect, it } from 'vitest';
import type { Detail, EvidenceFile } from './detail.ts';
import { changeOf, type Draft, draftFrom, emptyDraft, isSameDraft, slotOf, withSlot } from './draft.ts';
import { mergeDrafts, textAt, withTextAt } from './merge-drafts.ts';

const file = (id: string) => ({ id }) as EvidenceFile;
const slot = (draft: Draft, text: string, ...ids: string[]) =>
  withSlot(draft, 'receipt', { text, files: ids.map(file) });
const idsIn = (draft: Draft) => slotOf(draft, 'receipt').files.map(({ id }) => id);

describe('two people on one draft', () => {
  const base = slot({ ...emptyDraft, statement: 'It' }, '', 'a', 'b');

  it('each text and file that only one has changed holds', () => {
    const mine = { ...slot(base, '', 'a', 'b', 'mine'), statement: 'It arrived.' };
    const theirs = { ...slot(base, 'See page 2', 'b', 'theirs'), reasonCode: 'A1' };
    const { draft, conflicts } = mergeDrafts(base, mine, theirs);
    expect(conflicts).toEqual([]);
    expect([draft.statement, draft.reasonCode, textAt(draft, 'receipt')]).toEqual([
      'It arrived.',
      'A1',
      'See page 2',
    ]);
    expect(idsIn(draft)).toEqual(['b', 'theirs', 'mine']);
  });

  it('of a text that both have changed mine stays and theirs is shown', () => {
    const mine = withTextAt({ ...base, statement: 'mine' }, 'other', 'mine');
    const theirs = withTextAt({ ...base, statement: 'theirs' }, 'other', 'theirs');
    expect(mergeDrafts(base, mine, theirs)).toEqual({
      draft: mine,
      conflicts: [
        { place: 'statement', theirs: 'theirs' },
        { place: 'other', theirs: 'theirs' },
      ],
    });
    expect(mergeDrafts(base, mine, mine).conflicts).toEqual([]);
  });

  it('a file that one removed is gone, and the last one too', () => {
    expect(idsIn(mergeDrafts(base, base, slot(base, '')).draft)).toEqual([]);
    expect(idsIn(mergeDrafts(base, slot(base, '', 'a'), base).draft)).toEqual(['a']);
  });
});

it('the draft of the server comes back as it was sent', () => {
  const draft = withSlot(slot({ ...emptyDraft, statement: ' It ' }, 'words', 'a'), 'other', {
    text: '',
    files: [],
  });
  const { version, ...sent } = changeOf(draft, 4);
  expect(version).toBe(4);
  const evidence = sent.evidence.map((item) => ({ ...item, files: item.files.map(file) }));
  const stored = { ...sent, version: 5, evidence, edited_by: 'ada@shop.example', edited_at: '' };
  expect(isSameDraft(draftFrom(stored as Detail['draft']), draft)).toBe(true);
  expect(isSameDraft(draftFrom(null), draft)).toBe(false);
});
