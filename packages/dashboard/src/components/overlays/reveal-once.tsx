import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../buttons/button.tsx';
import { Icon } from '../buttons/icon.tsx';
import { CopyButton } from '../values/copy-button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

/**
 * Shows a secret once. Only "I have saved it" closes it; the caller then drops the value, so that no copy remains in
 * the page. Pass `secret` as undefined if there is none.
 */
export function RevealOnce({
  title,
  what,
  secret,
  onSaved,
  children,
}: {
  readonly title: string;
  /** The name that the buttons use: "Secret key". */
  readonly what: string;
  readonly secret: string | undefined;
  readonly onSaved: () => void;
  readonly children?: ReactNode;
}) {
  return (
    <Dialog open={secret !== undefined} onClose={onSaved} title={title} size="md" dismissable={false}>
      <p className="flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
        <Icon of={TriangleAlert} className="mt-0.5 size-4" />
        <span>This is shown once. Save it now in a safe place: nobody can show it again.</span>
      </p>
      <pre className="mt-4 max-h-60 overflow-y-auto rounded-md border border-line bg-sunken p-3 font-mono text-base break-all whitespace-pre-wrap select-all">
        {secret}
      </pre>
      {children !== undefined && <div className="mt-3 text-text-2">{children}</div>}
      <DialogActions>
        <CopyButton text={secret ?? ''} what={what} label={`Copy ${what.toLowerCase()}`} />
        <Button variant="primary" onClick={onSaved}>
          I have saved it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
