import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { ApiError } from '../api/calls.ts';
import { TooltipHost } from '../components/buttons/tooltip-host.tsx';
import { Announcer } from '../components/feedback/announcer.tsx';
import { ConnectionBanner } from '../components/feedback/connection-banner.tsx';
import { Toasts } from '../components/feedback/toasts.tsx';
import { ConfirmIdentity } from './confirm-identity.tsx';

/** A timed out query would time out again, and its retry would occupy the server. */
const worthAnotherTry = (tries: number, error: Error) =>
  tries < 2 &&
  error instanceof ApiError &&
  (error.status === 0 || error.status >= 500) &&
  error.code !== 'read_too_long';

/** The query cache, shared by all pages. */
export const queries = new QueryClient({
  defaultOptions: {
    // Without a connection they fail and say so, instead of waiting in silence.
    queries: { staleTime: 10_000, retry: worthAnotherTry, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

/** The root of every page, signed in or not. */
export function Providers() {
  return (
    <QueryClientProvider client={queries}>
      <ConnectionBanner />
      <Outlet />
      <ConfirmIdentity />
      <Announcer />
      <Toasts />
      <TooltipHost />
    </QueryClientProvider>
  );
}
