import { withoutCardNumber } from '@till/contract/typed-card-number';
import { ArrowRight, ArrowRightLeft, Search, SquareArrowOutUpRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useCall } from '../../api/calls.ts';
import { useSession, useWorkspace } from '../../api/session.ts';
import { Icon } from '../../components/buttons/icon.tsx';
import { after } from '../../lib/browser/clock.ts';
import { useParam, usePaths } from '../../navigation/navigation.tsx';
import { type Command, commandsOf, findCommands } from './commands.ts';
import type { Entry, EntryGroup } from './entry.ts';
import { foundEntries } from './found.tsx';
import { searchTargets } from './search-targets.ts';

const waitMs = 150;
const minLetters = 2;

/** Debounces the text: returns it once the person has stopped typing for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => after(waitMs, () => setSettled(text)), [text]);
  return settled;
}

const plain = (key: string, label: string, target: Command['target'], icon: typeof Search): Entry => ({
  key,
  target,
  content: (
    <>
      <Icon of={icon} className="size-4 shrink-0 text-text-3" />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{label}</span>
    </>
  ),
});

const iconOf = ({ target }: Command) => ('href' in target ? SquareArrowOutUpRight : ArrowRight);

/**
 * The entries of the palette for a text: pages and actions, search results, other workspaces, and the lists to search.
 */
export function useEntries(
  typed: string,
  sandbox: boolean,
): { readonly groups: readonly EntryGroup[]; readonly isSearching: boolean } {
  const paths = usePaths();
  const account = useParam('account');
  const accounts = useSession().data?.accounts ?? [];
  const allowed = useWorkspace()?.allowed_operations;
  const { text } = withoutCardNumber(typed.trim());
  const settled = useSettled(text);
  const isLong = text.length >= minLetters;
  const search = useCall(
    'search',
    { query: { q: settled } },
    { enabled: isLong && settled.length >= minLetters },
  );
  const commands = findCommands(commandsOf(paths, sandbox, allowed), text);
  const wanted = text.toLowerCase();
  const others = accounts.filter(({ id, name }) => id !== account && name.toLowerCase().includes(wanted));
  const groups: EntryGroup[] = [
    {
      title: 'Pages and actions',
      entries: commands.map((one) => plain(one.label, one.label, one.target, iconOf(one))),
    },
    // Results for an earlier text are never shown, because Enter would open one of them.
    { title: 'Found', entries: isLong && settled === text ? foundEntries(search.data, paths, text) : [] },
    {
      title: 'Workspaces',
      entries: others.map(({ id, name, environment }) =>
        plain(id, `Switch to ${name} (${environment})`, { to: `/${id}` }, ArrowRightLeft),
      ),
    },
    {
      title: 'Search',
      entries: searchTargets(text, paths, allowed).map(({ label, to }) =>
        plain(label, label, { to }, Search),
      ),
    },
  ];
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isSearching: isLong && (settled !== text || search.isFetching),
  };
}
