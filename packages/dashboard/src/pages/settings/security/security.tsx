import { useCall } from '../../../api/calls.ts';
import { ErrorState } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { RealTimes } from '../../../components/values/account-clock.tsx';
import { SettingsPage } from '../settings-page.tsx';
import { AuthenticatorCard } from './authenticator-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

/** The person's own security settings: password, authenticator and sessions. They are the same in every workspace. */
export function SecurityPage() {
  const security = useCall('retrieveSecurity');
  return (
    <SettingsPage page="security" description="Your own sign-in. It is the same in all your workspaces.">
      {security.error !== null && security.data === undefined ? (
        <Card flush>
          <ErrorState error={security.error} onRetry={() => void security.refetch()} />
        </Card>
      ) : security.data === undefined ? (
        <Card>
          <SkeletonLines of="your security settings" lines={6} />
        </Card>
      ) : (
        <RealTimes>
          <AuthenticatorCard totp={security.data.totp} />
          <PasswordCard changedAt={security.data.password_changed_at} />
          <SessionsCard sessions={security.data.sessions} />
        </RealTimes>
      )}
    </SettingsPage>
  );
}
