import { Outlet } from '@tanstack/react-router';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { type CSSProperties, type ReactNode, useEffect, useMemo, useState } from 'react';
import { useListedWorkspace, useSession, useWorkspace, type Workspace } from '../api/session.ts';
import { Button, IconButton } from '../components/buttons/button.tsx';
import { DataAge } from '../components/feedback/data-age.tsx';
import { ErrorState } from '../components/feedback/error-state.tsx';
import { LoadingText } from '../components/feedback/skeleton.tsx';
import { clearToasts } from '../components/feedback/toasts.tsx';
import { TitleContext } from '../components/layout/page-header.tsx';
import { SideMenu } from '../components/overlays/dialog.tsx';
import { AccountClock, aheadText, useClockAhead } from '../components/values/account-clock.tsx';
import { showTimesIn } from '../lib/amounts/zone.ts';
import { now } from '../lib/browser/clock.ts';
import { remember } from '../lib/browser/storage.ts';
import { createTypeAhead } from '../lib/browser/type-ahead.ts';
import { lazyPart } from '../navigation/lazy-part.tsx';
import { useParam } from '../navigation/navigation.tsx';
import { commandKey, Kbd } from './kbd.tsx';
import { NoWorkspace } from './not-found.tsx';
import { ShopClock } from './shop-clock.tsx';
import { Navigation } from './sidebar.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import { useSignOut } from './use-sign-out.ts';
import { UserMenu } from './user-menu.tsx';

const CommandPalette = lazyPart(() => import('./palette/command-palette.tsx'), 'CommandPalette');
const HelpDialog = lazyPart(() => import('./help-dialog.tsx'), 'HelpDialog');

/** The overlay that is open over the page; at most one at a time. */
function useOverlay() {
  const [open, setOpen] = useState<'search' | 'help' | 'menu'>();
  const [typeAhead] = useState(createTypeAhead);
  const show = (what: typeof open) => {
    if (what === 'search') typeAhead.begin();
    setOpen(what);
  };
  return { open, show, close: () => setOpen(undefined), typeAhead };
}

/** The frame of an account's pages. */
export function AccountShell() {
  const { data, error } = useSession();
  const workspace = useListedWorkspace();
  if (workspace !== undefined) {
    showTimesIn(workspace.time_zone);
    // The key remounts everything when the zone changes, so that all times are formatted again.
    return <Frame key={workspace.time_zone} workspace={workspace} />;
  }
  if (data !== undefined) return <NoWorkspace accounts={data.accounts} />;
  if (error !== null && error.code !== 'not_signed_in') {
    return (
      <main>
        <h1 className="sr-only">Dashboard</h1>
        <ErrorState
          error={error}
          title="The dashboard could not be loaded"
          onRetry={() => location.reload()}
        />
      </main>
    );
  }
  return <LoadingText of="the dashboard" />;
}

