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
  /** What helps before typing; stays visible. */
  readonly hint?: ReactNode;
  /** What is wrong, as a sentence. */
  readonly error?: string | undefined;
  /** Wrong without a sentence of its own: a message of the form says what. */
  readonly marked?: boolean | undefined;
  readonly required?: boolean;
  /** Says "optional" beside the label; fields that are not required say so. */
  readonly optional?: boolean;
  /** The label is visually hidden. */
  readonly quiet?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Label, hint and error of one input; the control inside takes its attributes from context. */
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
      {/* A live region has to exist before its text to be announced. */}
      <div id={`${id}-error`} aria-live="polite" className="empty:absolute">
        {error !== undefined && <ErrorText>{error}</ErrorText>}
      </div>
    </div>
  );
}

/** One line that says what is wrong. */
export const ErrorText = ({ children }: { children: ReactNode }) => (
  <p className="flex gap-1.5 text-sm text-bad">
    <Icon of={CircleAlert} className="mt-0.5 size-4" />
    <span>{children}</span>
  </p>
);
