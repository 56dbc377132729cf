import { failureText, inSentence, wasNotFinished } from '../../lib/wording/failure-texts.ts';
import { Badge } from './badge.tsx';
import { Status, statusIcon } from './status.tsx';

/** The state of a payment. A failed payment shows its reason, in red only if somebody declined it. */
export function PaymentStatus({
  status,
  failure,
}: {
  readonly status: string;
  readonly failure: { readonly code: string } | null;
}) {
  if (failure === null) return <Status kind="payment" status={status} />;
  const { title, meaning } = failureText(failure.code);
  const isOpenEnd = wasNotFinished(failure.code);
  return (
    <span title={meaning} className="inline-flex max-w-[min(15rem,100%)] align-middle">
      <Badge tone={isOpenEnd ? 'neutral' : 'bad'} className="min-w-0">
        {statusIcon(isOpenEnd ? 'stopped' : 'failed')}
        <span className="truncate">{isOpenEnd ? title : `Failed: ${inSentence(title)}`}</span>
      </Badge>
    </span>
  );
}
