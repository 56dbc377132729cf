import { type FormEvent, useState } from 'react';
import { type Answer, useCall, useChange } from '../../api/calls.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Time } from '../../components/values/time.tsx';
import { newPasswordFault } from '../../lib/password.ts';
import { useParam } from '../../navigation/navigation.tsx';
import { CodeField, NewPasswordField, PasswordField } from './credentials.tsx';
import { LinkFault } from './link-fault.tsx';
import { SignInLayout } from './sign-in-layout.tsx';
import { useFinishSignIn } from './use-finish-sign-in.ts';

type Invitation = Answer<'retrieveInvitationLink'>;

/** Accepts an invitation: with a new password, with the person's existing password, or while already signed in. */
export function InvitePage() {
  const token = useParam('token');
  const link = useCall('retrieveInvitationLink', { params: { token } });
  if (link.error !== null) {
    return (
      <SignInLayout title="Invitation">
        <LinkFault
          error={link.error}
          onRetry={() => void link.refetch()}
          advice="It was used, withdrawn or has expired. Ask the person who invited you for a new one."
        />
      </SignInLayout>
    );
  }
  if (link.data === undefined) {
    return (
      <SignInLayout title="Invitation">
        <SkeletonLines of="the invitation" />
      </SignInLayout>
    );
  }
  const { account_name: name, email, role, expires_at } = link.data;
  return (
    <SignInLayout
      title={`Join ${name}`}
      description={
        <>
          {email} is invited with the role <b className="font-medium text-text">{role}</b>. The invitation is
          open until <Time at={expires_at} />.
        </>
      }
    >
      <InviteForm token={token} invitation={link.data} />
    </SignInLayout>
  );
}

function InviteForm({ token, invitation }: { readonly token: string; readonly invitation: Invitation }) {
  const enter = useFinishSignIn();
  const accept = useChange('acceptInvitation');
  const user = useSession().data?.user;
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asked, setAsked] = useState(false);
  const [tried, setTried] = useState(false);
  const here = user?.email.toLowerCase() === invitation.email.toLowerCase();
  const fault = here ? undefined : faultOf(password, invitation.has_user);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (accept.isPending || fault !== undefined) return;
    const secret = here ? {} : { password, ...(code === '' ? {} : { code: code.trim() }) };
    accept.mutate(
      { body: { token, ...secret } },
      {
        onSuccess: (session) => enter(session, pageOf(session, invitation)),
        onError: (error) => setAsked(asked || error.code === 'code_required'),
      },
    );
  };
  const Password = invitation.has_user ? PasswordField : NewPasswordField;
  const shown = (tried ? fault : undefined) ?? fieldError(accept.error, 'password');
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <input type="hidden" name="username" autoComplete="username" value={invitation.email} />
      {!here && <Password value={password} onChange={setPassword} error={shown} />}
      {asked && (
        <CodeField
          recovery={false}
          value={code}
          onChange={setCode}
          error={fieldError(accept.error, 'code')}
        />
      )}
      <ErrorNote error={accept.error} fields={['password', 'code']} />
      <Button type="submit" variant="primary" busy={accept.isPending} className="mt-1 w-full">
        {here ? `Join as ${invitation.email}` : 'Join'}
      </Button>
    </form>
  );
}

const faultOf = (password: string, has: boolean) =>
  has ? (password === '' ? 'Enter your password.' : undefined) : newPasswordFault(password);

function pageOf(session: Answer<'acceptInvitation'>, { account_name: name }: Invitation): string | undefined {
  const joined = session.accounts.filter((account) => account.name === name).at(-1);
  return joined === undefined ? undefined : `/${joined.id}`;
}
