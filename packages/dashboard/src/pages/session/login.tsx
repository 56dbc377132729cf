import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../components/feedback/error-state.tsx';
import { useUrlQuery } from '../../navigation/navigation.tsx';
import { safeReturn } from '../../navigation/paths.ts';
import { CodeField, EmailField, PasswordField } from './credentials.tsx';
import { SignInLayout } from './sign-in-layout.tsx';
import { useFinishSignIn } from './use-finish-sign-in.ts';

/** Signing in with e-mail address and password, then with the code of an authenticator where the person uses one. */
export function LoginPage() {
  const form = useLogin();
  if (form.step === 'password') {
    return (
      <SignInLayout
        title="Sign in"
        description={form.returns ? 'Sign in to go on where you were.' : undefined}
      >
        <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
          <EmailField value={form.email} onChange={form.setEmail} error={form.faultOf('email')} />
          <PasswordField value={form.password} onChange={form.setPassword} error={form.faultOf('password')} />
          <ErrorNote error={form.error} fields={['email', 'password']} />
          <Button type="submit" variant="primary" busy={form.busy} className="mt-1 w-full">
            Sign in
          </Button>
        </form>
      </SignInLayout>
    );
  }
  return (
    <SignInLayout title="One more step" description={`Signing in as ${form.email}.`}>
      <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
        <CodeField
          recovery={form.recovery}
          value={form.code}
          onChange={form.setCode}
          error={form.faultOf('code')}
        />
        <ErrorNote error={form.error} fields={['code']} />
        <Button type="submit" variant="primary" busy={form.busy} className="mt-1 w-full">
          Sign in
        </Button>
        <div className="flex flex-wrap justify-between gap-2">
          <Button variant="quiet" size="sm" onClick={form.restart}>
            Back
          </Button>
          <Button variant="quiet" size="sm" onClick={() => form.setRecovery(!form.recovery)}>
            {form.recovery ? 'Use the authenticator' : 'Use a recovery code'}
          </Button>
        </div>
      </form>
    </SignInLayout>
  );
}

function useLogin() {
  const enter = useFinishSignIn();
  const returnTo = safeReturn(useUrlQuery().get('return_to') || undefined);
  const signIn = useChange('createSession');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [recovery, setRecovery] = useState(false);
  const [step, setStep] = useState<'password' | 'code'>('password');
  const [tried, setTried] = useState(false);

  const empty: Readonly<Record<string, string | undefined>> =
    step === 'code'
      ? { code: code.trim() === '' ? 'Enter the code.' : undefined }
      : {
          email: email.trim() === '' ? 'Enter your e-mail address.' : undefined,
          password: password === '' ? 'Enter your password.' : undefined,
        };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (signIn.isPending || Object.values(empty).some((fault) => fault !== undefined)) return;
    signIn.mutate(
      { body: { email: email.trim(), password, ...(step === 'code' ? { code: code.trim() } : {}) } },
      {
        onSuccess: (session) => enter(session, returnTo),
        onError(error) {
          if (error.code !== 'code_required') return;
          signIn.reset();
          setTried(false);
          setStep('code');
        },
      },
    );
  };

  const restart = () => {
    signIn.reset();
    setStep('password');
    setCode('');
    setTried(false);
  };

  return {
    email,
    setEmail,
    password,
    setPassword,
    code,
    setCode,
    recovery,
    setRecovery,
    step,
    submit,
    restart,
    returns: returnTo !== undefined,
    busy: signIn.isPending,
    error: signIn.error,
    faultOf: (field: string) => (tried ? empty[field] : undefined) ?? fieldError(signIn.error, field),
  };
}
