import { target, tillRaw } from '../merchant.ts';
import { publishedTriggers } from '../triggers.ts';
import type { BadInput } from './cases.ts';

/** What of a case belongs to a later milestone: a pattern of the case's text, and the documented path that brings it. */
const needs: readonly (readonly [what: string, pattern: RegExp, path: RegExp])[] = [
  ['confirm', /\/confirm\b|requires_action/, /\/payments\/\{\w+\}\/confirm$/],
  ['capture', /\/capture\b|authorized_|captured_|expired_hold/, /\/payments\/\{\w+\}\/capture$/],
  ['void', /\/void\b|voided_/, /\/payments\/\{\w+\}\/void$/],
  ['refunds', /\/refunds\b|refund_id/, /\/payments\/\{\w+\}\/refunds$/],
  ['saved methods', /\/payment_methods\b|\{(?:other_)?pm_id/, /\/payment_methods\/\{\w+\}$/],
];

/**
 * The one rule by which cases are skipped: a case that mentions a feature waits until `/openapi.json`, the table of
 * triggers or the command line has it.
 * @returns what the case waits for, or undefined
 */
export async function featureGaps(): Promise<(one: BadInput) => string | undefined> {
  const document = (await (await fetch(`${target().baseUrl}/openapi.json`)).json()) as { paths: object };
  const paths = Object.keys(document.paths);
  const missing = needs.filter(([, , path]) => !paths.some((known) => path.test(known)));
  const processors = new Set((await publishedTriggers()).map((row) => row.processor));
  const hasWebhooks = /till webhooks create/.test((await tillRaw('webhooks', 'create', '--help')).out);
  return (one) => {
    if (one.cli !== undefined) return hasWebhooks ? undefined : 'till webhooks';
    if (one.trigger !== undefined && !processors.has(one.trigger.processor)) return one.trigger.processor;
    const text = JSON.stringify(one);
    return missing.find(([, pattern]) => pattern.test(text))?.[0];
  };
}
