import type { ReactNode } from 'react';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { intoView } from '../../lib/browser/into-view.ts';
import { cx } from '../../lib/class-names.ts';
import { Link, usePathname, usePaths } from '../../navigation/navigation.tsx';
import { type SettingsPage as Page, settingsPages } from '../../navigation/paths.ts';

const titles: Readonly<Record<Page, string>> = {
  business: 'Business',
  branding: 'Branding',
  payments: 'Payments',
  connection: 'Connection',
  team: 'Team',
  security: 'Security',
  audit: 'Audit log',
  'go-live': 'Go live',
  environment: 'Environment',
};

/** A page of the settings: the navigation between all of them, and its own content. */
export function SettingsPage({
  page,
  description,
  actions,
  children,
}: {
  readonly page: Page;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const paths = usePaths();
  const here = usePathname();
  return (
    <>
      <nav
        aria-label="Settings"
        data-scrolls=""
        className="-mx-4 mb-5 overflow-x-auto border-b border-line px-4 sm:mx-0 sm:px-0"
      >
        <ul className="flex gap-1">
          {settingsPages.map((one) => (
            <li key={one} ref={one === page ? intoView : undefined}>
              <Link
                to={paths.settings(one)}
                aria-current={here === paths.settings(one) ? 'page' : undefined}
                className={cx(
                  '-mb-px block border-b-2 px-2.5 py-2 font-medium whitespace-nowrap -outline-offset-2',
                  one === page ? 'border-accent text-text' : 'border-transparent text-text-2 hover:text-text',
                )}
              >
                {titles[one]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <PageHeader title={titles[page]} description={description} actions={actions} />
      <div className="flex flex-col gap-5">{children}</div>
    </>
  );
}
