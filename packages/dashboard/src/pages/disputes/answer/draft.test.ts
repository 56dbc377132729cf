import { evidenceLimits, fileBytesMax } from '@till/contract';
import { describe, expect, it } from 'vitest';
import type { EvidenceFile } from './detail.ts';
import { draftLimits, emptyDraft, faultOf, fileFault, submissionOf, withSlot } from './draft.ts';

const file = (id: string, size = 10) => ({ id, size }) as EvidenceFile;

describe('a draft', () => {
  it('is sent without empty slots, each text with the first file of its kind', () => {
    const draft = withSlot(
      withSlot(
        withSlot({ ...emptyDraft, statement: ' It arrived. ' }, 'other', { text: ' ', files: [] }),
        'receipt',
        {
          text: ' See page 2 ',
          files: [file('file_1'), file('file_2')],
        },
      ),
      'customer_communication',
      { text: 'They thanked us.', files: [] },
    );
    expect(submissionOf(draft)).toEqual({
      statement: 'It arrived.',
      evidence: [
        { type: 'receipt', file: 'file_1', text: 'See page 2' },
        { type: 'receipt', file: 'file_2' },
        { type: 'customer_communication', text: 'They thanked us.' },
      ],
    });
    expect(submissionOf({ ...emptyDraft, reasonCode: ' A1 ' })).toEqual({ reason_code: 'A1', evidence: [] });
  });

  it('needs something to submit, and not too much', () => {
    expect(faultOf(emptyDraft)).toContain('at least one');
    expect(faultOf({ ...emptyDraft, statement: '  ' })).toContain('at least one');
    expect(faultOf({ ...emptyDraft, statement: 'x' })).toBeUndefined();
    const many = Array.from({ length: 21 }, (_, index) => file(`file_${index}`));
    expect(faultOf(withSlot(emptyDraft, 'other', { text: '', files: many }))).toContain('At most 20');
    const large = [file('file_1', 15_000_000), file('file_2', 15_000_000)];
    expect(faultOf(withSlot(emptyDraft, 'other', { text: '', files: large }))).toContain('20 MB');
  });

  it('has the limits of the contract', () => {
    expect(draftLimits).toEqual({
      textLength: evidenceLimits.textLength,
      reasonCodeLength: evidenceLimits.reasonCodeLength,
      items: evidenceLimits.items,
      fileBytes: fileBytesMax,
      filesBytes: evidenceLimits.filesBytes,
    });
  });
});

describe('a file', () => {
  it.each([
    ['a.pdf', 'application/pdf', 10, undefined],
    ['a.JPG', '', 10, undefined],
    ['a', 'image/png', 10, undefined],
    ['a.gif', 'image/gif', 10, 'no PDF'],
    ['a.pdf', 'application/pdf', 5 * 1024 * 1024 + 1, 'larger than 5 MB'],
    ['a.pdf', 'application/pdf', 0, 'empty'],
  ])('%s of type %s and %s bytes', (name, type, size, fault) => {
    const found = fileFault(
      { name, type, size },
      { evidence_types: ['application/pdf', 'image/jpeg', 'image/png'] },
    );
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(fault);
  });

  it('that is a PNG is not for processor_a', () => {
    const picture = { name: 'a.PNG', type: '', size: 10 };
    expect(fileFault(picture, { evidence_types: ['application/pdf', 'image/jpeg'] })).toContain(
      'does not take',
    );
    expect(fileFault(picture, undefined)).toBeUndefined();
  });
});
