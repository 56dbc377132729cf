import { CornerDownLeft, Search } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { Icon } from '../../components/buttons/icon.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { cx } from '../../lib/class-names.ts';
import { useGo, usePaths } from '../../navigation/navigation.tsx';
import { type AccountPaths, settingsPages } from '../../navigation/paths.ts';
import { navigationOf } from '../../navigation/site-map.ts';
import { searchTargets } from './search-targets.ts';

interface Entry {
  readonly label: string;
  readonly to: string;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function pagesOf(paths: AccountPaths, sandbox: boolean): readonly Entry[] {
  const pages = navigationOf(paths, sandbox).flatMap(({ items }) => items);
  const settings = settingsPages.map((page) => ({
    label: `Settings: ${capital(page)}`,
    to: paths.settings(page),
  }));
  return [...pages.filter(({ label }) => label !== 'Settings'), ...settings];
}

/** The command palette: goes to a page by its name, and to a payment, customer or dispute by its id or a search. */
export function CommandPalette({
  open,
  onClose,
  sandbox,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly sandbox: boolean;
}) {
  return (
    <Dialog open={open} onClose={onClose} title="Search" size="md">
      <PaletteBody onClose={onClose} sandbox={sandbox} />
    </Dialog>
  );
}

function PaletteBody({ onClose, sandbox }: { readonly onClose: () => void; readonly sandbox: boolean }) {
  const paths = usePaths();
  const go = useGo();
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = text.trim().toLowerCase();
  const pages = pagesOf(paths, sandbox).filter(({ label }) => label.toLowerCase().includes(wanted));
  const entries = [...searchTargets(text, paths), ...pages];
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    go(entry.to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = (at + step + entries.length) % Math.max(1, entries.length);
    setAt(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        open(entries[at]);
      }}
    >
      <div className="relative">
        <span className="pointer-events-none absolute top-2.5 left-2.5 text-text-3">
          <Icon of={Search} />
        </span>
        <input
          type="text"
          role="combobox"
          aria-label="Page, id, reference or e-mail address"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={entries.length === 0 ? undefined : `${id}-${at}`}
          aria-autocomplete="list"
          placeholder="Page, id, reference or e-mail address"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          className="control pl-8.5"
        />
      </div>
      <Results id={id} entries={entries} at={at} onOpen={open} />
    </form>
  );
}

function Results({
  id,
  entries,
  at,
  onOpen,
}: {
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly at: number;
  readonly onOpen: (entry: Entry) => void;
}) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label="Results" className="mt-3 max-h-80 overflow-y-auto">
      {entries.map((entry, index) => (
        <div
          key={entry.to + entry.label}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onClick={() => onOpen(entry)}
          onKeyDown={({ key }) => key === 'Enter' && onOpen(entry)}
          className={cx(
            'flex min-h-9 cursor-pointer items-center justify-between gap-3 rounded-md px-2.5 py-1 [overflow-wrap:anywhere]',
            index === at ? 'bg-accent-soft text-accent' : 'hover:bg-hover',
          )}
        >
          {entry.label}
          {index === at && <Icon of={CornerDownLeft} />}
        </div>
      ))}
    </div>
  );
}
