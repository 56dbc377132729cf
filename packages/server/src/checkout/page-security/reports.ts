import { parseUrl } from '../../lib/web/url.ts';

const maxReportLength = 16_384;
const maxPerMinute = 60;
const minuteMs = 60_000;

interface Violation {
  readonly directive: string;
  readonly blocked: string;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** The origin of a blocked address. Its path and query are dropped, since they may hold anything. */
function placeOf(value: unknown): string {
  if (typeof value !== 'string') return 'unknown';
  const url = parseUrl(value);
  return url === undefined || url.origin === 'null'
    ? value.replaceAll(/[^a-z-]/g, '').slice(0, 40)
    : url.origin;
}

const nameOf = (value: unknown) =>
  String(value)
    .replaceAll(/[^a-z-]/g, '')
    .slice(0, 40);

/** Parses browsers' reports in the old format and in that of the Reporting API (CSP Level 3, 5). */
function readReports(body: Buffer): Violation[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    return [];
  }
  const old = fieldsIn(fieldsIn(parsed)['csp-report']);
  const entries = Array.isArray(parsed)
    ? parsed.map(fieldsIn).filter(({ type }) => type === 'csp-violation')
    : [];
  return [
    ...(old['violated-directive'] === undefined
      ? []
      : [
          {
            directive: nameOf(old['effective-directive'] ?? old['violated-directive']),
            blocked: placeOf(old['blocked-uri']),
          },
        ]),
    ...entries
      .map(({ body: report }) => fieldsIn(report))
      .map((report) => ({
        directive: nameOf(report.effectiveDirective),
        blocked: placeOf(report.blockedURL),
      })),
  ];
}

/**
 * Takes reports of policy violations, at most 60 a minute, since anybody can send some.
 * @param elapsed milliseconds of a monotonic clock
 */
export function reportIntake(
  elapsed: () => number,
  report: (directive: string, blocked: string) => void,
): (body: Buffer) => void {
  let began = elapsed();
  let reported = 0;
  return (body) => {
    if (body.length > maxReportLength) return;
    if (elapsed() - began >= minuteMs) {
      began = elapsed();
      reported = 0;
    }
    for (const { directive, blocked } of readReports(body).slice(0, maxPerMinute - reported)) {
      reported += 1;
      report(directive, blocked);
    }
  };
}
