import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../vault/test-database.ts';
import { readBranding, readLogo, saveBranding } from './branding.ts';
import { readLogoFile } from './logo.ts';

const now = new Date('2026-11-20T12:00:00Z');
const nothing = { displayName: null, colour: null, defaultLocale: null, logo: null, savedAt: null };
const saved = { ...nothing, savedAt: now };
/** A PNG file of one pixel. */
const png = await readLogoFile(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('the look of an account’s pages', () => {
  it('is nothing until somebody chooses one, and then what was chosen, one thing at a time', async () => {
    const { db } = database;
    const account = await database.openAccount();
    expect(await readBranding(db, account)).toEqual(nothing);
    const named = await saveBranding(db, account, { displayName: '  Café Ölmütz ', colour: '#0A7D5A' }, now);
    expect(named).toEqual({ ...saved, displayName: 'Café Ölmütz', colour: '0a7d5a' });
    const pictured = await saveBranding(db, account, { logo: png, defaultLocale: 'pt-BR' }, now);
    expect(pictured).toMatchObject({ ...named, defaultLocale: 'pt-BR', logo: { width: 1, height: 1 } });
    expect(await readBranding(db, account)).toEqual(pictured);
    const bare = await saveBranding(db, account, { logo: null, colour: null }, now);
    expect(bare).toEqual({ ...saved, displayName: 'Café Ölmütz', defaultLocale: 'pt-BR' });
  });

  it('belongs to one account: its logo is found under no other', async () => {
    const { db } = database;
    const [mine, theirs] = [await database.openAccount(), await database.openAccount()];
    const { logo } = await saveBranding(db, mine, { logo: png }, now);
    const hash = logo?.sha256 ?? '';
    expect((await readLogo(db, mine, hash))?.contentType).toBe('image/png');
    expect(await readLogo(db, theirs, hash)).toBeUndefined();
    expect(await readLogo(db, mine, 'other')).toBeUndefined();
    expect(await readBranding(db, theirs)).toEqual(nothing);
  });

  it.each([
    [{ displayName: ' ' }, 'display_name'],
    [{ displayName: 'x'.repeat(101) }, 'display_name'],
    [{ displayName: 'two\nlines' }, 'display_name'],
    [{ colour: 'red' }, 'colour'],
    [{ colour: '#0a7d5' }, 'colour'],
    [{ colour: '#0a7d5a;}' }, 'colour'],
    [{ defaultLocale: 'german!' }, 'default_locale'],
  ])('is not changed by %o', async (changes, param) => {
    const { db } = database;
    const account = await database.openAccount();
    await expect(saveBranding(db, account, { colour: '123456', ...changes }, now)).rejects.toMatchObject({
      code: 'invalid_params',
      param,
    });
    expect(await readBranding(db, account)).toEqual(nothing);
  });
});
