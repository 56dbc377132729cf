import type { ProcessorTraits } from '@till/contract/dashboard';
import { useParam } from '../navigation/navigation.tsx';
import { type Answer, type ApiError, type OperationName, useCall } from './calls.ts';

export type Session = Answer<'retrieveSession'>;
export type Workspace = Session['accounts'][number];
export type WorkspaceDetails = Answer<'retrieveWorkspace'>;

/** Who is signed in, and the workspaces they have. */
export const useSession = (): { readonly data: Session | undefined; readonly error: ApiError | null } =>
  useCall('retrieveSession');

/** The workspace of the page, with what the person may do in it. Undefined while it loads. */
export const useWorkspace = (): WorkspaceDetails | undefined => useCall('retrieveWorkspace').data;

/** What is known of the workspace's processor; undefined until it is loaded. */
export const useProcessor = (): ProcessorTraits | undefined => useWorkspace()?.processor_traits;

/** The workspace of the page as the list of workspaces shows it. */
export function useListedWorkspace(): Workspace | undefined {
  const account = useParam('account');
  return useSession().data?.accounts.find(({ id }) => id === account);
}

/**
 * Whether the person's role allows an operation in this workspace. The server decides; this only spares people buttons
 * that would be refused. False while it is not known.
 */
export function useMay(): (name: OperationName) => boolean {
  const allowed = useWorkspace()?.allowed_operations ?? [];
  return (name) => allowed.includes(name);
}

/** The sentence for a button that the person's role does not allow; undefined where it does. */
export function useRefusal(): (name: OperationName) => string | undefined {
  const may = useMay();
  const role = useWorkspace()?.role ?? 'present';
  return (name) => (may(name) ? undefined : `Your role (${role}) does not allow this.`);
}
