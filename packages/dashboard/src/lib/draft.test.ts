import { describe, expect, it } from 'vitest';
import { draftOf, rebased } from './draft.ts';

const saved = { support: '100', developer: '200' };

describe('a draft over values that a colleague has saved meanwhile', () => {
  it('follows them where nothing was typed', () => {
    expect(rebased(draftOf(saved), { ...saved, support: '300' })).toEqual(
      draftOf({ ...saved, support: '300' }),
    );
  });

  it('keeps what was typed into another field', () => {
    const draft = { ...draftOf(saved), typed: { ...saved, developer: '5' } };
    expect(rebased(draft, { ...saved, support: '300' })).toMatchObject({
      typed: { support: '300', developer: '5' },
      changedMeanwhile: [],
    });
  });

  it('keeps what was typed into the same field, and says so until it is saved', () => {
    const draft = { ...draftOf(saved), typed: { ...saved, support: '5' } };
    const changedMeanwhile = rebased(draft, { ...saved, support: '300' });
    expect(changedMeanwhile).toMatchObject({ typed: { support: '5' }, changedMeanwhile: ['support'] });
    const later = rebased(changedMeanwhile, { support: '300', developer: '1' });
    expect(later).toMatchObject({ typed: { support: '5', developer: '1' }, changedMeanwhile: ['support'] });
    expect(rebased(later, { support: '5', developer: '1' })).toEqual(
      draftOf({ support: '5', developer: '1' }),
    );
  });

  it('is what is saved once that is what was typed, but for spaces', () => {
    const draft = { ...draftOf(saved), typed: { ...saved, support: ' 5 ' } };
    expect(rebased(draft, { ...saved, support: '5' })).toEqual(draftOf({ ...saved, support: '5' }));
  });
});
