import { target, tillRaw } from '../merchant.ts';
import { publishedTriggers } from '../triggers.ts';
import type { BadInput } from './cases.ts';

/**
 * Features of later milestones: a pattern that finds the feature in a case's text, and one for its path in
 * the API document.
 */
const needs: readonly (readonly [what: string, pattern: RegExp, path: RegExp])[] = [
  ['confirm', /\/confirm\b|requires_action/, /\/payments\/\{\w+\}\/confirm$/],
  ['capture', /\/capture\b|authorized_|captured_|expired_hold/, /\/payments\/\{\w+\}\/capture$/],
  ['void', /\/void\b|voided_/, /\/payments\/\{\w+\}\/void$/],
  ['refunds', /\/refunds\b|refund_id/, /\/payments\/\{\w+\}\/refunds$/],
  ['saved methods', /\/payment_methods\b|\{(?:other_)?pm_id/, /\/payment_methods\/\{\w+\}$/],
];

/**
 * Determines which cases are skipped: a case that needs a feature is skipped until `/openapi.json`, the
 * trigger table or the command line has the feature.
 * @returns the feature that a case waits for, or undefined
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
