import { useCall } from '../../../api/calls.ts';
import { useWorkspace } from '../../../api/session.ts';
import { ErrorState } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { SettingsPage } from '../settings-page.tsx';
import { BrandingForm } from './branding-form.tsx';
import { CheckoutPreview } from './checkout-preview.tsx';
import { LogoCard } from './logo-card.tsx';
import { SamplePageCard } from './sample-page.tsx';
import { type Branding, useBrandingDraft } from './use-branding-draft.ts';

/** The settings for the look of the checkout page. */
export function BrandingPage() {
  const branding = useCall('retrieveBranding');
  return (
    <SettingsPage
      page="branding"
      description="Name, logo and colour of the checkout page, in the sandbox and live. Buyers see at once what you save."
    >
      {branding.data !== undefined ? (
        <Editor branding={branding.data} />
      ) : branding.error === null ? (
        <Card>
          <SkeletonLines of="the branding" lines={8} />
        </Card>
      ) : (
        <Card flush>
          <ErrorState error={branding.error} onRetry={() => void branding.refetch()} />
        </Card>
      )}
    </SettingsPage>
  );
}

function Editor({ branding }: { readonly branding: Branding }) {
  const draft = useBrandingDraft(branding);
  const accountName = useWorkspace()?.name ?? '';
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_22rem] xl:grid-rows-[auto_auto_1fr]">
      <BrandingForm branding={branding} draft={draft} accountName={accountName} />
      <LogoCard logo={branding.logo} />
      <CheckoutPreview
        className="xl:col-start-2 xl:row-span-3 xl:row-start-1"
        shop={draft.values.name.trim() === '' ? accountName : draft.values.name.trim()}
        logo={branding.logo}
        colours={draft.colours}
      />
      <SamplePageCard />
    </div>
  );
}
