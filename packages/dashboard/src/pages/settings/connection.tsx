import { CardDataCard, LiveCard } from './connection-facts.tsx';
import { ProcessorCard } from './processor-card.tsx';
import { WithSettings } from './settings-card.tsx';
import { SettingsPage } from './settings-page.tsx';
import { ThreeDSecureCard } from './three-d-secure-card.tsx';

/** The connection to the processor and 3-D Secure. */
export const ConnectionPage = () => (
  <SettingsPage page="connection" description="How payments of this workspace reach the processor.">
    <WithSettings>
      {(settings) => (
        <>
          <ProcessorCard settings={settings} />
          <ThreeDSecureCard key={settings.connection.three_d_secure} settings={settings} />
          <LiveCard settings={settings} />
          <CardDataCard />
        </>
      )}
    </WithSettings>
  </SettingsPage>
);
