import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files below the first of these take longest. */
const byLength = [
  'tests/crash/',
  'tests/fuzz/',
  'tests/browser/',
  'tests/operations/',
  'tests/acceptance/',
  'tests/',
];

function placeOf({ moduleId }: TestSpecification): number {
  const place = byLength.findIndex((folder) => moduleId.includes(`/${folder}`));
  return place === -1 ? byLength.length : place;
}

/** Begins with what takes longest, so that no worker is left alone with it at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
