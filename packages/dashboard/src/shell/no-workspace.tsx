import { ButtonLink } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { usePageTitle } from '../components/page-header.tsx';
import type { Workspace } from '../session.tsx';

/** The address names a workspace that the person does not have, or they have none. */
export function NoWorkspace({ accounts }: { readonly accounts: readonly Workspace[] }) {
  usePageTitle('Workspace not found');
  return (
    <main id="main" className="mx-auto max-w-lg pt-16">
      <h1 className="sr-only">Workspace not found</h1>
      <EmptyState
        title={accounts.length === 0 ? 'You are not in any workspace' : 'This workspace is not yours'}
        actions={accounts.map(({ id, name }) => (
          <ButtonLink key={id} to={`/${id}`}>
            Go to {name}
          </ButtonLink>
        ))}
      >
        {accounts.length === 0
          ? 'Ask an owner of a workspace to invite you.'
          : 'It does not exist, or you are not a member of it.'}
      </EmptyState>
    </main>
  );
}
