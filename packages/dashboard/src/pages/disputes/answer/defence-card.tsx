import { useQueryClient } from '@tanstack/react-query';
import { Plus, Send } from 'lucide-react';
import { useState } from 'react';
import { refreshAll } from '../../../api/calls.ts';
import { useProcessor, useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorText, Field } from '../../../components/forms/field.tsx';
import { Select, Textarea, TextInput } from '../../../components/forms/inputs.tsx';
import { Card } from '../../../components/layout/card.tsx';
import {
  disputeReason,
  type EvidenceType,
  evidenceText,
  evidenceTypes,
} from '../../../lib/wording/dispute-words.ts';
import { countText } from '../../../lib/wording/plural.ts';
import { DefendDialog } from './defend-dialog.tsx';
import type { Detail } from './detail.ts';
import { type Draft, draftLimits, faultOf, isEmptySlot, slotOf, takesPng, withSlot } from './draft.ts';
import { DraftConflicts } from './draft-conflicts.tsx';
import { DraftNote, SavingNote } from './draft-notes.tsx';
import { EvidenceSlot } from './evidence-slot.tsx';
import { ProposedEvidence } from './proposed-evidence.tsx';
import { useSharedDraft } from './use-draft.ts';

/** Collects evidence for a dispute and submits it. */
export function DefenceCard({ detail }: { readonly detail: Detail }) {
  const refusal = useRefusal()('defendDispute');
  if (refusal !== undefined) {
    return (
      <Card title="Defend the payment">
        <p className="text-text-2">{refusal} Owners, admins and support answer disputes.</p>
        <DraftNote draft={detail.draft} />
      </Card>
    );
  }
  return <DefenceForm detail={detail} />;
}

function DefenceForm({ detail }: { readonly detail: Detail }) {
  const { dispute } = detail;
  const queries = useQueryClient();
  const shared = useSharedDraft(detail);
  const { draft, change } = shared;
  const [tried, setTried] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const fault = faultOf(draft);
  const submit = () => {
    setTried(true);
    // The confirmation has to include what a colleague has added in the last seconds.
    void refreshAll(queries, ['retrieveDispute']);
    setConfirming(fault === undefined && shared.conflicts.length === 0);
  };
  return (
    <Card title="Defend the payment" description={disputeReason(dispute.reason).advice}>
      <div className="flex flex-col gap-5">
        <DraftConflicts shared={shared} by={detail.draft?.edited_by ?? 'A colleague'} />
        <Field
          label="Statement"
          hint={`To the issuer, in a few sentences: what was bought, what happened, what your evidence shows. ${countText(draftLimits.textLength - draft.statement.length)} characters left.`}
          optional
        >
          <Textarea
            rows={5}
            maxLength={draftLimits.textLength}
            value={draft.statement}
            onChange={({ target }) => change((present) => ({ ...present, statement: target.value }))}
          />
        </Field>
        <Evidence reason={dispute.reason} draft={draft} change={change} />
        <ProposedEvidence id={dispute.id} change={change} />
        <ReasonCode draft={draft} change={change} />
        <div className="-mx-4 border-t border-line px-4 pt-4 sm:-mx-5 sm:px-5">
          <p className="text-text-2">
            <b className="font-medium text-text">You can submit once</b> at this stage, and nothing can be
            added afterwards.
          </p>
          <SavingNote shared={shared} stored={detail.draft} />
          <div role="alert" className="mt-2">
            {tried && fault !== undefined && <ErrorText>{fault}</ErrorText>}
            {tried && shared.conflicts.length > 0 && (
              <ErrorText>Decide first which text stays, at the top of this form.</ErrorText>
            )}
          </div>
          <Button variant="primary" icon={Send} className="mt-2" onClick={submit}>
            Submit defence…
          </Button>
        </div>
      </div>
      <DefendDialog
        open={confirming && shared.conflicts.length === 0}
        onClose={() => setConfirming(false)}
        dispute={dispute}
        draft={draft}
        onSubmitted={shared.drop}
      />
    </Card>
  );
}

interface DraftProps {
  readonly draft: Draft;
  readonly change: (next: (draft: Draft) => Draft) => void;
}

/** The evidence that is recommended for this reason, as a checklist, followed by other kinds that were added. */
function Evidence({ reason, draft, change }: DraftProps & { readonly reason: string }) {
  const processor = useProcessor();
  const recommended = disputeReason(reason).evidence;
  const [added, setAdded] = useState<readonly EvidenceType[]>([]);
  const filled = evidenceTypes.filter((type) => !isEmptySlot(slotOf(draft, type)));
  const shown = [...new Set([...recommended, ...added, ...filled])];
  const others = evidenceTypes.filter((type) => !shown.includes(type));
  const complete = recommended.filter((type) => !isEmptySlot(slotOf(draft, type))).length;
  return (
    <section aria-labelledby="evidence-heading">
      <div className="mb-1 flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 id="evidence-heading" className="text-sm font-medium">
          Evidence
        </h3>
        <p className="text-sm text-text-3 tabular-nums">
          {complete} of {recommended.length} that help most for this reason
        </p>
      </div>
      <p className="mb-3 text-sm text-text-3">
        {takesPng(processor) ? 'PDF, PNG or JPEG' : 'PDF or JPEG'} files of up to 5 MB, 20 MB together.
        {processor?.few_evidence_files === true &&
          ' Your processor takes few of them: join pages into one PDF.'}
      </p>
      <ul className="divide-y divide-line border-t border-line pt-3.5">
        {shown.map((type) => (
          <EvidenceSlot
            key={type}
            type={type}
            slot={slotOf(draft, type)}
            onChange={(slot) => change((present) => withSlot(present, type, slot))}
            onFile={(file) =>
              change((present) => {
                const slot = slotOf(present, type);
                return withSlot(present, type, { ...slot, files: [...slot.files, file] });
              })
            }
          />
        ))}
      </ul>
      <AddKind key={others.length} others={others} onAdd={(type) => setAdded([...added, type])} />
    </section>
  );
}

/** Adds a kind of evidence that is not recommended for the reason. */
function AddKind({
  others,
  onAdd,
}: {
  readonly others: readonly EvidenceType[];
  readonly onAdd: (type: EvidenceType) => void;
}) {
  const [first = 'other'] = others;
  const [type, setType] = useState<EvidenceType>(first);
  if (others.length === 0) return null;
  return (
    <div className="mt-1 flex flex-wrap items-end gap-2 border-t border-line pt-3.5">
      <Field label="Other evidence" className="w-64 max-w-full">
        <Select
          value={type}
          onChange={({ target }) => setType(target.value as EvidenceType)}
          choices={others.map((value) => ({ value, label: evidenceText(value).title }))}
        />
      </Field>
      <Button icon={Plus} onClick={() => onAdd(type)}>
        Add
        <span className="sr-only"> this kind of evidence</span>
      </Button>
    </div>
  );
}

const ReasonCode = ({ draft, change }: DraftProps) => (
  <details>
    <summary className="w-fit rounded-sm text-sm font-medium text-text-2 hover:text-text">
      Defence reason of the processor
    </summary>
    <Field
      className="mt-3 max-w-md"
      label="Defence reason code"
      hint="Only where the processor asks for a particular one. Without it the first that fits is taken."
      optional
    >
      <TextInput
        maxLength={draftLimits.reasonCodeLength}
        value={draft.reasonCode}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => change((present) => ({ ...present, reasonCode: target.value }))}
      />
    </Field>
  </details>
);
