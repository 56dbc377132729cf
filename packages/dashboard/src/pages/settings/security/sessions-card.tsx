import { Monitor } from 'lucide-react';
import { type Answer, useChange } from '../../../api/calls.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { toast, toastError } from '../../../components/feedback/toasts.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import { Time } from '../../../components/values/time.tsx';
import { deviceName } from './device-name.ts';

type SessionInfo = Answer<'retrieveSecurity'>['sessions'][number];

/** The person's sessions, each with a button to end it. */
export function SessionsCard({ sessions }: { readonly sessions: readonly SessionInfo[] }) {
  const endOthers = useChange('endOtherSessions', ['retrieveSecurity']);
  const alone = sessions.every(({ current }) => current);
  return (
    <Card
      title="Sessions"
      description="Where you are signed in. End what you do not recognise, then change your password."
      actions={
        <Button
          busy={endOthers.isPending}
          unavailable={alone ? 'This is your only session.' : undefined}
          onClick={() =>
            endOthers.mutate(
              {},
              {
                onSuccess: ({ ended }) => toast(`${ended} ${ended === 1 ? 'session' : 'sessions'} ended`),
                onError: toastError,
              },
            )
          }
        >
          End all others
        </Button>
      }
    >
      <ul className="divide-y divide-line">
        {sessions.map((session) => (
          <SessionLine key={session.id} session={session} onError={toastError} />
        ))}
      </ul>
    </Card>
  );
}

function SessionLine({
  session,
  onError,
}: {
  readonly session: SessionInfo;
  readonly onError: (error: Error) => void;
}) {
  const end = useChange('endSession', ['retrieveSecurity']);
  const device = deviceName(session.user_agent);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5 first:pt-0 last:pb-0">
      <div className="flex min-w-0 gap-3">
        <span className="mt-1 text-text-3">
          <Icon of={Monitor} className="size-4.5" />
        </span>
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {device}
            {session.current && <Badge tone="good">This session</Badge>}
          </p>
          <p className="text-sm text-text-2 [overflow-wrap:anywhere]">
            {session.ip} · last seen <Time at={session.last_seen_at} /> · since{' '}
            <Time at={session.created_at} />
          </p>
        </div>
      </div>
      {!session.current && (
        <Button
          size="sm"
          busy={end.isPending}
          onClick={() =>
            end.mutate({ params: { id: session.id } }, { onSuccess: () => toast('Session ended'), onError })
          }
        >
          End
          <span className="sr-only">
            {' '}
            the session {device}, {session.ip}
          </span>
        </Button>
      )}
    </li>
  );
}
