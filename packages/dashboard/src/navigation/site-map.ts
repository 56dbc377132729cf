import {
  Activity,
  BookOpenText,
  CreditCard,
  FlaskConical,
  House,
  KeyRound,
  Landmark,
  Link2,
  type LucideIcon,
  Mails,
  ScrollText,
  Settings,
  ShieldAlert,
  Undo2,
  UserCheck,
  Users,
  Webhook,
} from 'lucide-react';
import type { AccountPaths } from './paths.ts';

export interface NavItem {
  readonly label: string;
  readonly to: string;
  readonly icon: LucideIcon;
  /** Paths below this one belong to the item as well. */
  readonly covers?: string;
  /** The operation that the page starts with. The item is hidden from people who may not call it. */
  readonly needs?: string;
}

export interface NavGroup {
  readonly title?: string;
  readonly items: readonly NavItem[];
}

/** The pages of an account, as the sidebar and the search show them. */
export function navigationOf(paths: AccountPaths, sandbox: boolean): readonly NavGroup[] {
  const settings = paths.settings('business');
  const sandboxItems = [
    { label: 'Sandbox tools', to: paths.sandbox, icon: FlaskConical, needs: 'retrieveSandbox' },
    { label: 'Mail outbox', to: paths.mails, icon: Mails, needs: 'listMails' },
  ];
  return [
    {
      items: [
        { label: 'Home', to: paths.home, icon: House },
        { label: 'Payments', to: paths.payments, icon: CreditCard },
        { label: 'Refunds', to: paths.refunds, icon: Undo2 },
        { label: 'Payment links', to: paths.paymentLinks, icon: Link2 },
        { label: 'Customers', to: paths.customers, icon: Users },
        { label: 'Disputes', to: paths.disputes, icon: ShieldAlert },
        { label: 'Payouts', to: paths.payouts, icon: Landmark },
        { label: 'Approvals', to: paths.approvals, icon: UserCheck },
        { label: 'Ledger', to: paths.ledger, icon: BookOpenText },
      ],
    },
    {
      title: 'Developers',
      items: [
        { label: 'API keys', to: paths.keys, icon: KeyRound, needs: 'listApiKeys' },
        { label: 'Webhooks', to: paths.webhooks, icon: Webhook, needs: 'listWebhookEndpoints' },
        { label: 'Events', to: paths.events, icon: Activity },
        { label: 'Request logs', to: paths.logs, icon: ScrollText, needs: 'listRequestLogs' },
        ...(sandbox ? sandboxItems : sandboxItems.slice(1)),
      ],
    },
    {
      items: [{ label: 'Settings', to: settings, icon: Settings, covers: settings.replace(/business$/, '') }],
    },
  ];
}

/**
 * Whether an item is shown to a role. `needs` is the required operation; `allowed` is undefined while the role is
 * unknown.
 */
export const leadsTo = (needs: string | undefined, allowed: readonly string[] | undefined): boolean =>
  needs === undefined || allowed === undefined || allowed.includes(needs);

/** Whether a page belongs to an item of the navigation. */
export const isInside = (path: string, { to, covers }: NavItem, home: string): boolean =>
  to === home ? path.replace(/\/$/, '') === home : path === to || path.startsWith(covers ?? `${to}/`);
