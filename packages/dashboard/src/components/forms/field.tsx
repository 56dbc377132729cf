import { CircleAlert } from 'lucide-react';
import { createContext, type ReactNode, useContext, useId } from 'react';
import { cx } from '../../lib/class-names.ts';
import { Icon } from '../buttons/icon.tsx';

interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly required: boolean;
}

const FieldContext = createContext<Wiring | undefined>(undefined);

/** The ARIA attributes of the control inside a `Field`; {} outside of one. */
export const useField = (): Partial<Wiring> => useContext(FieldContext) ?? {};

export interface FieldProps {
  readonly label: ReactNode;
  /** Help that stays visible while the person types. */
  readonly hint?: ReactNode;
  /** What is wrong, as a sentence. */
  readonly error?: string | undefined;
  /** The value is invalid, but a message of the form explains why, so the field shows no sentence of its own. */
  readonly marked?: boolean | undefined;
  readonly required?: boolean;
  /** Marks the field as optional beside its label. Every field that is not required has to be marked. */
  readonly optional?: boolean;
  /** The label is visually hidden. */
  readonly quiet?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** The label, the hint and the error of one input. The control inside takes its ARIA attributes from context. */
export function Field(props: FieldProps) {
  const {
    label,
    hint,
    error,
    marked = false,
    required = false,
    optional = false,
    quiet = false,
    className,
    children,
  } = props;
  const id = useId();
  const describedBy = cx(hint !== undefined && `${id}-hint`, `${id}-error`);
  const wiring: Wiring = {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': error === undefined && !marked ? undefined : true,
    required,
  };
  return (
    <div className={cx('flex min-w-0 flex-col gap-1.5', className)}>
      <label htmlFor={id} className={quiet ? 'sr-only' : 'text-sm font-medium'}>
        {label}
        {optional && <span className="font-normal text-text-3"> (optional)</span>}
      </label>
      <FieldContext.Provider value={wiring}>{children}</FieldContext.Provider>
      {hint !== undefined && (
        <div id={`${id}-hint`} className="text-sm text-text-3">
          {hint}
        </div>
      )}
      {/* A live region announces a text only if the region existed before it. */}
      <div id={`${id}-error`} aria-live="polite" className="empty:absolute">
        {error !== undefined && <ErrorText>{error}</ErrorText>}
      </div>
    </div>
  );
}

/** The error text of a field, on one line. */
export const ErrorText = ({ children }: { children: ReactNode }) => (
  <p className="flex gap-1.5 text-sm text-bad">
    <Icon of={CircleAlert} className="mt-0.5 size-4" />
    <span>{children}</span>
  </p>
);
