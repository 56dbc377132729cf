import { alertKinds } from '@till/contract/dashboard';
import { describe, expect, it } from 'vitest';
import { alertText } from './alert-words.ts';

describe('the words of alerts', () => {
  it.each(alertKinds)('say what %s is and what it means', (kind) => {
    const { title, meaning } = alertText(kind);
    expect(title).not.toContain('_');
    expect(meaning.length).toBeGreaterThan(20);
  });

  it('show an unknown kind by its name', () => {
    expect(alertText('moon_landed')).toEqual({ title: 'moon landed', meaning: '' });
  });
});
