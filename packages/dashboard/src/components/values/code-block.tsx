import { useState } from 'react';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { CopyButton } from './copy-button.tsx';

export interface CodeVariant {
  readonly label: string;
  readonly code: string;
}

/** Code with a copy button. Several variants are shown as tabs. */
export function CodeBlock({
  label,
  variants,
}: {
  readonly label: string;
  readonly variants: readonly CodeVariant[];
}) {
  const [chosen, setChosen] = useState(variants[0]?.label);
  const shown = variants.find((variant) => variant.label === chosen) ?? variants[0];
  if (shown === undefined) return null;
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between gap-2 border-b border-line py-1 pr-1.5 pl-1.5">
        <fieldset className="flex min-w-0 gap-1">
          <legend className="sr-only">{label}: language</legend>
          {variants.map((variant) => (
            <button
              key={variant.label}
              type="button"
              aria-pressed={variant === shown}
              onClick={() => setChosen(variant.label)}
              className="rounded-md px-2 py-1 text-sm font-medium text-text-2 hover:text-text aria-pressed:bg-surface aria-pressed:text-text aria-pressed:shadow-sm"
            >
              {variant.label}
            </button>
          ))}
        </fieldset>
        <CopyButton text={shown.code} what={label} />
      </div>
      <CodeText label={label} text={shown.code} />
    </div>
  );
}

/** Monospaced text that can be scrolled, also by keyboard. */
export function CodeText({
  label,
  text,
  wrap = false,
}: {
  readonly label: string;
  readonly text: string;
  readonly wrap?: boolean;
}) {
  return (
    <ScrollRegion label={label} className="max-h-96 overflow-auto">
      <pre className={`p-3 font-mono text-sm leading-5 ${wrap ? 'break-all whitespace-pre-wrap' : ''}`}>
        {text}
      </pre>
    </ScrollRegion>
  );
}
