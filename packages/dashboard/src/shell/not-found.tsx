import { Compass } from 'lucide-react';
import { ButtonLink } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { useParam } from '../components/navigation.tsx';
import { usePageTitle } from '../components/page-header.tsx';

/** An address without a page, inside an account. */
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

/** The same where nothing surrounds the page. */
export const NotFoundOutside = () => (
  <main id="main">
    <NotFound />
  </main>
);
