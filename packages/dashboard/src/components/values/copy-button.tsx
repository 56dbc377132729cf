import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { after } from '../../lib/browser/clock.ts';
import { Button, type ButtonVariant, IconButton } from '../buttons/button.tsx';
import { announce } from '../feedback/announcer.tsx';
import { toast } from '../feedback/toasts.tsx';

function useCopy(text: string, what: string) {
  const [copied, setCopied] = useState(false);
  useEffect(() => (copied ? after(2000, () => setCopied(false)) : undefined), [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce(`${what} copied`);
    } catch {
      toast('The browser does not allow copying here. Select the text and copy it by hand.', 'bad');
    }
  };
  return { copied, copy: () => void copy() };
}

/** Copies a text and confirms it. `what` names the text: "Payment id". */
export function CopyButton({
  text,
  what,
  label,
  variant = 'secondary',
}: {
  readonly text: string;
  readonly what: string;
  /** Shown beside the icon; without it only the icon is shown. */
  readonly label?: ReactNode;
  readonly variant?: ButtonVariant;
}) {
  const { copied, copy } = useCopy(text, what);
  const icon = copied ? Check : Copy;
  if (label === undefined) {
    return <IconButton label={copied ? 'Copied' : `Copy ${what}`} icon={icon} size="sm" onClick={copy} />;
  }
  return (
    <Button icon={icon} variant={variant} onClick={copy}>
      {copied ? 'Copied' : label}
    </Button>
  );
}

/** An id in monospaced type with a button that copies it. */
export function CopyId({ id, what = 'id' }: { readonly id: string; readonly what?: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className="min-w-0 truncate font-mono text-sm text-text-2" title={id}>
        {id}
      </code>
      <CopyButton text={id} what={what} />
    </span>
  );
}
