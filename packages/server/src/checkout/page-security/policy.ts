/** What the page's policy allows besides our own files. */
export interface Allowances {
  /** Origin of the bank's page that is shown in a frame. */
  readonly frame?: string;
  /** Origins of the processor's own card fields. */
  readonly fieldsFrom?: readonly string[];
  /** Whether the page is only shown in one of our frames. */
  readonly framed?: boolean;
}

export const reportPath = '/checkout/csp-reports';

/** The Content-Security-Policy of a page. */
export function contentSecurityPolicy({ frame, fieldsFrom = [], framed = false }: Allowances = {}): string {
  const theirs = fieldsFrom.map((origin) => ` ${origin}`).join('');
  const frames = [...(frame === undefined ? [] : ["'self'", frame]), ...fieldsFrom];
  return [
    "default-src 'none'",
    `script-src 'self'${theirs}`,
    `style-src 'self'${theirs}`,
    `img-src 'self'${theirs}`,
    `connect-src 'self'${theirs}`,
    ...(frames.length === 0 ? [] : [`frame-src ${frames.join(' ')}`]),
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${framed ? "'self'" : "'none'"}`,
    // The processor's SDK creates elements in ways that trusted types would block.
    ...(fieldsFrom.length > 0 ? [] : ["require-trusted-types-for 'script'", "trusted-types 'none'"]),
    `report-uri ${reportPath}`,
    'report-to checkout',
  ].join('; ');
}

/** The headers of every checkout page. */
export const pageHeaders = (allowances: Allowances = {}): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy(allowances),
  'reporting-endpoints': `checkout="${reportPath}"`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': allowances.framed === true ? 'SAMEORIGIN' : 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), display-capture=()',
  'x-robots-tag': 'noindex',
});
