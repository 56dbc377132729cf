import { CircleAlert, Lock, RotateCw } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { ApiError } from '../../api/client.ts';
import { cx } from '../../lib/class-names.ts';
import { Button } from '../buttons/button.tsx';
import { Icon } from '../buttons/icon.tsx';

/** An error as text: the message of the server, and the request id for support. */
export function ErrorText({ error }: { error: Error }) {
  const request = error instanceof ApiError ? error.requestId : undefined;
  return (
    <>
      {error.message}
      {request !== undefined && (
        <span className="mt-0.5 block text-xs text-text-3">
          Request <code className="font-mono">{request}</code>
        </span>
      )}
    </>
  );
}

/**
 * The error of a form, announced when it appears. Renders nothing if there is no error, if one of `fields` already
 * shows it, or if the person declined to give their password.
 */
export function ErrorNote({
  error,
  fields = [],
  className,
}: {
  readonly error?: Error | null | undefined;
  readonly fields?: readonly string[];
  readonly className?: string | undefined;
}) {
  const api = error instanceof ApiError ? error : undefined;
  // A person who closes the password dialog knows that nothing was done.
  const isElsewhere = fields.includes(api?.param ?? '') || api?.code === 'confirmation_required';
  const shown = error != null && !isElsewhere;
  const note = useRef<HTMLDivElement>(null);
  // The buttons of a dialog cover the end of its form, so the message is scrolled into view above them.
  useEffect(() => {
    if (shown) note.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  return (
    <div ref={note} role="alert" className={shown ? cx('scroll-mb-20', className) : 'absolute'}>
      {shown && (
        <div className="flex gap-2 rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
          <Icon of={CircleAlert} className="mt-0.5 size-4" />
          <div className="min-w-0 [overflow-wrap:anywhere]">
            <ErrorText error={error} />
          </div>
        </div>
      )}
    </div>
  );
}

/** The message for one field of a form, if the server's error names that field. */
export const fieldError = (error: Error | null | undefined, field: string): string | undefined =>
  error instanceof ApiError && error.param === field ? error.message : undefined;

/**
 * Shown for content that failed to load, with a retry button, and for content that the person's role does not allow.
 */
export function ErrorState({
  error,
  onRetry,
  title = 'This could not be loaded',
  children,
  className,
}: {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
  readonly title?: string;
  readonly children?: ReactNode;
  readonly className?: string;
}) {
  const refused = error instanceof ApiError && error.status === 403;
  return (
    <div role="alert" className={cx('flex flex-col items-center gap-2 px-4 py-10 text-center', className)}>
      <span
        className={cx(
          'grid size-10 place-items-center rounded-full',
          refused ? 'bg-sunken text-text-2' : 'bg-bad-soft text-bad',
        )}
      >
        <Icon of={refused ? Lock : CircleAlert} className="size-5" />
      </span>
      <p className="font-semibold">{refused ? 'You cannot see this' : title}</p>
      <div className="max-w-md text-text-2">
        <ErrorText error={error} />
      </div>
      {children}
      {onRetry !== undefined && !refused && (
        <Button icon={RotateCw} onClick={onRetry} className="mt-2">
          Try again
        </Button>
      )}
    </div>
  );
}
