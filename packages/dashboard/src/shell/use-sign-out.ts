import { useChange } from '../api/calls.ts';
import { toastError } from '../components/feedback/toasts.tsx';
import { useGo } from '../navigation/navigation.tsx';
import { queries } from './providers.tsx';

/** Ends the session and clears all cached data. */
export function useSignOut(): () => void {
  const go = useGo();
  const signOut = useChange('deleteSession');
  return () =>
    signOut.mutate(
      {},
      {
        onSuccess() {
          go('/login');
          queries.clear();
        },
        onError: toastError,
      },
    );
}
