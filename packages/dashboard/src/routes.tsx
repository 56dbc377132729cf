import { createRootRoute, createRoute, createRouter, type RouteComponent } from '@tanstack/react-router';
import { lazyPage } from './navigation/lazy-page.tsx';
import { base } from './navigation/paths.ts';
import { AccountShell } from './shell/account-shell.tsx';
import { NotFound, NotFoundOutside } from './shell/not-found.tsx';
import { PageFault, PagePending } from './shell/page-states.tsx';
import { Providers } from './shell/providers.tsx';

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
    lazyPage(() => import('./pages/session/start.tsx'), 'StartPage'),
  ),
  outside(
    '/login',
    lazyPage(() => import('./pages/session/login.tsx'), 'LoginPage'),
  ),
  outside(
    '/setup/$token',
    lazyPage(() => import('./pages/session/setup.tsx'), 'SetupPage'),
  ),
  outside(
    '/invite/$token',
    lazyPage(() => import('./pages/session/invite.tsx'), 'InvitePage'),
  ),
];

const accountPages = [
  inside(
    '/',
    lazyPage(() => import('./pages/home/home.tsx'), 'HomePage'),
  ),
  inside(
    '/payments',
    lazyPage(() => import('./pages/payments/payments.tsx'), 'PaymentsPage'),
  ),
  inside(
    '/payments/$id',
    lazyPage(() => import('./pages/payments/payment/payment.tsx'), 'PaymentPage'),
  ),
  inside(
    '/refunds',
    lazyPage(() => import('./pages/refunds/refunds.tsx'), 'RefundsPage'),
  ),
  inside(
    '/payment-links',
    lazyPage(() => import('./pages/payment-links/payment-links.tsx'), 'PaymentLinksPage'),
  ),
  inside(
    '/payment-links/$id',
    lazyPage(() => import('./pages/payment-links/payment-link.tsx'), 'PaymentLinkPage'),
  ),
  inside(
    '/customers',
    lazyPage(() => import('./pages/customers/customers.tsx'), 'CustomersPage'),
  ),
  inside(
    '/customers/$id',
    lazyPage(() => import('./pages/customers/customer.tsx'), 'CustomerPage'),
  ),
  inside(
    '/disputes',
    lazyPage(() => import('./pages/disputes/disputes.tsx'), 'DisputesPage'),
  ),
  inside(
    '/disputes/$id',
    lazyPage(() => import('./pages/disputes/dispute.tsx'), 'DisputePage'),
  ),
  inside(
    '/payouts',
    lazyPage(() => import('./pages/payouts/payouts.tsx'), 'PayoutsPage'),
  ),
  inside(
    '/payouts/$id',
    lazyPage(() => import('./pages/payouts/payout.tsx'), 'PayoutPage'),
  ),
  inside(
    '/approvals',
    lazyPage(() => import('./pages/approvals/approvals.tsx'), 'ApprovalsPage'),
  ),
  inside(
    '/ledger',
    lazyPage(() => import('./pages/ledger/ledger.tsx'), 'LedgerPage'),
  ),
  inside(
    '/developers/keys',
    lazyPage(() => import('./pages/developers/keys/keys.tsx'), 'KeysPage'),
  ),
  inside(
    '/developers/webhooks',
    lazyPage(() => import('./pages/developers/webhooks/webhooks.tsx'), 'WebhooksPage'),
  ),
  inside(
    '/developers/webhooks/$id',
    lazyPage(() => import('./pages/developers/webhooks/webhook.tsx'), 'WebhookPage'),
  ),
  inside(
    '/developers/events',
    lazyPage(() => import('./pages/developers/events/events.tsx'), 'EventsPage'),
  ),
  inside(
    '/developers/logs',
    lazyPage(() => import('./pages/developers/logs/logs.tsx'), 'LogsPage'),
  ),
  inside(
    '/sandbox',
    lazyPage(() => import('./pages/sandbox/sandbox.tsx'), 'SandboxPage'),
  ),
  inside(
    '/mails',
    lazyPage(() => import('./pages/mails/mails.tsx'), 'MailsPage'),
  ),
  inside(
    '/settings/business',
    lazyPage(() => import('./pages/settings/business.tsx'), 'BusinessPage'),
  ),
  inside(
    '/settings/branding',
    lazyPage(() => import('./pages/settings/branding/branding.tsx'), 'BrandingPage'),
  ),
  inside(
    '/settings/payments',
    lazyPage(() => import('./pages/settings/payments/payments.tsx'), 'PaymentSettingsPage'),
  ),
  inside(
    '/settings/connection',
    lazyPage(() => import('./pages/settings/connection/connection.tsx'), 'ConnectionPage'),
  ),
  inside(
    '/settings/team',
    lazyPage(() => import('./pages/settings/team/team.tsx'), 'TeamPage'),
  ),
  inside(
    '/settings/security',
    lazyPage(() => import('./pages/settings/security/security.tsx'), 'SecurityPage'),
  ),
  inside(
    '/settings/audit',
    lazyPage(() => import('./pages/settings/audit/audit.tsx'), 'AuditPage'),
  ),
  inside(
    '/settings/go-live',
    lazyPage(() => import('./pages/settings/go-live/go-live.tsx'), 'GoLivePage'),
  ),
  inside(
    '/settings/environment',
    lazyPage(() => import('./pages/settings/environment/environment.tsx'), 'EnvironmentPage'),
  ),
];

/** The routes of the dashboard. Every page is in its own chunk. */
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
