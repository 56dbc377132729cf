import { Archive, CircleX, Clock, type LucideIcon, MailCheck } from 'lucide-react';
import type { Answer } from '../../api/calls.ts';
import { Icon } from '../../components/buttons/icon.tsx';
import { Badge } from '../../components/values/badge.tsx';
import type { Tone } from '../../lib/wording/status.ts';

export type MailLine = Answer<'listMails'>['data'][number];
type State = MailLine['state'];

interface StateLook {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly meaning: string;
}

export const mailStates: Readonly<Record<State, StateLook>> = {
  queued: {
    word: 'Queued',
    tone: 'info',
    icon: Clock,
    meaning: 'It is sent as soon as the mail server takes it.',
  },
  sent: { word: 'Sent', tone: 'good', icon: MailCheck, meaning: 'The mail server took it.' },
  failed: {
    word: 'Failed',
    tone: 'bad',
    icon: CircleX,
    meaning: 'The mail server refused it for hours, or the address is none. It is not tried again.',
  },
  kept: {
    word: 'Kept here',
    tone: 'neutral',
    icon: Archive,
    meaning: 'No mail server was set when it was written. It stands only here and is never sent.',
  },
};

/** The state of a mail: icon, word and colour. */
export function MailState({ state }: { readonly state: State }) {
  const { word, tone, icon, meaning } = mailStates[state];
  return (
    <span title={meaning}>
      <Badge tone={tone}>
        <Icon of={icon} className="size-3.5" />
        {word}
      </Badge>
    </span>
  );
}
