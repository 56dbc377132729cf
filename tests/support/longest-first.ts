import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Parts of file paths, the slowest tests first. Tests that mainly wait, for a lease or a restart, alternate
 * with those that mainly compute, as browsers do.
 */
const byLength = [
  'tests/crash/',
  'tests/browser/docs.test',
  'tests/acceptance/processors/recovery.test',
  'tests/browser/dashboard-pages.test',
  'tests/operations/killed-moves.test',
  'tests/browser/checkout-accessibility.test',
  'tests/operations/cell',
  'tests/operations/quickstart.test',
  'tests/operations/two-processes.test',
  'failing-receiver.test',
  'payments/in-doubt-model.test',
  'store/reach/leader.test',
  'store/embedded/',
  'operations/model.test',
  'tests/operations/tenants.test',
  'users/sign-in/sign-in.test',
  'tests/fuzz/',
  'tests/operations/vault.test',
  'tests/third-processor/',
  'tests/browser/dashboard-developers',
  'tests/operations/connections.test',
  'tests/browser/dashboard-p',
  'tests/operations/start.test',
  'tests/browser/dashboard-',
  'tests/failover/',
  'tests/browser/',
  'delivery/connect.test',
  'tests/operations/',
  'fair-sweeps.test',
  'tests/acceptance/',
  'tests/',
];

function placeOf({ moduleId }: TestSpecification): number {
  const place = byLength.findIndex((part) => moduleId.includes(`/${part}`));
  return place === -1 ? byLength.length : place;
}

/** Starts the slowest test files first, so that none of them runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
