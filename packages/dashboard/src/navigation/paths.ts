/** The path of the dashboard on the server. */
export const base = '/dashboard';

/** The URLs of the pages of an account, below `base`. */
export function accountPaths(account: string) {
  const below = (path: string) => `/${account}${path}`;
  const one = (folder: string) => (id: string) => below(`/${folder}/${encodeURIComponent(id)}`);
  return {
    home: below(''),
    payments: below('/payments'),
    payment: one('payments'),
    refunds: below('/refunds'),
    paymentLinks: below('/payment-links'),
    paymentLink: one('payment-links'),
    customers: below('/customers'),
    customer: one('customers'),
    disputes: below('/disputes'),
    dispute: one('disputes'),
    payouts: below('/payouts'),
    payout: one('payouts'),
    approvals: below('/approvals'),
    ledger: below('/ledger'),
    keys: below('/developers/keys'),
    webhooks: below('/developers/webhooks'),
    webhook: one('developers/webhooks'),
    events: below('/developers/events'),
    logs: below('/developers/logs'),
    sandbox: below('/sandbox'),
    mails: below('/mails'),
    settings: (page: SettingsPage) => below(`/settings/${page}`),
  } as const;
}

export type AccountPaths = ReturnType<typeof accountPaths>;

export const settingsPages = [
  'business',
  'branding',
  'payments',
  'connection',
  'team',
  'security',
  'audit',
  'go-live',
  'environment',
] as const;
export type SettingsPage = (typeof settingsPages)[number];

/** Adds query parameters to a path and skips empty ones. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(key, value);
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

/**
 * A return path inside the dashboard, or undefined for anything else, which prevents an open redirect after sign-in.
 */
export const safeReturn = (path: string | undefined): string | undefined =>
  path !== undefined && /^\/(?![/\\])[^\\]*$/.test(path) && !path.startsWith('/login') ? path : undefined;
