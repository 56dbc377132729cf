import type { ProcessorTraits } from '@till/contract/dashboard';
import { useParam } from '../navigation/navigation.tsx';
import { type Answer, type ApiError, type OperationName, useCall } from './calls.ts';

export type Session = Answer<'retrieveSession'>;
export type Workspace = Session['accounts'][number];
export type WorkspaceDetails = Answer<'retrieveWorkspace'>;

/** The person who is signed in, and their workspaces. */
export const useSession = (): { readonly data: Session | undefined; readonly error: ApiError | null } =>
  useCall('retrieveSession');

/** The workspace of the page, with the operations that the person may perform in it. Undefined while it loads. */
export const useWorkspace = (): WorkspaceDetails | undefined => useCall('retrieveWorkspace').data;

/** The name and the features of the workspace's processor; undefined until they are loaded. */
export const useProcessor = (): ProcessorTraits | undefined => useWorkspace()?.processor_traits;

/** The workspace of the page, as it appears in the list of workspaces. */
export function useListedWorkspace(): Workspace | undefined {
  const account = useParam('account');
  return useSession().data?.accounts.find(({ id }) => id === account);
}

/**
 * Whether the person's role allows an operation in this workspace; false while that is unknown. The server decides:
 * this only hides buttons whose request it would refuse.
 */
export function useMay(): (name: OperationName) => boolean {
  const allowed = useWorkspace()?.allowed_operations ?? [];
  return (name) => allowed.includes(name);
}

/** The explanation on a button that the person's role does not allow; undefined if the role allows it. */
export function useRefusal(): (name: OperationName) => string | undefined {
  const may = useMay();
  const role = useWorkspace()?.role ?? 'present';
  return (name) => (may(name) ? undefined : `Your role (${role}) does not allow this.`);
}
