import type { ReactNode } from 'react';
import { useCall } from '../../api/calls.ts';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Card } from '../../components/layout/card.tsx';
import type { Settings } from './settings-words.ts';

/** Loads the account's settings for the cards of a page. Shows a skeleton or the error until they are loaded. */
export function WithSettings({ children }: { readonly children: (settings: Settings) => ReactNode }) {
  const settings = useCall('retrieveSettings');
  if (settings.data !== undefined) return children(settings.data);
  return settings.error === null ? (
    <Card>
      <SkeletonLines of="the settings" lines={6} />
    </Card>
  ) : (
    <Card flush>
      <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
    </Card>
  );
}
