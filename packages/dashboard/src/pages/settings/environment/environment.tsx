import { useRefusal } from '../../../api/session.ts';
import { Card } from '../../../components/layout/card.tsx';
import { RealTimes } from '../../../components/values/account-clock.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import { WithSettings } from '../settings-card.tsx';
import { SettingsPage } from '../settings-page.tsx';
import { environments, type Settings } from '../settings-words.ts';
import { SwitchCard } from './environment-switch.tsx';

/** Whether the workspace is a sandbox or live. */
export function EnvironmentPage() {
  const refusal = useRefusal()('switchEnvironment');
  return (
    <SettingsPage page="environment" description="Whether this workspace takes real money.">
      <RealTimes>
        <WithSettings>
          {(settings) => (
            <>
              <PresentCard settings={settings} />
              {refusal === undefined ? (
                <SwitchCard settings={settings} />
              ) : (
                <Card title="Change the environment">
                  <p className="text-text-2">{refusal} Owners and admins change the environment.</p>
                </Card>
              )}
            </>
          )}
        </WithSettings>
      </RealTimes>
    </SettingsPage>
  );
}

function PresentCard({ settings }: { readonly settings: Settings }) {
  const { word, tone, text } = environments[settings.environment];
  return (
    <Card title="This workspace">
      <p className="flex flex-wrap items-center gap-2">
        <b className="font-semibold [overflow-wrap:anywhere]">{settings.name}</b>
        <Badge tone={tone}>{word}</Badge>
        <span className="text-text-2">{text}</span>
      </p>
      <div className="mt-3 flex max-w-prose flex-col gap-2 text-text-2">
        <p>
          Sandbox and live records never mix: customers, payments, saved cards, events and keys belong to one
          side. A change of the environment hides the other side and deletes nothing.
        </p>
        <p>
          Most merchants keep two workspaces, one for each, and go from one to the other with the switcher at
          the top of the menu. It names the workspace and its environment, so that nobody confuses them.
          Change the environment of a workspace only to go live with it, or to leave live for good.
        </p>
      </div>
    </Card>
  );
}
