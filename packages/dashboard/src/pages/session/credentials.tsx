import { Field } from '../../components/forms/field.tsx';
import { TextInput } from '../../components/forms/inputs.tsx';
import { minPasswordLength } from '../../lib/password.ts';

export interface TextProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | undefined;
  /** The value is invalid, as a message elsewhere says. */
  readonly marked?: boolean;
}

export const EmailField = ({ value, onChange, error, marked }: TextProps) => (
  <Field label="E-mail address" error={error} marked={marked} required>
    <TextInput
      type="email"
      name="email"
      autoComplete="username"
      autoCapitalize="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </Field>
);

export const PasswordField = ({ value, onChange, error, marked }: TextProps) => (
  <Field label="Password" error={error} marked={marked} required>
    <TextInput
      type="password"
      name="password"
      autoComplete="current-password"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </Field>
);

export const NewPasswordField = ({ value, onChange, error }: TextProps) => (
  <Field
    label="New password"
    hint={`At least ${minPasswordLength} characters. A few words in a row are easy to keep and hard to guess.`}
    error={error}
    required
  >
    <TextInput
      type="password"
      name="new-password"
      autoComplete="new-password"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </Field>
);

/** The second factor: a code of the authenticator, or a recovery code. */
export function CodeField({
  recovery,
  value,
  onChange,
  error,
  marked,
}: TextProps & { readonly recovery: boolean }) {
  return (
    <Field
      key={String(recovery)}
      label={recovery ? 'Recovery code' : 'Code of your authenticator'}
      hint={
        recovery
          ? 'One of the ten codes that you saved. Each works once.'
          : '6 digits that change every 30 seconds.'
      }
      error={error}
      marked={marked}
      required
    >
      <TextInput
        name={recovery ? 'recovery-code' : 'code'}
        inputMode={recovery ? 'text' : 'numeric'}
        autoComplete={recovery ? 'off' : 'one-time-code'}
        autoCapitalize="off"
        spellCheck={false}
        maxLength={40}
        className="font-mono tracking-wider"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        autoFocus
      />
    </Field>
  );
}
