import { type FormEvent, type ReactNode, useState } from 'react';
import { fromDecimal, toDecimal } from '../../lib/amounts/money.ts';
import { periods } from '../../lib/amounts/period.ts';
import { Button } from '../buttons/button.tsx';
import { Checkbox, RadioGroup } from '../forms/choices.tsx';
import { Field } from '../forms/field.tsx';
import { type Choice, DateInput, TextInput } from '../forms/inputs.tsx';
import { PopoverActions } from '../overlays/popover.tsx';

type Values = Readonly<Record<string, string | undefined>>;

function FilterForm({ onApply, children }: { readonly onApply: () => void; readonly children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onApply();
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      {children}
      <PopoverActions>
        <Button type="submit" variant="primary" size="sm">
          Apply
        </Button>
      </PopoverActions>
    </form>
  );
}

/** Chooses any number of values. */
export function ChoicesForm({
  label,
  choices,
  value,
  onSet,
}: {
  readonly label: string;
  readonly choices: readonly Choice[];
  /** The chosen values, separated by commas. */
  readonly value: string;
  readonly onSet: (value: string) => void;
}) {
  const [chosen, setChosen] = useState<readonly string[]>(value.split(',').filter(Boolean));
  const ordered = choices.map((choice) => choice.value).filter((one) => chosen.includes(one));
  return (
    <FilterForm onApply={() => onSet(ordered.join(','))}>
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1.5 text-sm font-medium">{label}</legend>
        {choices.map((choice) => (
          <Checkbox
            key={choice.value}
            label={choice.label}
            checked={chosen.includes(choice.value)}
            onChange={({ target }) =>
              setChosen(
                target.checked ? [...chosen, choice.value] : chosen.filter((one) => one !== choice.value),
              )
            }
          />
        ))}
      </fieldset>
    </FilterForm>
  );
}

/** One text value, such as an id. */
export function WordForm({
  label,
  hint,
  value,
  onSet,
}: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onSet: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  return (
    <FilterForm onApply={() => onSet(text.trim())}>
      <Field label={label} hint={hint}>
        <TextInput
          value={text}
          onChange={({ target }) => setText(target.value)}
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
    </FilterForm>
  );
}

const isCurrency = (text: string) => /^[A-Z]{3}$/.test(text);
const noCurrency = 'Enter the three letters of a currency, such as EUR.';

function CurrencyField({
  value,
  onChange,
  error,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}) {
  return (
    <Field label="Currency" hint="Three letters, such as EUR." error={error}>
      <TextInput
        value={value}
        onChange={({ target }) => onChange(target.value.toUpperCase())}
        maxLength={3}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
      />
    </Field>
  );
}

/** A currency without an amount. */
export function CurrencyForm({
  value,
  onSet,
}: {
  readonly value: string;
  readonly onSet: (value: string) => void;
}) {
  const [currency, setCurrency] = useState(value);
  const [tried, setTried] = useState(false);
  const wrong = currency !== '' && !isCurrency(currency);
  const apply = () => {
    setTried(true);
    if (!wrong) onSet(currency);
  };
  return (
    <FilterForm onApply={apply}>
      <CurrencyField
        value={currency}
        onChange={setCurrency}
        error={tried && wrong ? noCurrency : undefined}
      />
    </FilterForm>
  );
}

/** A range of amounts in one currency, typed in major units and kept in minor units. */
export function AmountForm({
  values,
  onSet,
}: {
  readonly values: Values;
  readonly onSet: (values: Values) => void;
}) {
  const known = values.currency ?? '';
  const shown = (minor: string | undefined) =>
    minor === undefined || !isCurrency(known) ? '' : toDecimal(Number(minor), known);
  const [currency, setCurrency] = useState(known);
  const [from, setFrom] = useState(shown(values.amount_gte));
  const [to, setTo] = useState(shown(values.amount_lte));
  const [tried, setTried] = useState(false);
  const minor = (text: string) => (text.trim() === '' ? '' : fromDecimal(text, currency)?.toString());
  const bounds = { from: minor(from), to: minor(to) };
  const needsCurrency = !isCurrency(currency) && (currency + from + to).trim() !== '';
  const apply = () => {
    setTried(true);
    if (needsCurrency || bounds.from === undefined || bounds.to === undefined) return;
    onSet({ currency, amount_gte: bounds.from, amount_lte: bounds.to });
  };
  const errorOf = (bound: string | undefined) =>
    tried && !needsCurrency && bound === undefined ? 'Enter an amount, like 49.90.' : undefined;
  return (
    <FilterForm onApply={apply}>
      <CurrencyField
        value={currency}
        onChange={setCurrency}
        error={tried && needsCurrency ? noCurrency : undefined}
      />
      <div className="grid grid-cols-2 gap-2">
        <Field label="At least" error={errorOf(bounds.from)}>
          <TextInput
            inputMode="decimal"
            autoComplete="off"
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          />
        </Field>
        <Field label="At most" error={errorOf(bounds.to)}>
          <TextInput
            inputMode="decimal"
            autoComplete="off"
            value={to}
            onChange={({ target }) => setTo(target.value)}
          />
        </Field>
      </div>
    </FilterForm>
  );
}

const days = 'days';

/** A period relative to today, or two days in the account's time zone. */
export function PeriodForm({
  values,
  onSet,
}: {
  readonly values: Values;
  readonly onSet: (values: Values) => void;
}) {
  const hasDays = values.from !== undefined || values.to !== undefined;
  const [period, setPeriod] = useState(hasDays ? days : (values.period ?? ''));
  const [from, setFrom] = useState(values.from ?? '');
  const [to, setTo] = useState(values.to ?? '');
  const apply = () => {
    const chosen = period === days ? { period: '', from, to } : { period, from: '', to: '' };
    onSet({ ...chosen, before: '' });
  };
  return (
    <FilterForm onApply={apply}>
      <RadioGroup
        legend="Created"
        name="period"
        value={period}
        onChange={setPeriod}
        choices={[
          { value: '', label: 'Any time' },
          ...periods.map(([value, label]) => ({ value, label })),
          { value: days, label: 'Between two days' },
        ]}
      />
      {period === days && (
        <div className="flex flex-col gap-2">
          <Field label="From">
            <DateInput value={from} onChange={({ target }) => setFrom(target.value)} />
          </Field>
          <Field label="To">
            <DateInput value={to} onChange={({ target }) => setTo(target.value)} />
          </Field>
        </div>
      )}
    </FilterForm>
  );
}
