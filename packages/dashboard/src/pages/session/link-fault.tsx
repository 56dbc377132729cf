import { Unlink } from 'lucide-react';
import type { ApiError } from '../../api/calls.ts';
import { ButtonLink } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { ErrorState } from '../../components/feedback/error-state.tsx';

/** Shown if the link of a mail does not work or could not be checked. */
export function LinkFault({
  error,
  onRetry,
  advice,
}: {
  readonly error: ApiError;
  readonly onRetry: () => void;
  /** Says how to get a new link. */
  readonly advice: string;
}) {
  if (error.status !== 404) {
    return (
      <ErrorState error={error} className="py-4" title="The link could not be checked" onRetry={onRetry} />
    );
  }
  return (
    <div role="alert">
      <EmptyState
        icon={Unlink}
        className="py-4"
        title="This link does not work any more"
        actions={<ButtonLink to="/login">Go to sign-in</ButtonLink>}
      >
        {advice}
      </EmptyState>
    </div>
  );
}
