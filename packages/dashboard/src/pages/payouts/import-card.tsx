import { useState } from 'react';
import { type Answer, useChange } from '../../api/calls.ts';
import { useProcessor, useRefusal } from '../../api/session.ts';
import { announce } from '../../components/feedback/announcer.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { ErrorText } from '../../components/forms/field.tsx';
import { FileButton } from '../../components/forms/file-button.tsx';
import { Card } from '../../components/layout/card.tsx';
import { countText } from '../../lib/wording/plural.ts';

type Imported = Answer<'importSettlementReport'>;

const maxUploaded = 8 * 1024 * 1024;
export const readAfterImport = ['listPayouts', 'retrievePayout', 'retrievePayment'] as const;

/** The result of an import, in one sentence. */
export function importedText(imported: Imported): string {
  const { repeated, payouts, matched, unmatched, newly_matched: newly, corrected } = imported;
  if (repeated) {
    const changed = newly === 0 ? 'Nothing changed.' : `${countText(newly)} more of its lines match now.`;
    return `This report was imported before. ${changed}`;
  }
  const many = payouts === 1 ? 'One payout' : `${countText(payouts)} payouts`;
  const changed = corrected === 0 ? '' : ` ${countText(corrected)} of them had another report before.`;
  return `${many}: ${countText(matched)} matched, ${countText(unmatched)} not.${changed}`;
}

/** Imports a settlement report of the processor. */
export function ImportCard() {
  const refusal = useRefusal();
  const report = useProcessor()?.settlement_report ?? 'settlement report';
  const upload = useChange('importSettlementReport', readAfterImport);
  const [fault, setFault] = useState<string>();
  const [done, setDone] = useState<Imported>();
  const send = (file: File) => {
    const tooLarge =
      file.size > maxUploaded
        ? 'This report is larger than 8 MB: import it with till settlements import.'
        : undefined;
    setFault(tooLarge);
    setDone(undefined);
    upload.reset();
    if (tooLarge !== undefined) return;
    announce(`Importing ${file.name}`);
    upload.mutate(
      { file },
      {
        onSuccess(answer) {
          setDone(answer);
          toast(answer.repeated ? 'Imported before' : 'Report imported');
        },
      },
    );
  };
  const error = fault ?? upload.error?.message;
  return (
    <Card
      title="Import a report"
      description={`The ${report} of your processor, as CSV. Imported again, lines are matched with what is known by now; a corrected one takes the place of the first.`}
    >
      <FileButton
        label={upload.isPending ? 'Importing…' : 'Choose a report'}
        of="CSV of the processor"
        accept=".csv,text/csv"
        busy={upload.isPending}
        unavailable={refusal('importSettlementReport')}
        onFile={send}
      />
      <div role="alert" className="mt-2 empty:mt-0">
        {error !== undefined && <ErrorText>{error}</ErrorText>}
      </div>
      {done !== undefined && <p className="mt-2">{importedText(done)}</p>}
    </Card>
  );
}
