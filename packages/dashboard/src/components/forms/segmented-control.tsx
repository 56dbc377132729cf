export interface FewChoice {
  readonly value: string;
  readonly label: string;
}

/**
 * A segmented control for a few short choices, such as a range or a unit. It takes effect at once; arrow keys move the
 * selection.
 */
export function SegmentedControl({
  legend,
  name,
  choices,
  value,
  onChange,
}: {
  /** Visually hidden. */
  readonly legend: string;
  /** Unique on the page. */
  readonly name: string;
  readonly choices: readonly FewChoice[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <fieldset className="inline-flex rounded-md border border-line-strong/60 bg-surface p-0.5">
      <legend className="sr-only">{legend}</legend>
      {choices.map((choice) => (
        <label
          key={choice.value}
          className="relative inline-flex min-h-7 items-center rounded-sm px-2.5 text-sm font-medium text-text-2 hover:text-text has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-focus"
        >
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
            className="absolute inset-0 cursor-pointer opacity-0"
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
