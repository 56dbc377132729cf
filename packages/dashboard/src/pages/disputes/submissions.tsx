import { Card } from '../../components/layout/card.tsx';
import { Badge } from '../../components/values/badge.tsx';
import { Time } from '../../components/values/time.tsx';
import { evidenceText } from '../../lib/wording/dispute-words.ts';
import type { Detail } from './answer/detail.ts';
import { FilePreview } from './answer/file-preview.tsx';

type Submission = Detail['submissions'][number];

/** The submitted evidence, newest first. Renders nothing without any. */
export function Submissions({ detail: { submissions } }: { readonly detail: Detail }) {
  if (submissions.length === 0) return null;
  return (
    <Card title={submissions.length === 1 ? 'Your defence' : 'Your defences'}>
      <ul className="flex flex-col gap-5 divide-y divide-line [&>li+li]:pt-5">
        {submissions.map((submission) => (
          <li key={submission.created_at}>
            <OneSubmission submission={submission} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function OneSubmission({ submission }: { readonly submission: Submission }) {
  const { statement, evidence, reason_code: code, created_at: created, submitted_at: taken } = submission;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-text-2">
        {taken === null ? (
          <>
            <Badge tone="warn">Not confirmed</Badge> Sent <Time at={created} />; the processor has not taken
            it.
          </>
        ) : (
          <>
            Taken by the processor <Time at={taken} />.
          </>
        )}
        {code !== null && <> Defence reason: {code}.</>}
      </p>
      {statement !== null && <Quote text={statement} />}
      {evidence.map(({ type, text, file }, index) => (
        <section key={`${type} ${String(index)}`} className="flex flex-col gap-1.5">
          <h3 className="text-sm font-medium">{evidenceText(type).title}</h3>
          {text !== null && <Quote text={text} />}
          {file !== null && <FilePreview file={file} />}
        </section>
      ))}
    </div>
  );
}

const Quote = ({ text }: { readonly text: string }) => (
  <p className="border-l-2 border-line-strong/50 pl-3 whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
);
