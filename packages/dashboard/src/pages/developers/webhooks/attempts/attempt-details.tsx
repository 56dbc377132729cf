import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { Answer } from '../../../../api/calls.ts';
import { Icon } from '../../../../components/buttons/icon.tsx';
import { Tabs } from '../../../../components/layout/tabs.tsx';
import { CodeText } from '../../../../components/values/code-block.tsx';
import { JsonView } from '../../../../components/values/json-view.tsx';
import { HttpStatus } from '../../http-status.tsx';
import { PreciseTime } from '../../precise-time.tsx';
import { millisecondWords } from '../../words.ts';
import { SignatureExplained } from './signature-explained.tsx';

type Attempt = Answer<'retrieveDelivery'>['attempts'][number];

/** One delivery attempt: a line that expands to the request and the response. */
export function AttemptDetails({
  attempt,
  initiallyOpen,
}: {
  readonly attempt: Attempt;
  readonly initiallyOpen: boolean;
}) {
  const [open, setOpen] = useState(initiallyOpen);
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group rounded-lg border border-line bg-surface"
    >
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-3 py-2.5 marker:content-none [&::-webkit-details-marker]:hidden">
        <Icon of={ChevronRight} className="size-4 text-text-3 transition-transform group-open:rotate-90" />
        <span className="font-medium">Attempt {attempt.number}</span>
        {attempt.answer_status === null ? (
          <span className="text-sm text-bad">{attempt.error ?? 'No answer'}</span>
        ) : (
          <HttpStatus status={attempt.answer_status} />
        )}
        <span className="ml-auto text-sm text-text-3 tabular-nums">
          {millisecondWords(attempt.duration_ms)} · <PreciseTime at={attempt.at} />
        </span>
      </summary>
      {open && (
        <div className="border-t border-line px-3 pt-1 pb-3">
          <Tabs
            label={`Attempt ${attempt.number}`}
            tabs={[
              { id: 'answer', label: 'Answer', content: <AnswerPart attempt={attempt} /> },
              { id: 'request', label: 'Request', content: <RequestPart attempt={attempt} /> },
              { id: 'signature', label: 'Signature', content: <SignatureExplained attempt={attempt} /> },
            ]}
          />
        </div>
      )}
    </details>
  );
}

function AnswerPart({ attempt }: { readonly attempt: Attempt }) {
  if (attempt.answer_status === null) {
    return <p className="text-text-2">There was no answer. {attempt.error}</p>;
  }
  return (
    <div className="flex flex-col gap-4">
      <HeaderLines label="Answer headers" headers={attempt.answer_headers ?? {}} />
      {attempt.answer_body === null || attempt.answer_body === '' ? (
        <p className="text-text-2">The answer had no body.</p>
      ) : (
        <Part title="Body, the first 8 KiB">
          <JsonView label="Answer body" value={attempt.answer_body} />
        </Part>
      )}
    </div>
  );
}

function RequestPart({ attempt }: { readonly attempt: Attempt }) {
  return (
    <div className="flex flex-col gap-4">
      <Part title="Address">
        <code className="font-mono text-sm [overflow-wrap:anywhere]">POST {attempt.url}</code>
      </Part>
      <HeaderLines label="Request headers" headers={attempt.request_headers} />
      <Part title="Body">
        <JsonView label="Request body" value={attempt.request_body} />
      </Part>
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <h4 className="mb-1.5 text-sm font-medium text-text-2">{title}</h4>
      {children}
    </div>
  );
}

function HeaderLines({
  label,
  headers,
}: {
  readonly label: string;
  readonly headers: Readonly<Record<string, string>>;
}) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Part title={label}>
      <div className="overflow-hidden rounded-lg border border-line bg-sunken">
        <CodeText label={label} text={lines.length === 0 ? '(none)' : lines.join('\n')} wrap />
      </div>
    </Part>
  );
}
