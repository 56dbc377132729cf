import { CloudAlert, CloudCheck, CloudUpload } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { ErrorText } from '../../../components/forms/field.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { Time } from '../../../components/values/time.tsx';
import { countOf } from '../../../lib/wording/plural.ts';
import type { Detail } from './detail.ts';
import { forgetDraft, type SharedDraft, unsavedDraft } from './use-draft.ts';

/** For people who may only read the dispute: how far an answer is prepared, and by whom. */
export function DraftNote({ draft }: { readonly draft: Detail['draft'] }) {
  if (draft === null) return null;
  const files = draft.evidence.flatMap((item) => item.files).length;
  return (
    <p className="mt-2 [overflow-wrap:anywhere]">
      An answer is being prepared: {files === 0 ? 'no file yet' : countOf(files, 'file')}, last edited by{' '}
      {draft.edited_by} <Time at={draft.edited_at} />.
    </p>
  );
}

/** Says whether the draft is saved on the server, and who wrote last. */
export function SavingNote({
  shared: { state, error },
  stored,
}: {
  readonly shared: SharedDraft;
  readonly stored: Detail['draft'];
}) {
  switch (state) {
    case 'saving':
      return <Line icon={CloudUpload}>Saving…</Line>;
    case 'conflict':
      return <Line icon={CloudAlert}>Not saved until you have chosen which text stays.</Line>;
    case 'unreachable':
      return (
        <Line icon={CloudAlert}>
          Not saved: the server cannot be reached. What you wrote is kept in this tab and saved as soon as it
          answers.
        </Line>
      );
    case 'refused':
      return (
        <div role="alert" className="mt-2">
          <ErrorText>Not saved. {error?.message}</ErrorText>
        </div>
      );
    case 'saved':
      return (
        <Line icon={CloudCheck}>
          {stored === null ? (
            'Your draft is saved here while you write, and your colleagues see it.'
          ) : (
            <>
              Draft saved. Last edited by {stored.edited_by} <Time at={stored.edited_at} />.
            </>
          )}
        </Line>
      );
  }
}

const Line = ({ icon, children }: { readonly icon: typeof CloudCheck; readonly children: ReactNode }) => (
  <p className="mt-2 flex gap-2 text-sm text-text-2 [overflow-wrap:anywhere]">
    <Icon of={icon} className="mt-0.5 size-4" />
    <span>{children}</span>
  </p>
);

/** Shows text that was written here and not saved before somebody else answered the dispute. */
export function LeftOver({ id }: { readonly id: string }) {
  const [draft, setDraft] = useState(() => unsavedDraft(id));
  if (draft === undefined) return null;
  const texts = [draft.statement, ...Object.values(draft.slots).map(({ text }) => text)].filter(Boolean);
  if (texts.length === 0) return null;
  return (
    <Card title="Written here, but not sent">
      <p className="text-text-2">The dispute was answered or closed before this was saved.</p>
      {texts.map((text) => (
        <p
          key={text}
          className="mt-3 border-l-2 border-line-strong/50 pl-3 whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {text}
        </p>
      ))}
      <Button
        size="sm"
        className="mt-3"
        onClick={() => {
          forgetDraft(id);
          setDraft(undefined);
        }}
      >
        Remove it
      </Button>
    </Card>
  );
}
