import { type FormEvent, useState } from 'react';
import { newIdempotencyKey } from '../../../api/idempotency-key.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { language } from '../../../lib/amounts/language.ts';
import { formatMoney } from '../../../lib/amounts/money.ts';
import { evidenceText } from '../../../lib/wording/dispute-words.ts';
import { countOf } from '../../../lib/wording/plural.ts';
import { type Detail, refreshed } from './detail.ts';
import { type Draft, submissionOf } from './draft.ts';

interface Props {
  readonly onClose: () => void;
  readonly dispute: Detail['dispute'];
  readonly draft: Draft;
  readonly onSubmitted: () => void;
}

/** Asks for confirmation before evidence is submitted, because it can be submitted only once. */
export function DefendDialog({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog open={open} onClose={props.onClose} title="Submit this defence?">
      <DefendForm {...props} />
    </Dialog>
  );
}

function DefendForm({ onClose, dispute: { id, amount, currency }, draft, onSubmitted }: Props) {
  // One idempotency key per dialog, so that a double click sends one request.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const defend = useDialogChange('defendDispute', refreshed, { open: true, onClose });
  const body = submissionOf(draft);
  const kinds = [...new Set(body.evidence.map(({ type }) => type))];
  const files = body.evidence.filter(({ file }) => file !== undefined).length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    defend.send({ params: { id }, body, idempotencyKey }, (_, close) => {
      close();
      onSubmitted();
      toast('Your defence was submitted');
    });
  };
  return (
    <form onSubmit={submit}>
      <div className="space-y-3 text-text-2">
        <p>The payment of {formatMoney(amount, currency, language())} is defended with:</p>
        <ul className="list-disc space-y-1 pl-5">
          {body.statement !== undefined && <li>a statement</li>}
          {kinds.map((type) => (
            <li key={type}>{evidenceText(type).title}</li>
          ))}
        </ul>
        <p>
          {files === 0 ? 'No file is sent.' : `${countOf(files, 'file')} in all.`}{' '}
          <b className="font-semibold text-text">You can submit once:</b> nothing can be added or changed
          afterwards.
        </p>
      </div>
      <ErrorNote error={defend.error} className="mt-4" />
      <DialogActions>
        <Button onClick={onClose}>Go on collecting</Button>
        <Button type="submit" variant="primary" busy={defend.busy}>
          Submit defence
        </Button>
      </DialogActions>
    </form>
  );
}
