import { ArrowRight, CircleCheck, CircleMinus, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Answer, useCall } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { ErrorState } from '../../../components/feedback/error-state.tsx';
import { Progress } from '../../../components/feedback/progress.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { Link, usePaths } from '../../../navigation/navigation.tsx';
import { SwitchCard } from '../environment/environment-switch.tsx';
import { WithSettings } from '../settings-card.tsx';
import { SettingsPage } from '../settings-page.tsx';
import type { Settings } from '../settings-words.ts';
import { commandOf, requirementWords } from './requirement-words.ts';

type GoLive = Answer<'retrieveGoLive'>;
type Requirement = GoLive['requirements'][number];

/** Everything that live payments need: what is done, what is missing and where to do it, and the switch itself. */
export function GoLivePage() {
  const refusal = useRefusal();
  const mayLook = refusal('retrieveGoLive');
  const maySwitch = refusal('switchEnvironment');
  return (
    <SettingsPage page="go-live" description="What live payments need, what is missing, and where to do it.">
      {mayLook === undefined ? (
        <WithSettings>
          {(settings) => <Requirements settings={settings} maySwitch={maySwitch === undefined} />}
        </WithSettings>
      ) : (
        <Card title="Requirements">
          <p className="text-text-2">{mayLook} Owners, admins and developers see what is missing.</p>
        </Card>
      )}
    </SettingsPage>
  );
}

function Requirements({ settings, maySwitch }: { readonly settings: Settings; readonly maySwitch: boolean }) {
  const found = useCall('retrieveGoLive');
  if (found.data === undefined) {
    return (
      <Card title="Requirements">
        {found.error === null ? (
          <SkeletonLines of="the requirements" lines={8} />
        ) : (
          <ErrorState error={found.error} onRetry={() => void found.refetch()} />
        )}
      </Card>
    );
  }
  const { requirements, ready } = found.data;
  const needed = requirements.filter(({ required, done }) => required || done);
  const done = needed.filter((one) => one.done).length;
  return (
    <>
      <Card
        title="Requirements"
        description={
          requirements.some(({ required }) => !required)
            ? 'Simulators stand in for the live processors here, so that no real money moves: what protects it is not needed.'
            : undefined
        }
        actions={
          <Button busy={found.isFetching} onClick={() => void found.refetch()}>
            Check again
          </Button>
        }
      >
        <Progress
          label="Requirements done"
          value={done}
          max={needed.length}
          text={`${done} of ${needed.length} done`}
        />
        <ul className="mt-3 divide-y divide-line">
          {requirements.map((requirement) => (
            <Line key={requirement.id} requirement={requirement} account={settings.id} />
          ))}
        </ul>
      </Card>
      <Switch settings={settings} maySwitch={maySwitch} ready={ready} />
    </>
  );
}

function Switch({
  settings,
  maySwitch,
  ready,
}: {
  readonly settings: Settings;
  readonly maySwitch: boolean;
  readonly ready: boolean;
}) {
  if (settings.environment === 'live') {
    return (
      <Card title="This workspace is live">
        <p className="text-text-2">Payments of this workspace are real.</p>
      </Card>
    );
  }
  if (!ready) {
    return (
      <Card title="Switch to live">
        <p className="text-text-2">
          The switch opens when everything above is done. Nothing changes for your sandbox until then.
        </p>
      </Card>
    );
  }
  return maySwitch ? (
    <SwitchCard settings={settings} />
  ) : (
    <Card title="Switch to live">
      <p className="text-text-2">Everything is done. Owners and admins switch to live.</p>
    </Card>
  );
}

const states = {
  done: { icon: CircleCheck, tone: 'text-good', word: 'Done' },
  missing: { icon: CircleX, tone: 'text-bad', word: 'Missing' },
  not_needed: { icon: CircleMinus, tone: 'text-text-3', word: 'Not needed here' },
} as const;

function Line({ requirement, account }: { readonly requirement: Requirement; readonly account: string }) {
  const paths = usePaths();
  const { id, done, required, detail } = requirement;
  const { title, words, link, to } = requirementWords[id];
  const { icon, tone, word } = states[done ? 'done' : required ? 'missing' : 'not_needed'];
  const command = commandOf(id, account);
  return (
    <li className="flex gap-3 py-3 last:pb-0">
      <span className={`mt-0.5 ${tone}`}>
        <Icon of={icon} className="size-4.5" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className="font-medium">{title}</span>
          <span className={`text-sm font-medium ${tone}`}>{word}</span>
        </p>
        {!done && (
          <>
            <p className="max-w-prose text-text-2">{words}</p>
            {detail !== null && <Detail>{detail}</Detail>}
            {command !== null && (
              <p className="mt-1 text-sm text-text-2">
                The operator runs{' '}
                <code className="font-mono text-text [overflow-wrap:anywhere]">{command}</code>
              </p>
            )}
            {to !== undefined && (
              <Link
                to={to(paths)}
                className="mt-1 inline-flex min-h-6 items-center gap-1 text-sm font-medium text-accent hover:underline"
              >
                {link}
                <Icon of={ArrowRight} className="size-3.5" />
              </Link>
            )}
          </>
        )}
      </div>
    </li>
  );
}

const Detail = ({ children }: { readonly children: ReactNode }) => (
  <p className="mt-1 text-sm font-medium [overflow-wrap:anywhere]">Found: {children}</p>
);
