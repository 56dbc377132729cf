import { errorCatalogue, failureCodes } from '@till/contract';
import { triggers } from '@till/sandbox';
import { escapeHtml } from './html.ts';

const isErrorCode = (id: string): id is keyof typeof errorCatalogue => Object.hasOwn(errorCatalogue, id);
const isFailureCode = (id: string) => failureCodes.some((code) => code === id);

/** Every code that has a section in `/docs/errors`. */
export const documentedCodes: readonly string[] = [...Object.keys(errorCatalogue), ...failureCodes];

/** The facts below the heading of a code: its status and type, or how to trigger it in the sandbox. */
export function codeFacts(id: string): string {
  if (isErrorCode(id)) {
    const [status, type] = errorCatalogue[id];
    return `<p class="facts"><span>HTTP ${status}</span> <code>${type}</code></p>\n`;
  }
  if (!isFailureCode(id)) return '';
  const trigger = triggers.find((row) => row.failure_code === id)?.trigger.value;
  if (trigger === undefined) {
    return '<p class="facts"><span>HTTP 200</span> <code>status: failed</code></p>\n';
  }
  const address = `/docs/testing?find=${encodeURIComponent(id)}#test-cards-and-triggers`;
  return `<p class="facts"><span>HTTP 200</span> <code>status: failed</code> <a href="${address}">Try it: ${escapeHtml(trigger)}</a></p>\n`;
}

const byStatus = Object.entries(errorCatalogue).sort(([, [one]], [, [other]]) => one - other);

/** A table of every error code with its status and type. */
export const errorCodesHtml = (): string =>
  `<div class="table" tabindex="0" role="group" aria-label="Every error code"><table>
<thead><tr><th scope="col">Code</th><th scope="col">HTTP</th><th scope="col">Type</th></tr></thead>
<tbody>
${byStatus.map(([code, [status, type]]) => `<tr><td><a href="#${code}"><code>${code}</code></a></td><td>${status}</td><td><code>${type}</code></td></tr>`).join('\n')}
</tbody></table></div>
`;

/** The table of error codes as Markdown. */
export const errorCodesMarkdown = (): string =>
  [
    '| code | HTTP | type |',
    '|---|---|---|',
    ...byStatus.map(([code, [status, type]]) => `| [\`${code}\`](#${code}) | ${status} | \`${type}\` |`),
  ].join('\n');
