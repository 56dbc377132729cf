import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from '../components/error-state.tsx';

/** A page that broke while it was drawn, or whose file could not be loaded, for example after an update. */
export function PageFault({ error }: ErrorComponentProps) {
  return (
    <section className="pt-8">
      <h1 className="sr-only">This page does not work</h1>
      <ErrorState
        error={error instanceof Error ? error : new Error(String(error))}
        title="This page does not work"
        onRetry={() => location.reload()}
      />
    </section>
  );
}
