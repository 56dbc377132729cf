import { apiTags, eventDescriptions, merchantApi, type Operation } from '@till/contract';
import { escapeHtml } from './html.ts';
import { barHtml, type Frame, headHtml } from './layout.ts';
import { referenceAddress } from './site-map.ts';

const operations: readonly Operation[] = Object.values(merchantApi);

export interface ListedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly address: string;
}

/** Every operation of the contract by tag, in reading order, with its URL in the reference. */
export const listedOperations: readonly (readonly [tag: string, operations: readonly ListedOperation[]])[] =
  apiTags.map(({ name }) => [
    name,
    operations
      .filter(({ tag }) => tag === name)
      .map(({ id, method, path, summary }) => ({
        id,
        method,
        path: path.replaceAll(/:(\w+)/g, '{$1}'),
        summary,
        address: `${referenceAddress}#tag/${name.replaceAll(' ', '-')}/operation/${id}`,
      })),
  ]);

/** A list of the operations, shown until the script has rendered the reference, and without script. */
function plainList(): string {
  const tags = listedOperations.map(
    ([tag, some]) => `<h2>${escapeHtml(tag)}</h2>
<ul>
${some.map(({ method, path, summary }) => `<li><code>${method} ${escapeHtml(path)}</code> ${escapeHtml(summary)}</li>`).join('\n')}
</ul>`,
  );
  const events = Object.entries(eventDescriptions).map(
    ([type, { when }]) => `<li><code>${type}</code> ${escapeHtml(when)}</li>`,
  );
  return `<h1>API reference</h1>
<p>Every field of every request and answer is described in <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1). With JavaScript it is shown here.</p>
${tags.join('\n')}
<h2>Webhooks</h2>
<ul>
${events.join('\n')}
</ul>`;
}

/** The page on which Redoc renders `/openapi.json`. */
export function referenceHtml(frame: Frame): string {
  const { redoc, reference, referenceStyle, script } = frame.assets;
  const head = {
    title: 'API reference · Till',
    description: 'Every endpoint, field and event of the Till API.',
  };
  return `${headHtml(frame.assets, head, referenceStyle, [script, redoc, reference])}<body>
${barHtml(frame, referenceAddress)}<main id="content" tabindex="-1">
<p class="import">
Postman and Bruno import <a href="/openapi.json">openapi.json</a>. In both, <code>{{$guid}}</code> is a new Idempotency-Key for each request.
</p>
<div id="reference" class="plain-reference">
${plainList()}
</div>
</main>
</body>
</html>
`;
}
