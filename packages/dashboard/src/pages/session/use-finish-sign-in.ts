import { useQueryClient } from '@tanstack/react-query';
import { cacheKey } from '../../api/calls.ts';
import type { Session } from '../../api/session.ts';
import { recall } from '../../lib/browser/storage.ts';
import { useGo } from '../../navigation/navigation.tsx';

/** The page to open: that of the last visited workspace, or else of the first one. */
export function firstPage(session: Session): string {
  const last = recall('workspace', '');
  const account = session.accounts.find(({ id }) => id === last) ?? session.accounts[0];
  return account === undefined ? '/' : `/${account.id}`;
}

/** Runs after sign-in: caches the session and opens the requested page. */
export function useFinishSignIn(): (session: Session, to?: string) => void {
  const queries = useQueryClient();
  const go = useGo();
  return (session, to) => {
    queries.clear();
    queries.setQueryData(cacheKey('retrieveSession'), session);
    go(to ?? firstPage(session), { replace: true });
  };
}
