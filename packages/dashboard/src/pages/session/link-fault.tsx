import type { ApiError } from '../../api.ts';
import { ButtonLink } from '../../components/button.tsx';
import { ErrorState } from '../../components/error-state.tsx';

/** A link of a mail that does not work, or could not be checked. */
export function LinkFault({
  error,
  onRetry,
  advice,
}: {
  readonly error: ApiError;
  readonly onRetry: () => void;
  /** How to get a new link. */
  readonly advice: string;
}) {
  const dead = error.status === 404;
  return (
    <ErrorState
      error={error}
      className="py-4"
      title={dead ? 'This link does not work any more' : 'The link could not be checked'}
      onRetry={dead ? undefined : onRetry}
    >
      {dead && (
        <>
          <p className="max-w-md text-text-2">{advice}</p>
          <ButtonLink to="/login" className="mt-2">
            Go to sign-in
          </ButtonLink>
        </>
      )}
    </ErrorState>
  );
}
