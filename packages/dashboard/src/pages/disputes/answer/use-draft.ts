import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type ApiError, call, refreshAll, useChange } from '../../../api/calls.ts';
import { announce } from '../../../components/feedback/announcer.tsx';
import { after, now } from '../../../lib/browser/clock.ts';
import { useParam } from '../../../navigation/navigation.tsx';
import type { Detail } from './detail.ts';
import { changeOf, type Draft, draftFrom, emptyDraft, isSameDraft } from './draft.ts';
import { type Conflict, mergeDrafts, type Place, withTextAt } from './merge-drafts.ts';

/** The state of a draft in this tab. */
interface Work {
  readonly mine: Draft;
  /** The server's version that the draft is based on, and the content of that version. */
  readonly version: number;
  readonly base: Draft;
  /**
   * The drafts that were sent on top of this version. One of them may be stored although its response has not arrived.
   */
  readonly sent: readonly Draft[];
  /** Nothing is saved until these are resolved. */
  readonly conflicts: readonly Conflict[];
}

/** Unsaved work by dispute id, kept in memory so that a navigation does not lose it. */
const unsaved = new Map<string, Work>();

const isDirty = ({ mine, base }: Work): boolean => !isSameDraft(mine, base);

/** The text that was written for a dispute in this tab and never saved; undefined if there is none. */
export const unsavedDraft = (id: string): Draft | undefined => unsaved.get(id)?.mine;

export const forgetDraft = (id: string): void => void unsaved.delete(id);

/** The state after the server's draft has changed. */
function incorporate(work: Work, stored: Detail['draft']): Work {
  const version = stored?.version ?? 0;
  if (version <= work.version) return work;
  const theirs = draftFrom(stored);
  if (work.sent.some((one) => isSameDraft(theirs, one))) return withSaved(work, version, theirs);
  const { draft, conflicts } = mergeDrafts(work.base, work.mine, theirs);
  const older = work.conflicts.filter(({ place }) => conflicts.every((one) => one.place !== place));
  return { ...withSaved(work, version, theirs), mine: draft, conflicts: [...older, ...conflicts] };
}

/**
 * The state once the server has stored a newer version. The server refuses every other draft that was sent on top of
 * the older one.
 */
const withSaved = (work: Work, version: number, base: Draft): Work => ({ ...work, version, base, sent: [] });

const withSent = (work: Work, draft: Draft): Work =>
  work.sent.includes(draft) ? work : { ...work, sent: [...work.sent, draft] };

const nothing: Work = { mine: emptyDraft, version: 0, base: emptyDraft, sent: [], conflicts: [] };

const begin = (id: string, stored: Detail['draft']): Work => incorporate(unsaved.get(id) ?? nothing, stored);

/** The draft is saved this long after the last key press, and at the latest `maxMs` after the first one. */
const pauseMs = 1000;
const maxMs = 5000;
/** The interval between attempts while the server cannot be reached. */
const retryMs = 5000;

export type SavingState = 'saved' | 'saving' | 'conflict' | 'refused' | 'unreachable';

export interface SharedDraft {
  readonly draft: Draft;
  readonly change: (next: (draft: Draft) => Draft) => void;
  readonly state: SavingState;
  /** Why the server refused to store the draft. */
  readonly error: ApiError | null;
  readonly conflicts: readonly Conflict[];
  /** Resolves a conflict with this text. */
  readonly decide: (place: Place, text: string) => void;
  /** Discards unsaved work because the dispute was answered. */
  readonly drop: () => void;
}

/**
 * The draft of a dispute's answer. It is saved on the server while it is written, and merged with what colleagues
 * write.
 */
export function useSharedDraft({ dispute: { id }, draft: stored }: Detail): SharedDraft {
  const [work, setWork] = useState(() => begin(id, stored));
  const { error, ...saving } = useSaving(id, work, setWork);
  const by = stored?.edited_by;
  const newest = stored?.version ?? 0;
  useEffect(() => {
    setWork((present) => incorporate(present, stored));
  }, [stored]);
  useEffect(() => {
    if (newest > work.version && by !== undefined) announce(`${by} has changed this draft`);
  }, [newest, work.version, by]);

  const dirty = isDirty(work);
  const change = useCallback(
    (next: (draft: Draft) => Draft) => setWork((present) => ({ ...present, mine: next(present.mine) })),
    [],
  );
  useUnsavedWarning(dirty);
  return {
    draft: work.mine,
    change,
    state: stateOf(work, dirty, error),
    error,
    conflicts: work.conflicts,
    decide: (place, text) =>
      setWork((present) => ({
        ...present,
        mine: withTextAt(present.mine, place, text),
        conflicts: present.conflicts.filter((one) => one.place !== place),
      })),
    drop: saving.drop,
  };
}

