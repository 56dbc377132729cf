import { LoaderCircle, Paperclip } from 'lucide-react';
import { useId } from 'react';
import { Icon } from '../buttons/icon.tsx';

/** A native file input that looks like a small button. It passes the file on as soon as the person chooses it. */
export function FileButton({
  label,
  of: what,
  accept,
  busy = false,
  unavailable,
  onFile,
}: {
  readonly label: string;
  /** What the file is for; screen readers read it after the label. */
  readonly of: string;
  readonly accept: string;
  /** An upload is in progress, so no other file can be chosen. */
  readonly busy?: boolean;
  /** Why the button is disabled. */
  readonly unavailable?: string | undefined;
  readonly onFile: (file: File) => void;
}) {
  const hint = useId();
  const stopped = busy || unavailable !== undefined;
  return (
    <span
      title={unavailable}
      className="relative inline-flex min-h-7 items-center gap-1.5 rounded-md border border-line-strong/60 bg-surface px-2 py-0.5 text-sm font-medium shadow-sm hover:bg-hover has-disabled:bg-sunken has-disabled:text-text-2 has-disabled:shadow-none has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus"
    >
      {busy ? <Icon of={LoaderCircle} className="size-4 animate-spin" /> : <Icon of={Paperclip} />}
      {label}
      <input
        type="file"
        aria-label={`${label}: ${what}`}
        aria-describedby={unavailable === undefined ? undefined : hint}
        accept={accept}
        disabled={stopped}
        className="absolute inset-0 w-full cursor-pointer opacity-0 file:hidden"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // Without this, choosing the same file again after its removal would not fire an event.
          target.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
      {unavailable !== undefined && (
        <span id={hint} hidden>
          {unavailable}
        </span>
      )}
    </span>
  );
}
