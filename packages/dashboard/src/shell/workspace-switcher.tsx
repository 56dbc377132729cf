import { Check, ChevronsUpDown } from 'lucide-react';
import { useSession, type Workspace } from '../api/session.ts';
import { Icon } from '../components/buttons/icon.tsx';
import { Menu, MenuItem, MenuLabel } from '../components/overlays/menu.tsx';
import { Badge } from '../components/values/badge.tsx';
import { remember } from '../lib/browser/storage.ts';
import { useGo } from '../navigation/navigation.tsx';

const EnvironmentBadge = ({ workspace }: { readonly workspace: Workspace }) => (
  <Badge tone={workspace.environment === 'sandbox' ? 'warn' : 'good'}>
    {workspace.environment === 'sandbox' ? 'Sandbox' : 'Live'}
  </Badge>
);

/** A square with the first letter of the name. */
const Mark = ({ name }: { readonly name: string }) => (
  <span
    aria-hidden="true"
    className="grid size-7 shrink-0 place-items-center rounded-md bg-accent-solid text-sm font-semibold text-white"
  >
    {(Array.from(name.trim())[0] ?? '?').toUpperCase()}
  </span>
);

/** The name of the current workspace, with a menu that switches to another one. */
export function WorkspaceSwitcher({
  workspace,
  onGo,
}: {
  readonly workspace: Workspace;
  readonly onGo: (() => void) | undefined;
}) {
  const go = useGo();
  const others = useSession().data?.accounts ?? [];
  return (
    <Menu
      align="start"
      className="w-64"
      button={
        <button
          type="button"
          className="flex min-h-12 w-full items-center gap-2.5 rounded-lg border border-line bg-surface px-2 py-1.5 text-left shadow-sm transition-colors hover:bg-hover"
        >
          <Mark name={workspace.name} />
          <span className="min-w-0 flex-1">
            <span className="sr-only">Workspace: </span>
            <span dir="auto" className="block truncate text-left font-semibold">
              {workspace.name}
            </span>
            <EnvironmentBadge workspace={workspace} />
          </span>
          <span className="text-text-3">
            <Icon of={ChevronsUpDown} />
          </span>
        </button>
      }
    >
      <MenuLabel>Workspaces</MenuLabel>
      {others.map((other) => (
        <MenuItem
          key={other.id}
          onSelect={() => {
            remember('workspace', other.id);
            onGo?.();
            go(`/${other.id}`);
          }}
        >
          <span className="flex items-center gap-2">
            <span dir="auto" className="min-w-0 flex-1 truncate text-left">
              {other.name}
            </span>
            <EnvironmentBadge workspace={other} />
            <span className="w-4">
              {other.id === workspace.id && (
                <>
                  <Icon of={Check} />
                  <span className="sr-only">this one</span>
                </>
              )}
            </span>
          </span>
        </MenuItem>
      ))}
    </Menu>
  );
}
