import { Palette } from 'lucide-react';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SettingsPage } from './settings-page.tsx';

/** How the checkout page looks. */
export const BrandingPage = () => (
  <SettingsPage page="branding">
    <Card flush>
      <EmptyState icon={Palette} title="Nothing to set yet">
        Name, logo and colour of the checkout page.
      </EmptyState>
    </Card>
  </SettingsPage>
);
