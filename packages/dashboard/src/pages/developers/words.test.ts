import { describe, expect, it } from 'vitest';
import { bodyNote, byteWords, millisecondWords, percentWords, shortPath, statusWords } from './words.ts';

describe('words for developers', () => {
  it('never round a share to all or nothing', () => {
    expect([
      percentWords(2, 2),
      percentWords(0, 3),
      percentWords(9999, 10_000),
      percentWords(1, 10_000),
    ]).toEqual(['100 %', '0 %', '99.9 %', '0.1 %']);
    expect(percentWords(1, 3)).toBe('33.3 %');
  });

  it('say sizes and times', () => {
    expect([byteWords(1), byteWords(318), byteWords(2048)]).toEqual(['1 byte', '318 bytes', '2.0 KiB']);
    expect([millisecondWords(7), millisecondWords(1440)]).toEqual(['7 ms', '1.4 s']);
  });

  it('cut ids in a path, and nothing else', () => {
    expect(shortPath('/api/v1/payments/pay_mz6impkor2r62nn8020s5lbh/refunds')).toBe(
      '/api/v1/payments/pay_…5lbh/refunds',
    );
    expect(shortPath('/api/v1/payment_methods/pm_1')).toBe('/api/v1/payment_methods/pm_1');
  });

  it('say what a status means, also one that is not known', () => {
    expect([
      statusWords(422),
      statusWords(299),
      statusWords(399),
      statusWords(418),
      statusWords(599),
    ]).toEqual(['Invalid', 'Success', 'Redirect', 'Refused', 'Server error']);
  });

  it('say why a body is not there', () => {
    expect(bodyNote({ text: '{}', note: null, bytes: 2 })).toBeUndefined();
    expect(bodyNote({ text: null, note: null, bytes: 0 })).toBe('Nothing was sent.');
    expect(bodyNote({ text: null, note: 'too_large', bytes: 157_696 })).toContain('154.0 KiB');
    expect(bodyNote({ text: null, note: 'not_json', bytes: 12 })).toContain('12 bytes');
  });
});
