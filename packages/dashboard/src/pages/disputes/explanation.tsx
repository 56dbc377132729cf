import { Info } from 'lucide-react';
import { Icon } from '../../components/buttons/icon.tsx';
import { Card } from '../../components/layout/card.tsx';
import { KeyValue } from '../../components/values/key-value.tsx';
import { Countdown } from '../../components/values/time.tsx';
import { disputeNext, disputeReason, disputeState } from '../../lib/wording/dispute-words.ts';
import { statusLook } from '../../lib/wording/status.ts';
import type { Detail } from './answer/detail.ts';

/** Explains the claim, its stage and the next step. */
export function Explanation({ detail }: { readonly detail: Detail }) {
  const { dispute, network_reason_code: code } = detail;
  const { state, status, reason, respond_by: by } = dispute;
  const { word, claim } = disputeReason(reason);
  const stage = disputeState(state);
  const open = status === 'action_required' || status === 'new';
  return (
    <Card>
      {open && (
        <div className="mb-4 flex flex-wrap items-baseline gap-x-3 gap-y-1 text-lg">
          <span className="font-semibold">Answer by</span>
          {by === null ? (
            <span className="text-text-2">The processor named no deadline.</span>
          ) : (
            <Countdown to={by} />
          )}
        </div>
      )}
      {detail.in_doubt !== null && (
        <p role="status" className="mb-4 flex gap-2 rounded-md bg-info-soft px-3 py-2 text-info">
          <Icon of={Info} className="mt-0.5 size-4" />
          <span>
            Your {detail.in_doubt === 'accept' ? 'acceptance' : 'defence'} is on its way, and the processor
            has not confirmed it yet. Till asks again by itself; the deadline does not pass meanwhile. This
            page looks every few seconds.
          </span>
        </p>
      )}
      <KeyValue
        pairs={[
          {
            key: 'Reason',
            value: (
              <>
                <b className="font-medium">{word}.</b> {claim}
                {code !== null && (
                  <span className="text-text-3">
                    {' '}
                    Code of the card scheme: <code className="font-mono text-sm">{code}</code>
                  </span>
                )}
              </>
            ),
          },
          {
            key: 'Stage',
            value: (
              <>
                <b className="font-medium">{stage.word}.</b> {stage.meaning}
              </>
            ),
          },
          {
            key: 'What comes next',
            value: (
              <>
                <b className="font-medium">{statusLook('dispute', status).word}.</b> {disputeNext(status)}
              </>
            ),
          },
        ]}
      />
    </Card>
  );
}
