import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { addressOf, type OperationName, type Query } from '../../api/calls.ts';
import { type DownloadProgress, download, saveFile } from '../../api/download.ts';
import { countOf } from '../../lib/wording/plural.ts';
import { useParam } from '../../navigation/navigation.tsx';
import { Button } from '../buttons/button.tsx';
import { announce } from '../feedback/announcer.tsx';
import { ErrorNote } from '../feedback/error-state.tsx';
import { Progress } from '../feedback/progress.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

const number = new Intl.NumberFormat('en');
/** The number of header lines above the first row of the file. */
const headLines = 1;

type State =
  | { readonly kind: 'ready' }
  | { readonly kind: 'running'; readonly progress: DownloadProgress }
  | { readonly kind: 'done'; readonly rows: number }
  | { readonly kind: 'failed'; readonly error: Error };

export type ListExport = Extract<
  OperationName,
  'exportPayments' | 'exportRefunds' | 'exportDisputes' | 'exportPaymentLinks'
>;

export interface ExportProps<K extends ListExport> {
  readonly operation: K;
  /** What the list contains, in the singular: "payment". */
  readonly one: string;
  readonly onClose: () => void;
  readonly query: NonNullable<Query<K>>;
  /** The filters of the view in words. */
  readonly filters: readonly (readonly [label: string, words: string])[];
  /** The exact number of rows, if it is known. */
  readonly expected: number | undefined;
}

/** Exports all pages of a list to a CSV file. */
export const ExportDialog = <K extends ListExport>({
  open,
  ...props
}: ExportProps<K> & { readonly open: boolean }) => (
  <Dialog open={open} onClose={props.onClose} title={`Export ${props.one}s`}>
    <ExportBody {...props} />
  </Dialog>
);

const rowsOf = ({ lines }: DownloadProgress) => Math.max(0, lines - headLines);

/** Runs one download. Closing the dialog aborts it. */
function useExport<K extends ListExport>({ operation, one, query }: ExportProps<K>) {
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
        addressOf(operation, { params: { account }, query }),
        (progress) => {
          latest = progress;
          setState({ kind: 'running', progress });
        },
        abort.signal,
      );
      saveFile(file);
      setState({ kind: 'done', rows: rowsOf(latest) });
      announce(`${countOf(rowsOf(latest), one)} exported`);
    } catch (error) {
      if (abort.signal.aborted) return;
      setState({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    }
  };
  return { state, start: () => void start() };
}

function ExportBody<K extends ListExport>(props: ExportProps<K>) {
  const { one, onClose, filters, expected } = props;
  const { state, start } = useExport(props);
  return (
    <>
      <p className="text-text-2">
        A CSV file of everything that these filters match, all pages of it. Each amount stands in it twice: in
        the currency's unit and in minor units. Its first line names the columns; the last one of each line
        says the filters.
      </p>
      <div className="mt-3 rounded-md bg-sunken px-3 py-2 text-sm">
        <p className="font-medium">{filters.length === 0 ? `No filters: every ${one}` : 'Filters'}</p>
        {filters.length > 0 && (
          <ul className="mt-1 [overflow-wrap:anywhere] text-text-2">
            {filters.map(([label, words]) => (
              <li key={label}>
                {label}: {words}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className="mt-4 min-h-10">
        <Outcome state={state} one={one} expected={expected} />
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

function Outcome({
  state,
  one,
  expected,
}: {
  readonly state: State;
  readonly one: string;
  readonly expected: number | undefined;
}) {
  switch (state.kind) {
    case 'ready':
      return expected !== undefined && <p>To be written: {countOf(expected, one)}.</p>;
    case 'running': {
      const rows = rowsOf(state.progress);
      const text =
        expected === undefined
          ? `${number.format(rows)} written`
          : `${number.format(rows)} of ${number.format(expected)}`;
      return <Progress label="Rows" value={rows} max={expected ?? rows + 1000} text={text} />;
    }
    case 'done':
      return <p>Written: {countOf(state.rows, one)}. The file is in your downloads.</p>;
    case 'failed':
      return <ErrorNote error={state.error} />;
  }
}
