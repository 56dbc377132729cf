import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useChange } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../components/feedback/error-state.tsx';
import { useUrlQuery } from '../../navigation/navigation.tsx';
import { safeReturn } from '../../navigation/paths.ts';
import { CodeField, EmailField, PasswordField } from './credentials.tsx';
import { SignInLayout } from './sign-in-layout.tsx';
import { useFinishSignIn } from './use-finish-sign-in.ts';

/** Signs a person in with e-mail address and password, then with the code of an authenticator if they use one. */
export function LoginPage() {
  const form = useLogin();
  if (form.step === 'password') {
    return (
      <SignInLayout
        title="Sign in"
        description={form.returns ? 'Sign in to go on where you were.' : undefined}
      >
        <form ref={form.ref} onSubmit={form.submit} noValidate className="flex flex-col gap-4">
          <EmailField
            value={form.email}
            onChange={form.setEmail}
            error={form.faultOf('email')}
            marked={form.refused}
          />
          <PasswordField
            value={form.password}
            onChange={form.setPassword}
            error={form.faultOf('password')}
            marked={form.refused}
          />
          <ErrorNote error={form.error} fields={['email', 'password']} />
          <Button type="submit" variant="primary" busy={form.busy} className="mt-1 w-full">
            Sign in
          </Button>
          <RegainAccess email={form.email} />
        </form>
      </SignInLayout>
    );
  }
  return (
    <SignInLayout title="One more step" description={`Signing in as ${form.email}.`}>
      <form ref={form.ref} onSubmit={form.submit} noValidate className="flex flex-col gap-4">
        <CodeField
          recovery={form.recovery}
          value={form.code}
          onChange={form.setCode}
          error={form.faultOf('code')}
          marked={form.refused}
        />
        <ErrorNote error={form.error} fields={['code']} />
        <Button type="submit" variant="primary" busy={form.busy} className="mt-1 w-full">
          Sign in
        </Button>
        <p className="text-sm text-text-2">
          Lost both the authenticator and the recovery codes? The operator of this service ends the second
          step.
        </p>
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

/** Explains how people who cannot sign in regain access. */
const RegainAccess = ({ email }: { readonly email: string }) => (
  <details className="text-sm text-text-2">
    <summary className="inline-flex min-h-6 cursor-pointer items-center font-medium text-accent hover:underline">
      You cannot sign in?
    </summary>
    <p className="mt-2">
      Passwords are not sent by mail. The operator of this service gives you a new one; an owner or admin of
      your workspace knows who that is:
    </p>
    <p className="mt-1">
      <code className="font-mono [overflow-wrap:anywhere]">
        ./till users reset --email {email.trim() === '' ? '…' : email.trim()}
      </code>
    </p>
  </details>
);

/** After a failure moves the focus to an empty field, or else to the last field that is marked as invalid. */
function useFocusOnFailure() {
  const [failures, setFailures] = useState(0);
  const ref = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (failures === 0) return;
    const marked = [...(ref.current?.querySelectorAll<HTMLInputElement>('[aria-invalid]') ?? [])];
    // Of address and password, the password is mistyped most often.
    (marked.find((input) => input.value === '') ?? marked.at(-1))?.focus();
  }, [failures]);
  return { ref, failed: () => setFailures((count) => count + 1) };
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
  const { ref, failed } = useFocusOnFailure();

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
    if (signIn.isPending) return;
    if (Object.values(empty).some((fault) => fault !== undefined)) return failed();
    signIn.mutate(
      { body: { email: email.trim(), password, ...(step === 'code' ? { code: code.trim() } : {}) } },
      {
        onSuccess: (session) => enter(session, returnTo),
        onError(error) {
          if (error.code !== 'code_required') return failed();
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
    ref,
    /** The server rejects both fields together, so that the response does not say which of them is wrong. */
    refused: signIn.error !== null && ['invalid_credentials', 'invalid_code'].includes(signIn.error.code),
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
