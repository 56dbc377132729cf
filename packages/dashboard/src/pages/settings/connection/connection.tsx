import { WithSettings } from '../settings-card.tsx';
import { SettingsPage } from '../settings-page.tsx';
import { CardFieldsCard } from './card-fields-card.tsx';
import { CardDataCard, LiveCard } from './connection-facts.tsx';
import { ProcessorCard } from './processor-card.tsx';
import { ThreeDSecureCard } from './three-d-secure-card.tsx';

/** The connection to the processor and 3-D Secure. */
export const ConnectionPage = () => (
  <SettingsPage page="connection" description="How payments of this workspace reach the processor.">
    <WithSettings>
      {(settings) => (
        <>
          <ProcessorCard settings={settings} />
          <ThreeDSecureCard settings={settings} />
          <LiveCard settings={settings} />
          {settings.connection.card_fields !== null && (
            <CardFieldsCard
              fields={settings.connection.card_fields}
              simulated={settings.connection.live === 'simulated'}
            />
          )}
          <CardDataCard hasChoice={settings.connection.card_fields !== null} />
        </>
      )}
    </WithSettings>
  </SettingsPage>
);
