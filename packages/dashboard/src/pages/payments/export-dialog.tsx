import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { addressOf, type Query } from '../../api/calls.ts';
import { type DownloadProgress, download, saveFile } from '../../api/download.ts';
import { Button } from '../../components/buttons/button.tsx';
import { announce } from '../../components/feedback/announcer.tsx';
import { ErrorNote } from '../../components/feedback/error-state.tsx';
import { Progress } from '../../components/feedback/progress.tsx';
import { Dialog, DialogActions } from '../../components/overlays/dialog.tsx';
import { countOf } from '../../lib/wording/plural.ts';
import { useParam } from '../../navigation/navigation.tsx';

const number = new Intl.NumberFormat('en');
/** Lines of the file above the first payment. */
const headLines = 2;

type State =
  | { readonly kind: 'ready' }
  | { readonly kind: 'running'; readonly progress: DownloadProgress }
  | { readonly kind: 'done'; readonly rows: number }
  | { readonly kind: 'failed'; readonly error: Error };

interface Props {
  readonly onClose: () => void;
  /** The filters of the view. */
  readonly query: NonNullable<Query<'exportPayments'>>;
  /** The exact number of payments, where it is known. */
  readonly expected: number | undefined;
}

/** Exports all pages of the list into a CSV file. */
export function ExportDialog({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog open={open} onClose={props.onClose} title="Export payments">
      <ExportBody {...props} />
    </Dialog>
  );
}

const rowsOf = ({ lines }: DownloadProgress) => Math.max(0, lines - headLines);

/** Runs one download; closing the dialog aborts it. */
function useExport(query: Props['query']) {
  const account = useParam('account');
  const [state, setState] = useState<State>({ kind: 'ready' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const abort = new AbortController();
    running.current = abort;
    let latest: DownloadProgress = { bytes: 0, lines: 0 };
    setState({ kind: 'running', progress: latest });
    try {
      const file = await download(
        addressOf('exportPayments', { params: { account }, query }),
        (progress) => {
          latest = progress;
          setState({ kind: 'running', progress });
        },
        abort.signal,
      );
      saveFile(file, `payments-${account}.csv`);
      setState({ kind: 'done', rows: rowsOf(latest) });
      announce(`${countOf(rowsOf(latest), 'payment')} exported`);
    } catch (error) {
      if (abort.signal.aborted) return;
      setState({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    }
  };
  return { state, start: () => void start() };
}

function ExportBody({ onClose, query, expected }: Props) {
  const { state, start } = useExport(query);
  const filters = Object.entries(query).filter(([name]) => name !== 'sort');
  return (
    <>
      <p className="text-text-2">
        A CSV file of exactly what the list shows, all pages of it, newest first. Each amount stands in it
        twice: in the currency's unit and in minor units. Its first line names the filters.
      </p>
      <div className="mt-3 rounded-md bg-sunken px-3 py-2 text-sm">
        <p className="font-medium">{filters.length === 0 ? 'No filters: every payment' : 'Filters'}</p>
        {filters.length > 0 && (
          <ul className="mt-1 [overflow-wrap:anywhere] text-text-2">
            {filters.map(([name, value]) => (
              <li key={name}>
                <code className="font-mono">{name}</code> {String(value)}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className="mt-4 min-h-10">
        <Outcome state={state} expected={expected} />
      </div>
      <DialogActions>
        <Button onClick={onClose}>{state.kind === 'running' ? 'Cancel' : 'Close'}</Button>
        <Button icon={Download} variant="primary" busy={state.kind === 'running'} onClick={start}>
          {state.kind === 'done' ? 'Export again' : 'Export CSV'}
        </Button>
      </DialogActions>
    </>
  );
}

function Outcome({ state, expected }: { readonly state: State; readonly expected: number | undefined }) {
  switch (state.kind) {
    case 'ready':
      return expected !== undefined && <p>To be written: {countOf(expected, 'payment')}.</p>;
    case 'running': {
      const rows = rowsOf(state.progress);
      const text =
        expected === undefined
          ? `${number.format(rows)} written`
          : `${number.format(rows)} of ${number.format(expected)}`;
      return <Progress label="Payments" value={rows} max={expected ?? rows + 1000} text={text} />;
    }
    case 'done':
      return <p>Written: {countOf(state.rows, 'payment')}. The file is in your downloads.</p>;
    case 'failed':
      return <ErrorNote error={state.error} />;
  }
}
