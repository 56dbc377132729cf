import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrast, palettes, themeRules } from './theme.ts';

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => value.toString(16).padStart(6, '0'));
const enough = 4.5;

describe('a shop’s colour', () => {
  it('always gives text that can be read, in light and in dark', () => {
    fc.assert(
      fc.property(colour, (chosen) => {
        const { light, dark } = palettes(chosen);
        for (const { accent, onAccent } of [light, dark]) {
          expect(contrast(accent, onAccent)).toBeGreaterThanOrEqual(enough);
        }
        expect(contrast(light.strong, 'ffffff')).toBeGreaterThanOrEqual(enough);
        expect(contrast(dark.strong, '1c1f27')).toBeGreaterThanOrEqual(enough);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['0b57d0', '0b57d0', 'ffffff'],
    ['ffd500', 'ffd500', '000000'],
    ['000000', '000000', 'ffffff'],
    ['ffffff', 'ffffff', '000000'],
  ])('%s stays on the button where it can: %s with %s', (chosen, accent, onAccent) => {
    expect(palettes(chosen).light).toMatchObject({ accent, onAccent });
  });

  it('that is a little too light for white is darkened, not more than needed', () => {
    const { accent, onAccent } = palettes('2e90fa').light;
    expect(onAccent).toBe('ffffff');
    expect(contrast(accent, onAccent)).toBeLessThan(5);
  });

  it('is measured as WCAG says', () => {
    expect(contrast('ffffff', '000000')).toBeCloseTo(21, 5);
    expect(contrast('777777', 'ffffff')).toBeCloseTo(4.48, 2);
  });

  it('becomes rules that hold nothing but colours', () => {
    expect(themeRules('0b57d0')).toMatch(
      /^:root\{--accent:#0b57d0;--on-accent:#ffffff;--strong:#[0-9a-f]{6}\}@media \(prefers-color-scheme:dark\)\{:root\{[^<>]*\}\}$/,
    );
  });
});
