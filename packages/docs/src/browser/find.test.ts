import { describe, expect, it } from 'vitest';
import { find, type IndexEntry } from './find.ts';

const index: readonly IndexEntry[] = [
  ['/docs/refunds', 'Refunds', '', 'Give back all or a part of a payment that succeeded.'],
  ['/docs/refunds#how-it-ended', 'Refunds', 'How it ended', 'refund.succeeded comes as an event.'],
  ['/docs/errors#key_reused', 'Errors and declines', 'key_reused', 'key reused Used with another body.'],
  ['/docs/testing?find=CCREJECT-REFUSED', 'Declines', 'CCREJECT-REFUSED', 'Declined: do_not_honor'],
  [
    '/docs/cards',
    'Cards and 3-D Secure',
    '',
    `${'Much is said here. '.repeat(20)}A refund is named at the end.`,
  ],
];
const addresses = (query: string) => find(index, query).map(({ address }) => address);

describe('find', () => {
  it('ranks a title match before section titles, and those before text matches', () => {
    expect(addresses('refund')).toEqual(['/docs/refunds', '/docs/refunds#how-it-ended', '/docs/cards']);
  });

  it('finds codes and triggers as they are written, in any case', () => {
    expect(addresses('key_reused')).toEqual(['/docs/errors#key_reused']);
    expect(addresses('ccreject-ref')).toEqual(['/docs/testing?find=CCREJECT-REFUSED']);
  });

  it('requires every word', () => {
    expect(addresses('refund event')).toEqual(['/docs/refunds#how-it-ended']);
    expect(addresses('refund nonsense')).toEqual([]);
  });

  it('finds nothing for an empty text, and takes every character literally', () => {
    expect(addresses('  ')).toEqual([]);
    expect(addresses('.*')).toEqual([]);
    expect(addresses('(')).toEqual([]);
  });

  it('shows the text around what was found', () => {
    const [found] = find(index, 'named');
    expect(found?.excerpt).toMatch(/^….*A refund is named at the end\.$/);
    expect((found?.excerpt ?? '').length).toBeLessThan(120);
  });
});
