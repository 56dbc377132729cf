import { describe, expect, it } from 'vitest';
import { readSearch } from './search-words.ts';

const id = '0123456789abcdefghijklmn';

describe('the words of a search', () => {
  it('are nothing where they are blank', () => {
    expect(readSearch('  ')).toBeNull();
  });

  it.each([
    ['pay', 'payment'],
    ['re', 'refund'],
    ['cus', 'customer'],
    ['dsp', 'dispute'],
    ['pm', 'method'],
  ])('name an object by its id %s_…', (prefix, of) => {
    expect(readSearch(` ${prefix}_${id} `)).toEqual({ kind: 'id', of, id: `${prefix}_${id}` });
  });

  it.each(['•••• 4242', '**** 4242', 'xxxx4242', '...4242'])('are last four digits as %s', (typed) => {
    expect(readSearch(typed)).toEqual({ kind: 'last4', last4: '4242' });
  });

  it('of a whole card number are only its last four digits', () => {
    const found = readSearch('4111 1111-1111 1111');
    expect(found).toEqual({ kind: 'last4', last4: '1111' });
    expect(JSON.stringify(found)).not.toContain('411111');
  });

  it('of 15 digits are a network reference unless a card can have as many', () => {
    const reference = '821189210438451';
    expect(readSearch(reference)).toMatchObject({ kind: 'text', text: { exact: reference } });
    expect(readSearch('371449635398431')).toEqual({ kind: 'last4', last4: '8431' });
  });

  it('of four digits may be a card or a reference', () => {
    expect(readSearch('4242')).toMatchObject({ kind: 'text', last4: '4242', text: { exact: '4242' } });
  });

  it('are looked for in every usual spelling', () => {
    expect(readSearch('oRd-1')).toMatchObject({
      text: { exact: 'oRd-1', spellings: ['oRd-1', 'ORD-1', 'ord-1', 'Ord-1'], folded: 'ord-1' },
    });
  });
});
