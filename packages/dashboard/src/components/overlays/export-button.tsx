import { Download } from 'lucide-react';
import { useState } from 'react';
import { lazyPart } from '../../navigation/lazy-part.tsx';
import { Button } from '../buttons/button.tsx';
import type { ExportProps, ListExport } from './export-dialog.tsx';

const ExportDialog = lazyPart(() => import('./export-dialog.tsx'), 'ExportDialog');

/** The button above a list that exports all its pages to a CSV file. */
export function ExportButton<K extends ListExport>(props: Omit<ExportProps<K>, 'onClose'>) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={Download} onClick={() => setOpen(true)}>
        Export
      </Button>
      <ExportDialog {...props} open={open} onClose={() => setOpen(false)} />
    </>
  );
}
