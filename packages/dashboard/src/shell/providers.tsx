import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { ApiError } from '../api/calls.ts';
import { TooltipHost } from '../components/buttons/tooltip-host.tsx';
import { Announcer } from '../components/feedback/announcer.tsx';
import { ConnectionBanner } from '../components/feedback/connection-banner.tsx';
import { Toasts } from '../components/feedback/toasts.tsx';
import { ConfirmIdentity } from './confirm-identity.tsx';

/** A query that timed out would time out again, and its retry would load the server. */
const shouldRetry = (tries: number, error: Error) =>
  tries < 2 &&
  error instanceof ApiError &&
  (error.status === 0 || error.status >= 500) &&
  error.code !== 'read_too_long';

/** The query cache that all pages share. */
export const queries = new QueryClient({
  defaultOptions: {
    // Without a connection, queries fail visibly instead of waiting silently.
    queries: { staleTime: 10_000, retry: shouldRetry, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

/** The root of every page, before and after sign-in. */
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
