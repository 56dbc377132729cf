import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../clean-up.ts';
import { temporaryFolder } from '../server.ts';
import { apiKeys, cardNumber, securityCodes, signingSecrets } from './needles.ts';
import { Searcher } from './search.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

const number = '4111111111111111';
const key = 'sk_test_0Kf9sLq2Zx7Vb4Nm1Tg8Hj5Rd3Wc6YpA';
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const searcher = new Searcher([
  ...[number, '376680816376961'].flatMap(cardNumber),
  ...apiKeys(),
  ...signingSecrets(),
  ...securityCodes(),
]);

const forms = (text: string): [string, string][] => [
  ['plain', text],
  ['hex', Buffer.from(text).toString('hex')],
  ['base64', Buffer.from(text).toString('base64')],
  ['base64 after one byte', Buffer.from(`x${text}`).toString('base64')],
  ['base64 after two bytes', Buffer.from(`xy${text}`).toString('base64')],
  ['base64 within more', Buffer.from(`{"a":"b","c":${text},"d":"e"}`).toString('base64')],
];

describe('the search for secrets', () => {
  it.each([
    ...forms(number),
    ['in groups', '4111 1111 1111 1111'],
    ['in groups with hyphens', '4111-1111-1111-1111'],
    ['after a full stop', `No.${number}`],
    ['before a full stop', `${number}.0`],
  ])('finds a card number: %s', (_form, text) => {
    const hits = searcher.inText(`before ${text} after`, 'here');
    expect(hits.map(({ what }) => what)).toEqual([expect.stringContaining(number)]);
  });

  it.each(forms(key))('finds an API key: %s', (_form, text) => {
    expect(searcher.inText(`"${text}"`, 'here')[0]?.what).toMatch(/^API key/);
  });

  it.each(forms(secret))('finds a signing secret: %s', (_form, text) => {
    expect(searcher.inText(`"${text}"`, 'here')[0]?.what).toMatch(/^signing secret/);
  });

  it.each(forms('{"number":"…","cvc":"7391"}'))('finds a security code: %s', (_form, text) => {
    expect(searcher.inText(text, 'here')[0]?.what).toMatch(/^security code/);
  });

  it('finds nothing in data that may be stored', () => {
    const kept = [
      '41111111111111112',
      `0.${number}`,
      `12.${number}`,
      '411111 … 1111',
      'sk_test_…6YpA',
      'sk_test_',
      'sk_test_unknown',
      'whsec_…',
      '"cvc":"[redacted]"',
      '"cvc":null',
      randomBytes(200_000).toString('base64'),
      randomBytes(200_000).toString('hex'),
    ];
    expect(kept.flatMap((text) => searcher.inText(text, text.slice(0, 30)))).toEqual([]);
  });

  it('finds a secret across two chunks of a large file, once', async () => {
    const folder = await temporaryFolder();
    cleanUp.add(folder.remove);
    const piece = 2 ** 20;
    const places = [0, piece - 17, piece - 8, piece, 2 * piece - 1, 2 * piece + 300_000];
    for (const place of places) {
      const content = Buffer.alloc(2 * piece + 300_100);
      content.write(number, place);
      await writeFile(join(folder.path, 'large'), content);
      const { hits, bytes } = searcher.inFolder(folder.path);
      expect(hits.map(({ at }) => at)).toEqual([place]);
      expect(bytes).toBe(content.length);
    }
    expect(searcher.inFolder(folder.path, ['/large'])).toEqual({ hits: [], bytes: 0 });
  });
});
