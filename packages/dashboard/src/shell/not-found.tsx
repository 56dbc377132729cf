import { Compass } from 'lucide-react';
import type { Workspace } from '../api/session.ts';
import { ButtonLink } from '../components/buttons/button.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { usePageTitle } from '../components/layout/page-header.tsx';
import { useParam } from '../navigation/navigation.tsx';

/** Shown inside an account for a URL without a page. */
export function NotFound() {
  usePageTitle('Page not found');
  const account = useParam('account');
  return (
    <section className="pt-8">
      <h1 className="sr-only">Page not found</h1>
      <EmptyState
        icon={Compass}
        title="There is no page at this address"
        actions={<ButtonLink to={`/${account}`}>Go to the start</ButtonLink>}
      >
        Check the address for a typing error.
      </EmptyState>
    </section>
  );
}

/** Shown outside an account for a URL without a page. */
export const NotFoundOutside = () => (
  <main id="main">
    <NotFound />
  </main>
);

/** Shown if the URL names a workspace that the person cannot access, or if they have no workspace. */
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
