import { Check } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/buttons/button.tsx';
import { Progress } from '../../components/feedback/progress.tsx';
import { Dialog, DialogActions } from '../../components/overlays/dialog.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { language } from '../../lib/amounts/language.ts';
import { formatMoney } from '../../lib/amounts/money.ts';
import { countOf } from '../../lib/wording/plural.ts';
import { Link, usePaths } from '../../navigation/navigation.tsx';
import type { ListedPayment } from './columns.tsx';
import { outcomeOf, useCaptures } from './use-captures.ts';

type Payment = ListedPayment['payment'];

const money = ({ amount, currency }: Pick<Payment, 'amount' | 'currency'>) =>
  formatMoney(amount, currency, language());

/** The sum in each currency: `€129.00 and $40.00`. */
function sumsOf(payments: readonly Payment[]): string {
  const sums = new Map<string, number>();
  for (const { amount, currency } of payments) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  const words = [...sums].map(([currency, amount]) => money({ amount, currency }));
  return new Intl.ListFormat(language()).format(words);
}

/** A column of checkboxes, for actions on several payments at once. */
export const selectColumn = (
  chosen: ReadonlySet<string>,
  onChoose: (ids: readonly string[], chosen: boolean) => void,
): Column<ListedPayment> => ({
  id: 'select',
  title: 'Select',
  quiet: true,
  card: 'before',
  className: 'w-px',
  cell: ({ payment }) => (
    <label className="relative z-1 grid size-6 place-items-center">
      <span className="sr-only">
        Select {money(payment)} {payment.reference ?? payment.id}
      </span>
      <input
        type="checkbox"
        className="size-4 accent-accent-solid"
        checked={chosen.has(payment.id)}
        onChange={(event) => onChoose([payment.id], event.target.checked)}
      />
    </label>
  ),
});

interface Choice {
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (ids: readonly string[], chosen: boolean) => void;
}

/**
 * Selects all holds of the page or none, and captures the selected ones.
 * @param holds undefined while the list is unknown; a dialog that is open stays then
 */
export function BulkCapture({
  holds,
  chosen,
  onChoose,
}: Choice & { readonly holds: readonly Payment[] | undefined }) {
  const [capturing, setCapturing] = useState<readonly Payment[]>();
  const close = () => {
    setCapturing(undefined);
    onChoose([...chosen], false);
  };
  return (
    <>
      {holds !== undefined && (
        <Selection holds={holds} chosen={chosen} onChoose={onChoose} onCapture={setCapturing} />
      )}
      <Dialog open={capturing !== undefined} onClose={close} title="Capture holds">
        {capturing !== undefined && <CaptureForm payments={capturing} onClose={close} />}
      </Dialog>
    </>
  );
}

function Selection({
  holds,
  chosen,
  onChoose,
  onCapture,
}: Choice & {
  readonly holds: readonly Payment[];
  readonly onCapture: (selected: readonly Payment[]) => void;
}) {
  const selected = holds.filter(({ id }) => chosen.has(id));
  const all = selected.length === holds.length;
  return (
    <>
      <Button
        size="sm"
        onClick={() =>
          onChoose(
            holds.map(({ id }) => id),
            !all,
          )
        }
      >
        {all ? 'Select none' : `Select all ${holds.length}`}
      </Button>
      <Button
        size="sm"
        variant="primary"
        icon={Check}
        unavailable={selected.length === 0 ? 'Select holds first.' : undefined}
        onClick={() => onCapture(selected)}
      >
        {selected.length === 0 ? 'Capture…' : `Capture ${selected.length}…`}
      </Button>
    </>
  );
}

function CaptureForm({
  payments,
  onClose,
}: {
  readonly payments: readonly Payment[];
  readonly onClose: () => void;
}) {
  const { results, isRunning, run } = useCaptures(payments);
  const bad = results.filter(({ problem }) => problem !== null);
  const waiting = results.filter(({ waits }) => waits).length;
  const isDone = results.length === payments.length;
  if (results.length === 0 && !isRunning) {
    return (
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p>
          {countOf(payments.length, 'hold')}, {sumsOf(payments)} in all, will be collected whole. A capture
          cannot be taken back: refund it if need be.
        </p>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary">
            Capture {sumsOf(payments)}
          </Button>
        </DialogActions>
      </form>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <Progress
        label="Captured"
        value={results.length}
        max={payments.length}
        text={`${results.length} of ${payments.length}`}
      />
      <p role="status">{isDone ? `${outcomeOf(results)}${bad.length === 0 ? '.' : ':'}` : 'Capturing…'}</p>
      <Problems results={bad} />
      {isDone && waiting > 0 && <Waiting count={waiting} />}
      <DialogActions>
        <Button
          variant="primary"
          unavailable={isDone ? undefined : 'Wait until it is done.'}
          onClick={onClose}
        >
          Close
        </Button>
      </DialogActions>
    </div>
  );
}

/** Says that some captures wait for the approval of somebody else. */
function Waiting({ count }: { readonly count: number }) {
  const paths = usePaths();
  return (
    <p role="status">
      Above what your role may do by itself:{' '}
      <Link to={paths.approvals}>{countOf(count, 'capture')} waiting for approval</Link>
    </p>
  );
}

function Problems({ results }: { readonly results: ReturnType<typeof useCaptures>['results'] }) {
  const paths = usePaths();
  if (results.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1.5">
      {results.map(({ payment, problem }) => (
        <li key={payment.id} className="[overflow-wrap:anywhere]">
          <Link to={paths.payment(payment.id)}>{money(payment)}</Link>{' '}
          <span className="text-text-2">
            {payment.reference}: {problem}
          </span>
        </li>
      ))}
    </ul>
  );
}