function stateOf({ conflicts }: Work, dirty: boolean, error: ApiError | null): SavingState {
  if (conflicts.length > 0) return 'conflict';
  if (!dirty) return 'saved';
  if (error === null || error.status === 409) return 'saving';
  return isUnreachable(error) ? 'unreachable' : 'refused';
}

const isUnreachable = ({ status }: ApiError): boolean => status === 0 || status >= 500 || status === 429;

/** Saves the draft shortly after the last key press, and the rest when the person leaves the page. */
function useSaving(id: string, work: Work, setWork: (next: (present: Work) => Work) => void) {
  const account = useParam('account');
  const queries = useQueryClient();
  const { mutate, isPending, error } = useChange('saveDisputeDraft', ['listDisputes']);
  const latest = useRef(work);
  const dirtySince = useRef<number | null>(null);
  const refused = useRef<Draft | null>(null);
  const isDropped = useRef(false);
  latest.current = work;

  const dirty = isDirty(work);
  const mayRun = dirty && work.conflicts.length === 0 && !isPending && refused.current !== work.mine;
  useEffect(() => {
    if (isDropped.current) return;
    if (dirty) unsaved.set(id, latest.current);
    else unsaved.delete(id);
    dirtySince.current = dirty ? (dirtySince.current ?? now()) : null;
  });
  useEffect(() => {
    if (!mayRun) return undefined;
    const { mine, version } = work;
    const late = (dirtySince.current ?? now()) + maxMs - now();
    const wait = error !== null && isUnreachable(error) ? retryMs : Math.max(0, Math.min(pauseMs, late));
    const save = () => {
      dirtySince.current = now();
      setWork((present) => withSent(present, mine));
      mutate(
        { params: { id }, body: changeOf(mine, version) },
        {
          onSuccess(saved) {
            setWork((present) =>
              present.version < saved.version ? withSaved(present, saved.version, mine) : present,
            );
            cacheSaved(queries, { account, id }, saved);
          },
          onError(failure) {
            if (failure.status === 409) void refreshAll(queries, ['retrieveDispute']);
            else if (!isUnreachable(failure)) refused.current = mine;
          },
        },
      );
    };
    return after(wait, save);
  }, [mayRun, work, error, account, id, mutate, queries, setWork]);
  useEffect(
    () => () => {
      const left = latest.current;
      if (isDropped.current || !isDirty(left) || left.conflicts.length > 0) return;
      // Work that cannot be saved now is saved once the page is opened again.
      saveLeft(queries, { account, id }, left).catch(() => {});
    },
    [account, id, queries],
  );
  return {
    error,
    drop: () => {
      isDropped.current = true;
      unsaved.delete(id);
    },
  };
}

/** Saves unsaved work when the person leaves its page. */
async function saveLeft(
  queries: QueryClient,
  dispute: { readonly account: string; readonly id: string },
  work: Work,
): Promise<void> {
  const { account, id } = dispute;
  const { mine, version } = work;
  unsaved.set(id, withSent(work, mine));
  const body = changeOf(mine, version);
  const saved = await call('saveDisputeDraft', { account }, { params: { id }, body });
  const later = unsaved.get(id);
  // The page may have been opened, edited and left again meanwhile.
  if (later === undefined || isSameDraft(later.mine, mine)) unsaved.delete(id);
  else if (later.version < saved.version) unsaved.set(id, withSaved(later, saved.version, mine));
  cacheSaved(queries, dispute, saved);
}

/**
 * Updates the cache, so that a page that is opened again shows the saved draft and not the one that was loaded before.
 */
const cacheSaved = (
  queries: QueryClient,
  dispute: { readonly account: string; readonly id: string },
  draft: Detail['draft'],
): void =>
  void queries.setQueriesData<Detail>(
    { queryKey: ['retrieveDispute', dispute] },
    (shown) => shown && { ...shown, draft },
  );

/** Makes the browser ask before a page with unsaved work is closed. */
function useUnsavedWarning(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [dirty]);
}
