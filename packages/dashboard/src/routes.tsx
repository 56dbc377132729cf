import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { base } from './navigation/paths.ts';
import { AccountShell } from './shell/account-shell.tsx';
import { NotFound, NotFoundOutside } from './shell/not-found.tsx';
import { PageFault, PagePending } from './shell/page-states.tsx';
import { Providers } from './shell/providers.tsx';

/** A page that is loaded on navigation, in a chunk of its own; `name` is its export. */
const lazy = <N extends string>(load: () => Promise<Record<N, RouteComponent>>, name: N) =>
  lazyRouteComponent(load, name) as RouteComponent;

const root = createRootRoute({ component: Providers, notFoundComponent: NotFoundOutside });
const account = createRoute({
  getParentRoute: () => root,
  path: '/$account',
  component: AccountShell,
  notFoundComponent: NotFound,
});

const outside = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component });
const inside = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => account, path, component });

const publicPages = [
  outside(
    '/',
    lazy(() => import('./pages/session/start.tsx'), 'StartPage'),
  ),
  outside(
    '/login',
    lazy(() => import('./pages/session/login.tsx'), 'LoginPage'),
  ),
  outside(
    '/setup/$token',
    lazy(() => import('./pages/session/setup.tsx'), 'SetupPage'),
  ),
  outside(
    '/invite/$token',
    lazy(() => import('./pages/session/invite.tsx'), 'InvitePage'),
  ),
];

const accountPages = [
  inside(
    '/',
    lazy(() => import('./pages/home/home.tsx'), 'HomePage'),
  ),
  inside(
    '/payments',
    lazy(() => import('./pages/payments/payments.tsx'), 'PaymentsPage'),
  ),
  inside(
    '/payments/$id',
    lazy(() => import('./pages/payments/payment/payment.tsx'), 'PaymentPage'),
  ),
  inside(
    '/refunds',
    lazy(() => import('./pages/refunds/refunds.tsx'), 'RefundsPage'),
  ),
  inside(
    '/customers',
    lazy(() => import('./pages/customers/customers.tsx'), 'CustomersPage'),
  ),
  inside(
    '/customers/$id',
    lazy(() => import('./pages/customers/customer.tsx'), 'CustomerPage'),
  ),
  inside(
    '/disputes',
    lazy(() => import('./pages/disputes/disputes.tsx'), 'DisputesPage'),
  ),
  inside(
    '/disputes/$id',
    lazy(() => import('./pages/disputes/dispute.tsx'), 'DisputePage'),
  ),
  inside(
    '/developers/keys',
    lazy(() => import('./pages/developers/keys/keys.tsx'), 'KeysPage'),
  ),
  inside(
    '/developers/webhooks',
    lazy(() => import('./pages/developers/webhooks/webhooks.tsx'), 'WebhooksPage'),
  ),
  inside(
    '/developers/webhooks/$id',
    lazy(() => import('./pages/developers/webhooks/webhook.tsx'), 'WebhookPage'),
  ),
  inside(
    '/developers/events',
    lazy(() => import('./pages/developers/events/events.tsx'), 'EventsPage'),
  ),
  inside(
    '/developers/logs',
    lazy(() => import('./pages/developers/logs/logs.tsx'), 'LogsPage'),
  ),
  inside(
    '/sandbox',
    lazy(() => import('./pages/sandbox/sandbox.tsx'), 'SandboxPage'),
  ),
  inside(
    '/mails',
    lazy(() => import('./pages/mails/mails.tsx'), 'MailsPage'),
  ),
  inside(
    '/settings/business',
    lazy(() => import('./pages/settings/business.tsx'), 'BusinessPage'),
  ),
  inside(
    '/settings/branding',
    lazy(() => import('./pages/settings/branding/branding.tsx'), 'BrandingPage'),
  ),
  inside(
    '/settings/payments',
    lazy(() => import('./pages/settings/payments/payments.tsx'), 'PaymentSettingsPage'),
  ),
  inside(
    '/settings/connection',
    lazy(() => import('./pages/settings/connection/connection.tsx'), 'ConnectionPage'),
  ),
  inside(
    '/settings/team',
    lazy(() => import('./pages/settings/team/team.tsx'), 'TeamPage'),
  ),
  inside(
    '/settings/security',
    lazy(() => import('./pages/settings/security/security.tsx'), 'SecurityPage'),
  ),
  inside(
    '/settings/audit',
    lazy(() => import('./pages/settings/audit/audit.tsx'), 'AuditPage'),
  ),
  inside(
    '/settings/environment',
    lazy(() => import('./pages/settings/environment/environment.tsx'), 'EnvironmentPage'),
  ),
];

/** The routes of the dashboard. Every page is a chunk of its own. */
export const router = createRouter({
  routeTree: root.addChildren([...publicPages, account.addChildren(accountPages)]),
  basepath: base,
  scrollRestoration: true,
  defaultErrorComponent: PageFault,
  defaultPendingComponent: PagePending,
  defaultNotFoundComponent: NotFound,
  // Query parameters are plain strings, as in the links of mails; nothing is parsed as JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === '' ? '' : `?${text}`;
  },
});
