import { dashboardApi, type SandboxTrigger } from '@till/contract/dashboard';
import { listOfPage, placeOfPage, rowsOfPage } from '../../lib/list.ts';
import { requireSandbox } from '../../sandbox-helpers/helpers.ts';
import type { DashboardApi } from '../api.ts';
import type { SandboxToolDependencies, Trigger } from './dependencies.ts';

/** Whether a trigger is a field of a payment. The trigger `note` belongs to a refund. */
const onPayment = ({ field }: Trigger['trigger']) => field !== 'note';

const present = ({ id, trigger, outcome, failure_code: failure }: Trigger): SandboxTrigger => ({
  id,
  ...trigger,
  outcome,
  failure_code: failure ?? null,
  on_payment: onPayment(trigger),
});

/** Whether a row contains every word of a search. */
function contains(
  { field, value, outcome, failure_code: failure }: SandboxTrigger,
  words: readonly string[],
) {
  const text = `${field} ${value} ${outcome} ${failure ?? ''}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The rows of the table of test cards and triggers that are about the account's processor. */
export function triggerRoutes(api: DashboardApi, { triggers }: SandboxToolDependencies): void {
  api.mount(
    dashboardApi.listTriggers,
    async ({ context, query }) => {
      const { q = '', field } = query;
      const place = placeOfPage(query, 50);
      // People type card numbers in groups of four.
      const typed = /^[\d\s]+$/.test(q) ? q.replaceAll(/\s/g, '') : q;
      const words = typed.toLowerCase().split(/\s+/);
      const rows = triggers
        .filter(({ processor }) => processor === context.processor)
        .map(present)
        .filter((row) => (field === undefined || row.field === field) && contains(row, words));
      return { status: 200, body: listOfPage(rowsOfPage(rows, place), rows.length, place) };
    },
    ({ context }) => requireSandbox(context),
  );
}
