import { CircleAlert, Lock, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import { cx } from '../../lib/class-names.ts';
import { Button } from '../buttons/button.tsx';
import { Icon } from '../buttons/icon.tsx';

/** What went wrong, for people: the server's message, and the number to give to support. */
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
 * The refusal of a form, read aloud when it appears. Nothing where there is no error or where `fields` shows it already
 * beside its field.
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
  const shown = error != null && !(error instanceof ApiError && fields.includes(error.param ?? ''));
  return (
    <div role="alert" className={shown ? className : 'absolute'}>
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

/** The message for one field of a form, if the server's refusal is about it. */
export const fieldError = (error: Error | null | undefined, field: string): string | undefined =>
  error instanceof ApiError && error.param === field ? error.message : undefined;

/** A part of a page that could not be loaded, with a way on; or one that the person's role does not show. */
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
