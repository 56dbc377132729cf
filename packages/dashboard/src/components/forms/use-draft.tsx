import { Fragment, type ReactNode, useState } from 'react';
import { draftOf, isSame, rebased, type Values } from '../../lib/draft.ts';
import { Button } from '../buttons/button.tsx';

/**
 * The edits of a form over its saved values. When a colleague saves other values meanwhile, untouched fields take the
 * new values and edited fields keep their text.
 */
export function useDraft<T extends Values>(saved: T) {
  const [kept, setDraft] = useState(() => draftOf(saved));
  const draft = isSame(kept.base, saved) ? kept : rebased(kept, saved);
  if (draft !== kept) setDraft(draft);
  return {
    typed: draft.typed,
    set: (change: Partial<T>) => setDraft((now) => ({ ...now, typed: { ...now.typed, ...change } })),
    /**
     * The fields with unsaved edits that others have saved meanwhile, and a function that goes back to the saved
     * values.
     */
    changedMeanwhile: draft.changedMeanwhile.filter((name) => draft.typed[name] !== saved[name]),
    take: () => setDraft(draftOf(saved)),
  };
}

/**
 * Warns that saving the form would replace values that were saved meanwhile. It is always rendered, so that the warning
 * is announced.
 */
export const ConcurrentChanges = ({
  draft,
  labelOf,
}: {
  readonly draft: Pick<ReturnType<typeof useDraft<Values>>, 'changedMeanwhile' | 'take'>;
  readonly labelOf: (field: string) => ReactNode;
}) => (
  <div role="status" className={draft.changedMeanwhile.length === 0 ? 'sr-only' : undefined}>
    {draft.changedMeanwhile.length > 0 && (
      <div className="flex flex-col items-start gap-2 rounded-md bg-warn-soft px-3 py-2">
        <p>
          Changed meanwhile:{' '}
          {draft.changedMeanwhile.map((name, index) => (
            <Fragment key={name}>
              {index > 0 && ', '}
              <bdi>{labelOf(name)}</bdi>
            </Fragment>
          ))}
          . What you have entered is kept; saving it replaces that.
        </p>
        <Button size="sm" onClick={draft.take}>
          Take what is saved
        </Button>
      </div>
    )}
  </div>
);
