import { describe, expect, it } from 'vitest';
import { runCrash } from './main.ts';
import type { Cycle } from './rounds/cycles.ts';

/** Kinds of rounds whose findings depend only on their random numbers. */
function rehearsal() {
  const lines: string[] = [];
  const draws: number[] = [];
  const sound: Cycle = async (_cleanUp, random) => {
    draws.push(random.below(1_000_000));
    return { flows: 3, struck: 2, findings: [], problems: [] };
  };
  const faulty: Cycle = async () => ({
    flows: 1,
    struck: 1,
    findings: [{ counter: 'event missing', detail: 'evt_1' }],
    problems: [],
  });
  const broken: Cycle = async () => {
    throw new Error('no database');
  };
  const run = (options: { cycle?: number; only?: string; seed?: number }) =>
    runCrash({
      minutes: 0,
      seed: 7,
      kinds: { sound, faulty, broken },
      print: (line) => lines.push(line),
      ...options,
    });
  return { lines, draws, run };
}

describe('a long run', () => {
  it('counts what its rounds find, and says how to see it again', async () => {
    const { lines, run } = rehearsal();
    expect(await run({ cycle: 0 })).toBe(0);
    expect(await run({ cycle: 1 })).toBe(1);
    expect(lines).toContain('    event missing: evt_1');
    expect(lines).toContain('    again: npm run crash -- --seed 7 --cycle 1');
    expect(lines.at(-1)).toBe('| all | 1 | 1 | 1 | 0 | 0 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |');
  });

  it('counts an aborted round as a fault', async () => {
    const { lines, run } = rehearsal();
    expect(await run({ cycle: 2 })).toBe(1);
    expect(lines.join('\n')).toContain('Error: no database');
  });

  it('draws the same numbers for a round alone, and others for another seed or round', async () => {
    const { draws, run } = rehearsal();
    await run({ cycle: 3 });
    await run({ cycle: 3 });
    await run({ cycle: 6 });
    await run({ cycle: 3, seed: 8 });
    expect(draws[0]).toBe(draws[1]);
    expect(new Set(draws).size).toBe(3);
  });

  it('refuses an unknown kind', async () => {
    const { run } = rehearsal();
    await expect(run({ only: 'unknown' })).rejects.toThrow('sound, faulty, broken');
  });
});
