import { CornerDownLeft, Search } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { Icon } from '../../components/buttons/icon.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import type { TypeAhead } from '../../lib/browser/type-ahead.ts';
import { cx } from '../../lib/class-names.ts';
import { countOf } from '../../lib/wording/plural.ts';
import { useGo } from '../../navigation/navigation.tsx';
import type { Command } from './commands.ts';
import type { Entry, EntryGroup } from './entry.ts';
import { useEntries } from './use-entries.tsx';

type Act = Extract<Command['target'], { readonly act: string }>['act'];

interface Props {
  readonly onClose: () => void;
  readonly onAct: (act: Act) => void;
  readonly sandbox: boolean;
  /** The key presses from before the field existed. */
  readonly typeAhead: TypeAhead;
}

/**
 * The command palette: finds pages and actions by name, and payments, customers and disputes while the person types.
 */
export function CommandPalette({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog open={open} onClose={props.onClose} title="Search" size="md">
      <PaletteBody {...props} />
    </Dialog>
  );
}

const what = 'Page, action, id, reference, e-mail address or amount';

function PaletteBody({ onClose, onAct, sandbox, typeAhead }: Props) {
  const go = useGo();
  const id = useId();
  const [text, setText] = useState('');
  // Stored by key, so that later results do not move another entry into the selection.
  const [chosen, setChosen] = useState<string>();
  const { groups, isSearching } = useEntries(text, sandbox);
  const entries = groups.flatMap((group) => group.entries);
  const at = Math.max(
    0,
    entries.findIndex(({ key }) => key === chosen),
  );
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    const { target } = entry;
    if ('to' in target) go(target.to);
    else if ('href' in target) window.open(target.href, '_blank', 'noreferrer');
    else onAct(target.act);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || entries.length === 0) return;
    event.preventDefault();
    const next = (at + step + entries.length) % entries.length;
    setChosen(entries[next]?.key);
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
          aria-label={what}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={entries.length === 0 ? undefined : `${id}-${at}`}
          aria-autocomplete="list"
          placeholder={what}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(undefined);
          }}
          onFocus={() => setText(typeAhead.take() + text)}
          onKeyDown={onKeyDown}
          className="control pl-8.5"
        />
      </div>
      <p role="status" className="sr-only">
        {isSearching ? 'Searching' : countOf(entries.length, 'result')}
      </p>
      <Results id={id} groups={groups} at={at} onOpen={open} />
    </form>
  );
}

function Results({
  id,
  groups,
  at,
  onOpen,
}: {
  readonly id: string;
  readonly groups: readonly EntryGroup[];
  readonly at: number;
  readonly onOpen: (entry: Entry) => void;
}) {
  const starts = groups.map((_, index) =>
    groups.slice(0, index).reduce((sum, { entries }) => sum + entries.length, 0),
  );
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label="Results"
      className="mt-3 h-96 max-h-[55dvh] overflow-y-auto"
    >
      {groups.map(({ title, entries }, group) => (
        <div key={title} className="pb-2">
          <p aria-hidden="true" className="px-2.5 py-1 text-xs font-medium text-text-3">
            {title}
          </p>
          {entries.map((entry, index) => {
            const place = (starts[group] ?? 0) + index;
            return (
              <div
                key={entry.key}
                id={`${id}-${place}`}
                role="option"
                tabIndex={-1}
                aria-selected={place === at}
                onClick={() => onOpen(entry)}
                onKeyDown={({ key }) => key === 'Enter' && onOpen(entry)}
                className={cx(
                  'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1',
                  place === at ? 'bg-accent-soft' : 'hover:bg-hover',
                )}
              >
                {entry.content}
                <span className={cx('text-accent', place !== at && 'invisible')}>
                  <Icon of={CornerDownLeft} />
                </span>
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
