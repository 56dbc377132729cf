import { Flag, Gavel, type LucideIcon, OctagonAlert, Send, ShieldAlert, Undo2 } from 'lucide-react';
import { Time } from '../../components/values/time.tsx';
import { Timeline } from '../../components/values/timeline.tsx';
import { disputeState } from '../../lib/wording/dispute-words.ts';
import type { Tone } from '../../lib/wording/status.ts';
import type { Detail } from './answer/detail.ts';

type Step = Detail['timeline'][number];

interface Look {
  readonly title: string;
  readonly icon: LucideIcon;
  readonly tone: Tone;
}

function lookOf({ type, state, status }: Step, before: Step | undefined): Look {
  const stage = disputeState(state).word;
  if (type === 'dispute.created') {
    return { title: `Dispute opened: ${stage.toLowerCase()}`, icon: ShieldAlert, tone: 'bad' };
  }
  if (before?.state === state && before.status === status) {
    return { title: 'The processor sent an update', icon: Flag, tone: 'neutral' };
  }
  switch (status) {
    case 'action_required':
      return { title: `An answer is due: ${stage.toLowerCase()}`, icon: OctagonAlert, tone: 'bad' };
    case 'challenged':
      return { title: 'Defence submitted', icon: Send, tone: 'info' };
    case 'accepted':
      return { title: 'Loss accepted', icon: Gavel, tone: 'neutral' };
    case 'won':
      return { title: 'Won', icon: Gavel, tone: 'good' };
    case 'lost':
      return { title: 'Lost', icon: Gavel, tone: 'bad' };
    case 'recovered':
      return { title: 'The amount came back', icon: Undo2, tone: 'good' };
    default:
      return { title: stage, icon: Flag, tone: 'neutral' };
  }
}

/** The history of a dispute. */
export function DisputeTimeline({ detail: { timeline } }: { readonly detail: Detail }) {
  return (
    <Timeline
      entries={timeline.map((step, index) => ({
        ...lookOf(step, timeline[index - 1]),
        id: step.event,
        at: step.at,
        detail: (
          <>
            {step.by !== null && <p>By {step.by}</p>}
            {step.status === 'accepted' && step.by === null && (
              <p>By the API or the processor, or because nobody answered in time</p>
            )}
            {step.status === 'action_required' && step.respond_by !== null && (
              <p>
                To be answered by <Time at={step.respond_by} show="named" />
              </p>
            )}
          </>
        ),
      }))}
    />
  );
}
