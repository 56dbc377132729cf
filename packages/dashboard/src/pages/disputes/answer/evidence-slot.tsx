import { CircleCheck, CircleDashed, PenLine } from 'lucide-react';
import { useRef, useState } from 'react';
import { useChange } from '../../../api/calls.ts';
import { useProcessor } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { announce } from '../../../components/feedback/announcer.tsx';
import { ErrorText, Field } from '../../../components/forms/field.tsx';
import { FileButton } from '../../../components/forms/file-button.tsx';
import { Textarea } from '../../../components/forms/inputs.tsx';
import { type EvidenceType, evidenceText } from '../../../lib/wording/dispute-words.ts';
import type { EvidenceFile } from './detail.ts';
import { draftLimits, fileFault, isEmptySlot, type Slot } from './draft.ts';
import { FilePreview } from './file-preview.tsx';

/** One kind of evidence: its files and text, with controls to add more. */
export function EvidenceSlot({
  type,
  slot,
  onFile,
  onChange,
}: {
  readonly type: EvidenceType;
  readonly slot: Slot;
  /** Called after an upload. The caller adds the file to the latest state of the slot. */
  readonly onFile: (file: EvidenceFile) => void;
  readonly onChange: (slot: Slot) => void;
}) {
  const { title, hint } = evidenceText(type);
  const [writing, setWriting] = useState(slot.text !== '');
  const done = !isEmptySlot(slot);
  const item = useRef<HTMLLIElement>(null);
  return (
    <li ref={item} tabIndex={-1} className="flex gap-3 py-3.5 first:pt-0">
      <span className={done ? 'mt-0.5 text-good' : 'mt-0.5 text-text-3'}>
        <Icon of={done ? CircleCheck : CircleDashed} className="size-4.5" />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <div>
          <h3 className="font-medium">
            {title}
            <span className="sr-only">{done ? ' (added)' : ' (not added)'}</span>
          </h3>
          <p className="text-sm text-text-2">{hint}</p>
        </div>
        {slot.files.map((file) => (
          <FilePreview
            key={file.id}
            file={file}
            onRemove={() => {
              // The button that had the focus disappears.
              item.current?.focus();
              onChange({ ...slot, files: slot.files.filter(({ id }) => id !== file.id) });
              announce(`${file.name} removed`);
            }}
          />
        ))}
        {writing && (
          <Field label={`Words on ${title.toLowerCase()}`} quiet>
            <Textarea
              rows={3}
              // Focuses the field when a button has opened it, because that button disappears. A draft that has a text
              // shows the field from the start, without the focus.
              autoFocus={slot.text === ''}
              maxLength={draftLimits.textLength}
              value={slot.text}
              placeholder="What it shows, or the evidence itself in words"
              onChange={({ target }) => onChange({ ...slot, text: target.value })}
            />
          </Field>
        )}
        <div className="flex flex-wrap items-start gap-2">
          <Upload title={title} onFile={onFile} />
          {!writing && (
            <Button size="sm" icon={PenLine} onClick={() => setWriting(true)}>
              Add words
              <span className="sr-only"> on {title.toLowerCase()}</span>
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}

/** Uploads a file at once, so that submitting the defence takes less time. */
function Upload({
  title,
  onFile,
}: {
  readonly title: string;
  readonly onFile: (file: EvidenceFile) => void;
}) {
  const processor = useProcessor();
  const upload = useChange('uploadEvidence');
  const [fault, setFault] = useState<string>();
  const send = (file: File) => {
    const found = fileFault(file, processor);
    setFault(found);
    upload.reset();
    if (found !== undefined) return;
    announce(`Uploading ${file.name}`);
    upload.mutate(
      { file },
      {
        onSuccess(stored) {
          onFile(stored);
          announce(`${stored.name} uploaded`);
        },
      },
    );
  };
  const error = fault ?? upload.error?.message;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span>
        <FileButton
          label={upload.isPending ? 'Uploading…' : 'Add file'}
          of={title}
          accept="application/pdf,image/png,image/jpeg,.pdf,.png,.jpg,.jpeg"
          busy={upload.isPending}
          onFile={send}
        />
      </span>
      <div role="alert">{error !== undefined && <ErrorText>{error}</ErrorText>}</div>
    </div>
  );
}
