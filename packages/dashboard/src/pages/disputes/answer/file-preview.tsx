import { Download, FileText, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { addressOf } from '../../../api/calls.ts';
import { IconButton } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { useParam } from '../../../navigation/navigation.tsx';
import type { EvidenceFile } from './detail.ts';

const kilobyte = 1024;

/** A file size as text: `812 kB`, `2.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < kilobyte) return `${bytes} bytes`;
  if (bytes < kilobyte * kilobyte) return `${Math.round(bytes / kilobyte)} kB`;
  return `${(bytes / kilobyte / kilobyte).toFixed(1)} MB`;
}

/** An uploaded file as it is stored: a picture as a thumbnail, a PDF by its name. */
export function FilePreview({
  file,
  onRemove,
}: {
  readonly file: EvidenceFile;
  readonly onRemove?: (() => void) | undefined;
}): ReactNode {
  const account = useParam('account');
  const address = addressOf('downloadFile', { params: { account, id: file.id } });
  const isPicture = file.content_type !== 'application/pdf';
  return (
    <div className="flex min-w-0 items-center gap-3 rounded-md border border-line bg-surface p-2">
      {isPicture ? (
        <img src={address} alt="" className="size-14 shrink-0 rounded-sm border border-line object-cover" />
      ) : (
        <span className="grid size-14 shrink-0 place-items-center rounded-sm bg-sunken text-text-2">
          <Icon of={FileText} className="size-6" />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <p dir="auto" className="truncate text-left font-medium" title={file.name}>
          {file.name}
        </p>
        <p className="text-sm text-text-3">
          {isPicture ? (file.content_type === 'image/png' ? 'PNG' : 'JPEG') : 'PDF'}, {sizeText(file.size)}
        </p>
      </div>
      <a
        href={address}
        download={file.name}
        className="inline-flex size-9 shrink-0 items-center justify-center rounded-md text-text-2 hover:bg-hover hover:text-text"
        aria-label={`Download ${file.name}`}
        title="Download"
      >
        <Icon of={Download} />
      </a>
      {onRemove !== undefined && <IconButton label={`Remove ${file.name}`} icon={X} onClick={onRemove} />}
    </div>
  );
}