function Frame({ workspace }: { readonly workspace: Workspace }) {
  const { open, show, close, typeAhead } = useOverlay();
  const signOut = useSignOut();
  const sandbox = workspace.environment === 'sandbox';
  const account = useParam('account');
  const title = useMemo(
    () => ({ prefix: sandbox ? '[Sandbox] ' : '', suffix: `${workspace.name} · Till` }),
    [sandbox, workspace.name],
  );
  useShortcuts(show, typeAhead);
  useEffect(() => {
    remember('workspace', account);
    return clearToasts;
  }, [account]);
  return (
    <TitleContext.Provider value={title}>
      <Clock>
        <div style={{ '--top': sandbox ? '5.25rem' : '3.25rem' } as CSSProperties}>
          <a
            href="#main"
            className="fixed top-2 left-2 z-70 -translate-y-16 rounded-md bg-accent-solid px-3 py-2 font-medium text-white focus:translate-y-0"
          >
            Skip to content
          </a>
          {sandbox && <SandboxBand name={workspace.name} />}
          <div className="lg:grid lg:grid-cols-[15.5rem_minmax(0,1fr)]">
            <aside
              aria-label="Navigation"
              data-no-print=""
              className={`sticky z-25 hidden overflow-y-auto border-r border-line px-3 py-3 lg:block ${sandbox ? 'top-8 h-[calc(100dvh-2rem)]' : 'top-0 h-dvh'}`}
            >
              <Navigation workspace={workspace} />
            </aside>
            <div className="min-w-0">
              <TopBar workspace={workspace} onOpen={show} />
              <main id="main" tabIndex={-1} className="mx-auto max-w-[84rem] px-4 pt-5 pb-16 sm:px-6 lg:px-8">
                <Outlet />
                <DataAge />
              </main>
            </div>
          </div>
          <SideMenu open={open === 'menu'} onClose={close} title="Menu">
            <Navigation workspace={workspace} onGo={close} />
          </SideMenu>
          <CommandPalette
            open={open === 'search'}
            onClose={close}
            onAct={(act) => (act === 'help' ? show('help') : signOut())}
            sandbox={sandbox}
            typeAhead={typeAhead}
          />
          <HelpDialog open={open === 'help'} onClose={close} />
        </div>
      </Clock>
    </TitleContext.Provider>
  );
}

/** Makes times relative to the account's clock, which a sandbox can move forward. */
function Clock({ children }: { readonly children: ReactNode }) {
  const time = useWorkspace()?.now;
  const ahead = useMemo(() => {
    const offset = time === undefined ? 0 : Date.parse(time) - now();
    // A difference below one minute is latency, not a clock that was moved.
    return Math.abs(offset) < 60_000 ? 0 : offset;
  }, [time]);
  return <AccountClock ahead={ahead}>{children}</AccountClock>;
}

/** Says that the workspace is a sandbox, and how far its clock is ahead. */
function SandboxBand({ name }: { readonly name: string }) {
  const ahead = useClockAhead();
  return (
    <aside
      aria-label="Sandbox"
      className="sticky top-0 z-30 flex h-8 items-center justify-center gap-x-1.5 bg-band px-3 text-sm font-medium text-band-text"
    >
      <b className="font-semibold">Sandbox</b>
      <span className="flex min-w-0 shrink-99 gap-x-1.5 max-sm:hidden">
        ·
        <span dir="auto" className="min-w-0 truncate">
          {name}
        </span>
      </span>
      <span className="min-w-0 truncate">
        · test data only
        <span className={ahead > 0 ? 'max-sm:hidden' : ''}>, no money moves</span>
        {ahead > 0 && ` · clock ${aheadText(ahead)}`}
      </span>
    </aside>
  );
}

function TopBar({
  workspace,
  onOpen,
}: {
  readonly workspace: Workspace;
  readonly onOpen: (what: 'search' | 'help' | 'menu') => void;
}) {
  return (
    <header
      data-no-print=""
      className={`sticky z-20 flex h-13 items-center gap-2 border-b border-line bg-bg/95 px-3 backdrop-blur-sm sm:px-6 lg:px-8 ${workspace.environment === 'sandbox' ? 'top-8' : 'top-0'}`}
    >
      <IconButton label="Menu" icon={MenuIcon} className="lg:hidden" onClick={() => onOpen('menu')} />
      <span dir="auto" className="min-w-0 truncate font-semibold lg:hidden">
        {workspace.name}
      </span>
      <Button
        icon={Search}
        onClick={() => onOpen('search')}
        className="ml-auto font-normal text-text-2 lg:ml-0 lg:w-80 lg:justify-start"
      >
        <span className="max-sm:sr-only lg:flex-1 lg:text-left">Search</span>
        <span aria-hidden="true" className="hidden gap-1 lg:flex">
          <Kbd>{commandKey()}</Kbd>
          <Kbd>K</Kbd>
        </span>
      </Button>
      <div className="flex items-center gap-2 lg:ml-auto">
        <ShopClock />
        <UserMenu onHelp={() => onOpen('help')} />
      </div>
    </header>
  );
}
