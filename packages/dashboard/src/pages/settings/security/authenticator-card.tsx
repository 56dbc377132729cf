import { useState } from 'react';
import { type Answer, useChange } from '../../../api/calls.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { toast, toastError } from '../../../components/feedback/toasts.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { RevealOnce } from '../../../components/overlays/reveal-once.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import { Time } from '../../../components/values/time.tsx';
import { EnrolDialog } from './enrol-dialog.tsx';

type Totp = Answer<'retrieveSecurity'>['totp'];

/** The authenticator as the second step of sign-in, and the recovery codes for a lost authenticator. */
export function AuthenticatorCard({ totp }: { readonly totp: Totp }) {
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <Card
      title={
        <>Authenticator {totp.enabled ? <Badge tone="good">On</Badge> : <Badge tone="warn">Off</Badge>}</>
      }
      description="A second step at sign-in: a code of an app on your phone. It keeps others out who learn your password."
    >
      {totp.enabled ? <WhileOn totp={totp} onCodes={setCodes} /> : <WhileOff onCodes={setCodes} />}
      <RevealOnce
        title="Recovery codes"
        what="Codes"
        secret={codes?.join('\n')}
        onSaved={() => setCodes(undefined)}
      >
        Each code works once in place of a code of your authenticator. Older recovery codes no longer work.
      </RevealOnce>
    </Card>
  );
}

type OnCodes = (codes: readonly string[]) => void;

function WhileOff({ onCodes }: { readonly onCodes: OnCodes }) {
  const [enrolment, setEnrolment] = useState<Answer<'beginTotp'>>();
  const begin = useChange('beginTotp');
  return (
    <>
      <Button
        variant="primary"
        busy={begin.isPending}
        onClick={() => begin.mutate({}, { onSuccess: setEnrolment, onError: toastError })}
      >
        Set up
      </Button>
      <EnrolDialog enrolment={enrolment} onClose={() => setEnrolment(undefined)} onDone={onCodes} />
    </>
  );
}

function WhileOn({ totp, onCodes }: { readonly totp: Totp; readonly onCodes: OnCodes }) {
  const renew = useChange('renewRecoveryCodes', ['retrieveSecurity']);
  const [off, setOff] = useState(false);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-text-2">
        {totp.enabled_at !== null && (
          <>
            On since <Time at={totp.enabled_at} />.{' '}
          </>
        )}
        {totp.recovery_codes_left} recovery codes are left.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          busy={renew.isPending}
          onClick={() =>
            renew.mutate(
              {},
              { onSuccess: ({ recovery_codes }) => onCodes(recovery_codes), onError: toastError },
            )
          }
        >
          New recovery codes
        </Button>
        <Button onClick={() => setOff(true)}>Turn off</Button>
      </div>
      <DisableDialog open={off} onClose={() => setOff(false)} />
    </div>
  );
}

function DisableDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const refreshed = ['retrieveSecurity', 'retrieveSession'] as const;
  const disable = useDialogChange('disableTotp', refreshed, { open, onClose });
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title="Turn off the authenticator?"
      action="Turn off"
      busy={disable.busy}
      error={disable.error}
      onConfirm={() =>
        disable.send({}, (_, close) => {
          close();
          toast('The authenticator is off');
        })
      }
    >
      <p>Your password alone will then be enough to sign in. Your recovery codes stop working.</p>
    </ConfirmDialog>
  );
}
