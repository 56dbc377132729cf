import { useEffect, useRef } from 'react';
import { preferences } from '../lib/browser/preferences.ts';
import type { TypeAhead } from '../lib/browser/type-ahead.ts';
import { useGo, usePaths } from '../navigation/navigation.tsx';
import { createShortcuts } from './shortcuts.ts';

const writes = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Moves the focus to the next or previous row of the page's list. Enter then opens the row like any link. */
function moveRow(by: 1 | -1): void {
  const rows: (Element | null)[] = [...document.querySelectorAll<HTMLElement>('#main [data-row]')];
  const at = rows.indexOf(document.activeElement);
  const row = rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by];
  if (!(row instanceof HTMLElement)) return;
  row.focus();
  row.scrollIntoView({ block: 'nearest' });
}

/**
 * Listens for shortcuts while no text field has the focus and no dialog or menu is open.
 * @param onOpen called with undefined to cancel a dialog that is still loading
 */
export function useShortcuts(
  onOpen: (what: 'search' | 'help' | undefined) => void,
  typeAhead: TypeAhead,
): void {
  const go = useGo();
  const paths = usePaths();
  const latest = useRef({ go, paths, onOpen });
  latest.current = { go, paths, onOpen };
  useEffect(() => {
    const read = createShortcuts();
    const keepEarly = (event: KeyboardEvent) => {
      const kept = typeAhead.press(event);
      if (kept !== undefined) event.preventDefault();
      if (kept === 'cancelled') latest.current.onOpen(undefined);
      return kept !== undefined;
    };
    const listen = (event: KeyboardEvent) => {
      if (keepEarly(event)) return;
      const busy = document.querySelector('[data-modal], [role="menu"]') !== null;
      if (event.defaultPrevented || busy) return;
      const shortcut = read(event, preferences.get().letterKeys && !writes(event.target));
      if (shortcut === undefined) return;
      event.preventDefault();
      if (shortcut.kind === 'move') moveRow(shortcut.by);
      else if (shortcut.kind === 'go') latest.current.go(latest.current.paths[shortcut.page]);
      else latest.current.onOpen(shortcut.kind);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [typeAhead]);
}
