import { useSyncExternalStore } from 'react';
import { useWorkspace, type Workspace } from '../api/session.ts';
import { Icon } from '../components/buttons/icon.tsx';
import { preferences } from '../lib/browser/preferences.ts';
import { cx } from '../lib/class-names.ts';
import { Link, usePathname, usePaths } from '../navigation/navigation.tsx';
import { isInside, leadsTo, navigationOf } from '../navigation/site-map.ts';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

/** The navigation between the pages of the workspace, with the workspace switcher above it. */
export function Navigation({
  workspace,
  onGo,
}: {
  readonly workspace: Workspace;
  readonly onGo?: () => void;
}) {
  const paths = usePaths();
  const path = usePathname();
  const { density } = useSyncExternalStore(preferences.subscribe, preferences.get);
  const allowed = useWorkspace()?.allowed_operations;
  const groups = navigationOf(paths, workspace.environment === 'sandbox').map((group) => ({
    ...group,
    items: group.items.filter((item) => leadsTo(item.needs, allowed)),
  }));
  return (
    <div className="flex h-full flex-col gap-4">
      <WorkspaceSwitcher workspace={workspace} onGo={onGo} />
      <nav aria-label="Workspace" className="flex flex-1 flex-col gap-4">
        {groups.map((group) => (
          <div key={group.items[0]?.to}>
            {group.title !== undefined && (
              <p className="px-2.5 pb-1 text-xs font-medium text-text-3">{group.title}</p>
            )}
            <ul className="flex flex-col gap-px">
              {group.items.map((item) => {
                const here = isInside(path, item, paths.home);
                return (
                  <li key={item.to}>
                    <Link
                      to={item.to}
                      aria-current={here ? 'page' : undefined}
                      onClick={onGo}
                      className={cx(
                        'flex items-center gap-2.5 rounded-md px-2.5 font-medium transition-colors',
                        density === 'compact' ? 'min-h-7' : 'min-h-8.5',
                        here ? 'bg-accent-soft text-accent' : 'text-text-2 hover:bg-hover hover:text-text',
                      )}
                    >
                      <Icon of={item.icon} className="size-4.5" />
                      {item.label}
                    </Link>
                  </li>
                );
              })}
            </ul>
          </div>
        ))}
      </nav>
    </div>
  );
}
