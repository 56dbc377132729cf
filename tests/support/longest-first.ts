import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Parts of the paths of files, those that take longest first. */
const byLength = [
  'tests/crash/',
  'tests/browser/docs.test',
  'tests/browser/dashboard-pages.test',
  'tests/operations/killed-moves.test',
  'tests/browser/checkout-accessibility.test',
  'tests/operations/cell',
  'tests/operations/quickstart.test',
  'failing-receiver.test',
  'payments/in-doubt-model.test',
  'store/embedded/',
  'operations/model.test',
  'tests/operations/tenants.test',
  'users/sign-in/sign-in.test',
  'tests/fuzz/',
  'tests/third-processor/',
  'tests/browser/',
  'tests/operations/',
  'fair-sweeps.test',
  'tests/acceptance/',
  'tests/',
];

function placeOf({ moduleId }: TestSpecification): number {
  const place = byLength.findIndex((part) => moduleId.includes(`/${part}`));
  return place === -1 ? byLength.length : place;
}

/** Begins with what takes longest, so that no worker is left alone with it at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
