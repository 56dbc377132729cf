import { FileText } from 'lucide-react';
import { useState } from 'react';
import { useCall } from '../../../api/calls.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote, ErrorState } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { type Draft, slotOf, withSlot } from './draft.ts';

interface Props {
  readonly id: string;
  readonly change: (next: (draft: Draft) => Draft) => void;
}

/** Offers the recorded facts about the payment as one document for the issuer. */
export function ProposedEvidence(props: Props) {
  const [open, setOpen] = useState(false);
  return (
    <section
      aria-labelledby="record-heading"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md border border-line bg-sunken/50 px-3 py-2.5"
    >
      <div className="min-w-0">
        <h3 id="record-heading" className="font-medium">
          What Till has on record
        </h3>
        <p className="text-sm text-text-2">
          Receipt, buyer, 3-D Secure, notices to your server and earlier payments, as one PDF.
        </p>
      </div>
      <Button icon={FileText} onClick={() => setOpen(true)}>
        Look and attach…
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="What Till has on record" size="lg">
        <Record {...props} onClose={() => setOpen(false)} />
      </Dialog>
    </section>
  );
}

function Record({ id, change, onClose }: Props & { readonly onClose: () => void }) {
  const { data, error, refetch } = useCall('retrieveProposedEvidence', { params: { id } });
  const file = useDialogChange('fileProposedEvidence', [], { open: true, onClose });
  const attach = () =>
    file.send({ params: { id } }, (stored, close) => {
      change((draft) => {
        const slot = slotOf(draft, 'receipt');
        return withSlot(draft, 'receipt', { ...slot, files: [...slot.files, stored] });
      });
      close();
      toast('The document was added under “Receipt or invoice”');
    });
  if (data === undefined) {
    return error === null ? (
      <SkeletonLines of="what is on record" lines={6} />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  }
  return (
    <>
      <p className="text-text-2">
        Read it before you attach it: the issuer, and through them the buyer, sees all of it.
      </p>
      {data.sections.map(({ title, facts }) => (
        <section key={title} className="mt-4">
          <h3 className="font-semibold">{title}</h3>
          <dl className="mt-1 grid grid-cols-1 gap-x-4 gap-y-1 sm:grid-cols-[11rem_minmax(0,1fr)]">
            {facts.map(({ name, value }, index) => (
              <div key={`${name} ${String(index)}`} className="contents">
                <dt className="text-text-2">{name}</dt>
                <dd className="mb-1 [overflow-wrap:anywhere] sm:mb-0">{value}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <ErrorNote error={file.error} className="mt-4" />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button variant="primary" busy={file.busy} onClick={attach}>
          Attach as PDF
        </Button>
      </DialogActions>
    </>
  );
}
