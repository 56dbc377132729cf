import { type Counters, countFindings, type Finding } from './counters.ts';
import type { Unfinished } from './evidence.ts';
import type { Random } from './random.ts';
import { nameOfTrial, runTrial, type Trial } from './trial.ts';
import type { World } from './world.ts';

/** A trial with faults. */
export interface Failure {
  readonly trial: string;
  readonly findings: readonly Finding[];
  readonly unfinished: Unfinished | undefined;
}

export interface SweepResult {
  readonly trials: number;
  /** The number of servers that ended or stalled. */
  readonly deaths: number;
  /** The number of requests to processors that failed. */
  readonly broken: number;
  readonly counters: Counters;
  readonly failures: readonly Failure[];
}

/** Runs trials one after the other. */
export async function sweep(world: World, trials: readonly Trial[], random: Random): Promise<SweepResult> {
  const failures: Failure[] = [];
  let deaths = 0;
  let broken = 0;
  for (const trial of trials) {
    const result = await runTrial(world, trial, random);
    deaths += result.deaths;
    broken += result.broken;
    const { findings, unfinished } = result;
    if (findings.length > 0 || unfinished !== undefined) {
      failures.push({ trial: nameOfTrial(trial), findings, unfinished });
    }
  }
  const counters = countFindings(failures.flatMap(({ findings }) => findings));
  return { trials: trials.length, deaths, broken, counters, failures };
}
