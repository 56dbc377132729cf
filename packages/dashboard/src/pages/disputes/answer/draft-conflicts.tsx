import { GitMerge } from 'lucide-react';
import { Button } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { evidenceText } from '../../../lib/wording/dispute-words.ts';
import { type Place, textAt } from './merge-drafts.ts';
import type { SharedDraft } from './use-draft.ts';

const nameOf = (place: Place): string =>
  place === 'statement'
    ? 'the statement'
    : place === 'reasonCode'
      ? 'the defence reason code'
      : `the words on ${evidenceText(place).title.toLowerCase()}`;

/** Texts that a colleague has changed as well. Both versions are shown until the person chooses one. */
export function DraftConflicts({ shared, by }: { readonly shared: SharedDraft; readonly by: string }) {
  if (shared.conflicts.length === 0) return null;
  return (
    <section role="alert" className="rounded-lg border border-warn/40 bg-warn-soft px-4 py-3">
      <h3 className="flex items-center gap-2 font-semibold">
        <Icon of={GitMerge} className="size-4.5 text-warn" />
        You and {by} have written here at the same time
      </h3>
      <p className="mt-0.5 max-w-prose text-text-2">
        Nothing was overwritten. Choose which text stays; everything else is joined already.
      </p>
      <ul className="mt-3 flex flex-col gap-4">
        {shared.conflicts.map(({ place, theirs }) => (
          <li key={place} className="flex flex-col gap-2">
            <p className="font-medium">Theirs of {nameOf(place)}</p>
            <p className="border-l-2 border-line-strong/50 pl-3 whitespace-pre-wrap [overflow-wrap:anywhere]">
              {theirs === '' ? <span className="text-text-2">They removed it.</span> : theirs}
            </p>
            <span className="flex flex-wrap gap-2">
              <Button size="sm" onClick={() => shared.decide(place, textAt(shared.draft, place))}>
                Keep mine
                <span className="sr-only"> of {nameOf(place)}</span>
              </Button>
              <Button size="sm" onClick={() => shared.decide(place, theirs)}>
                Take theirs
                <span className="sr-only"> of {nameOf(place)}</span>
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
