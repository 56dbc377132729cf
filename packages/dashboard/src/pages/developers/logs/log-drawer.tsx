import { type Answer, useCall } from '../../../api/calls.ts';
import { ErrorState } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { Tabs } from '../../../components/layout/tabs.tsx';
import { Drawer } from '../../../components/overlays/dialog.tsx';
import { CopyId } from '../../../components/values/copy-button.tsx';
import { JsonView } from '../../../components/values/json-view.tsx';
import { KeyValue, None, type Pair } from '../../../components/values/key-value.tsx';
import { ObjectLink } from '../../../components/values/object-link.tsx';
import { HttpStatus } from '../http-status.tsx';
import { PreciseTime } from '../precise-time.tsx';
import { bodyNote, byteWords, millisecondWords } from '../words.ts';
import { KeyReuseExplained } from './key-reuse.tsx';
import { ReplayBadge } from './replay-badge.tsx';

type Found = Answer<'retrieveRequestLog'>;

/** Shows one request with its bodies. @param id '' if no request is open */
export function LogDrawer({
  id,
  onOpen,
  onClose,
}: {
  readonly id: string;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}) {
  return (
    <Drawer open={id !== ''} onClose={onClose} title="Request" size="lg">
      {id !== '' && <LogDetails key={id} id={id} onOpen={onOpen} />}
    </Drawer>
  );
}

function LogDetails({ id, onOpen }: { readonly id: string; readonly onOpen: (id: string) => void }) {
  const found = useCall('retrieveRequestLog', { params: { id } });
  if (found.data === undefined) {
    return found.error === null ? (
      <SkeletonLines of="the request" lines={8} />
    ) : (
      <ErrorState error={found.error} onRetry={() => void found.refetch()} />
    );
  }
  const { request, body, answer, warnings, reuse } = found.data;
  return (
    <div className="flex flex-col gap-6">
      <p className="font-mono text-base font-medium [overflow-wrap:anywhere]">
        {request.method} {request.path}
        {request.query !== null && <span className="font-normal text-text-3">?{request.query}</span>}
      </p>
      <KeyValue pairs={pairsOf(request, refusalIn(answer.text))} />
      <Warnings warnings={warnings} />
      {reuse !== null && <KeyReuseExplained reuse={reuse} onOpen={onOpen} />}
      <Tabs
        label="Bodies"
        tabs={[
          { id: 'request', label: 'Request body', content: <Body label="Request body" body={body} /> },
          { id: 'answer', label: 'Answer', content: <Body label="Answer" body={answer} /> },
        ]}
      />
      <p className="text-sm text-text-3">
        Card numbers, security codes, links that carry a token and the values of fields that the API does not
        know were never stored here.
      </p>
    </div>
  );
}

/** The warnings of a request: fields that had no effect. */
function Warnings({ warnings }: { readonly warnings: Found['warnings'] }) {
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Warnings" className="flex flex-col gap-1">
      <h3 className="font-medium">Warnings</h3>
      <ul className="list-disc pl-5 text-text-2">
        {warnings.map(({ param, message }) => (
          <li key={param}>{message}</li>
        ))}
      </ul>
    </section>
  );
}

/** The error of the response, in words. */
function refusalIn(answer: string | null): string | undefined {
  if (answer === null) return undefined;
  const { error } = JSON.parse(answer) as { readonly error?: { readonly message?: unknown } };
  return typeof error?.message === 'string' ? error.message : undefined;
}

function pairsOf(request: Found['request'], refusal: string | undefined): Pair[] {
  const { key, idempotency_hint: hint, code, payment, refund, customer } = request;
  const about = [payment, refund, customer].filter((id) => id !== null);
  return [
    {
      key: 'Status',
      value: (
        <span className="inline-flex flex-wrap items-center gap-2">
          <HttpStatus status={request.status} />
          {code !== null && <code className="font-mono text-sm">{code}</code>}
          {request.replayed && <ReplayBadge />}
        </span>
      ),
    },
    ...(refusal === undefined ? [] : [{ key: 'Refusal', value: refusal }]),
    { key: 'Request id', value: <CopyId id={request.id} what="request id" /> },
    { key: 'Time', value: <PreciseTime at={request.at} /> },
    { key: 'Took', value: millisecondWords(request.duration_ms) },
    {
      key: 'API key',
      value: (
        <>
          {key.name} <code className="font-mono text-sm text-text-2">{key.hint ?? key.id}</code>
        </>
      ),
    },
    { key: 'IP address', value: request.ip },
    {
      key: 'Idempotency key',
      value:
        hint === null ? (
          <None />
        ) : (
          <>
            ends in <code className="font-mono text-sm">{hint}</code>
          </>
        ),
    },
    {
      key: 'About',
      value:
        about.length === 0 ? (
          <None />
        ) : (
          <span className="flex flex-col items-start gap-1">
            {about.map((id) => (
              <ObjectLink key={id} id={id} />
            ))}
          </span>
        ),
    },
  ];
}

function Body({ label, body }: { readonly label: string; readonly body: Found['body'] }) {
  const note = bodyNote(body);
  if (note !== undefined) return <p className="text-text-2">{note}</p>;
  return (
    <div className="flex flex-col gap-2">
      <JsonView label={label} value={body.text} />
      <p className="text-sm text-text-3">{byteWords(body.bytes)} as it was sent.</p>
    </div>
  );
}
