import { describe, expect, it } from 'vitest';
import { countryCodes, isCountry } from './countries.ts';

describe('isCountry', () => {
  it.each(['DE', 'US', 'CA', 'GB', 'SS', 'CW', 'SX', 'BQ', 'PS', 'TW', 'AQ', 'ZW'])('knows %s', (code) => {
    expect(isCountry(code)).toBe(true);
  });

  it.each(['UK', 'EU', 'XK', 'AN', 'ZZ', 'XX', 'SU', 'YU', 'DD', 'C2', 'IC', 'AC', 'UN'])(
    'does not know %s, which is reserved, withdrawn or for private use',
    (code) => {
      expect(isCountry(code)).toBe(false);
    },
  );

  it.each(['', 'de', 'D', 'DEU', ' DE', 'toString', '__proto__'])('does not know %j', (code) => {
    expect(isCountry(code)).toBe(false);
  });

  it('holds the 249 assigned codes in order', () => {
    expect(countryCodes).toHaveLength(249);
    expect(countryCodes).toEqual([...countryCodes].sort());
    for (const code of countryCodes) expect(code).toMatch(/^[A-Z]{2}$/);
  });
});
