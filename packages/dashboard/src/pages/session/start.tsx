import { useEffect } from 'react';
import { useSession } from '../../api/session.ts';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { LoadingText } from '../../components/feedback/skeleton.tsx';
import { useGo } from '../../navigation/navigation.tsx';
import { SignInLayout } from './sign-in-layout.tsx';
import { firstPage } from './use-finish-sign-in.ts';

/** The page `/dashboard`, which leads to the workspace of the last visit. */
export function StartPage() {
  const { data, error } = useSession();
  const go = useGo();
  const to = data === undefined ? undefined : firstPage(data);
  useEffect(() => {
    if (to !== undefined && to !== '/') go(to, { replace: true });
  });
  if (error !== null && error.code !== 'not_signed_in') {
    return (
      <SignInLayout title="Dashboard">
        <ErrorState error={error} onRetry={() => location.reload()} />
      </SignInLayout>
    );
  }
  if (to !== '/') return <LoadingText of="the dashboard" />;
  return (
    <SignInLayout title="No workspace">
      <EmptyState title="You are not in any workspace">Ask an owner of a workspace to invite you.</EmptyState>
    </SignInLayout>
  );
}
