import type { Pair } from './key-value.tsx';
import { None } from './key-value.tsx';

/** Names and values in a narrow column: the name stands above its value. A missing value is a dash. */
export function SideFacts({ pairs }: { readonly pairs: readonly Pair[] }) {
  return (
    <dl className="flex flex-col gap-2.5">
      {pairs.map(({ key, value }) => (
        <div key={key}>
          <dt className="text-sm text-text-3">{key}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">{value ?? <None />}</dd>
        </div>
      ))}
    </dl>
  );
}
