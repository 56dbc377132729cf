import { GitCompareArrows } from 'lucide-react';
import type { Answer } from '../../../api/calls.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { ScrollRegion } from '../../../components/layout/scroll-region.tsx';
import { PreciseTime } from '../precise-time.tsx';

type Reuse = NonNullable<Answer<'retrieveRequestLog'>['reuse']>;

/**
 * Explains why a request was refused with key_reused: shows how its body differs from that of the first request with
 * the same key.
 */
export function KeyReuseExplained({
  reuse,
  onOpen,
}: {
  readonly reuse: Reuse;
  readonly onOpen: (id: string) => void;
}) {
  const { first, differences, unknown } = reuse;
  return (
    <section aria-labelledby="key-reuse" className="rounded-lg border border-line p-4">
      <h3 id="key-reuse" className="flex items-center gap-2 font-semibold">
        <Icon of={GitCompareArrows} />
        The key belongs to another body
      </h3>
      {first === null ? (
        <p className="mt-2 text-text-2">
          The first request with this idempotency key is not in the log: it is older, or was left out under
          load. Use a new key for a new request; repeat a request with exactly the same body.
        </p>
      ) : (
        <>
          <p className="mt-2 text-text-2">
            It was used first at <PreciseTime at={first.at} />. Use a new key for a new request; repeat a
            request with exactly the same body.
          </p>
          <Button size="sm" className="mt-2" onClick={() => onOpen(first.id)}>
            Open the first request
          </Button>
          {differences.length > 0 && <DifferenceTable differences={differences} />}
          {unknown.length > 0 && <UnknownFields paths={unknown} alone={differences.length === 0} />}
          {differences.length === 0 && unknown.length === 0 && (
            <p className="mt-3 text-text-2">What is kept of the two bodies is the same.</p>
          )}
        </>
      )}
    </section>
  );
}

function DifferenceTable({ differences }: Pick<Reuse, 'differences'>) {
  const cell = 'px-3 py-1.5 text-left align-baseline';
  const value = (text: string | null, look: string) =>
    text === null ? (
      <span className="text-text-3">not sent</span>
    ) : (
      <code className={`font-mono text-sm [overflow-wrap:anywhere] ${look}`}>{text}</code>
    );
  return (
    <ScrollRegion label="Differences" className="mt-3 overflow-x-auto rounded-lg border border-line">
      <table className="w-full border-collapse">
        <caption className="sr-only">Fields that differ between the first request and this one</caption>
        <thead className="bg-sunken text-sm text-text-2">
          <tr>
            <th scope="col" className={`${cell} font-medium`}>
              Field
            </th>
            <th scope="col" className={`${cell} font-medium`}>
              First request
            </th>
            <th scope="col" className={`${cell} font-medium`}>
              This request
            </th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ path, first, now }) => (
            <tr key={path} className="border-t border-line">
              <th scope="row" className={`${cell} font-mono text-sm font-normal [overflow-wrap:anywhere]`}>
                {path}
              </th>
              <td className={cell}>{value(first, '')}</td>
              <td className={cell}>{value(now, 'text-warn')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function UnknownFields({ paths, alone }: { readonly paths: readonly string[]; readonly alone: boolean }) {
  return (
    <p className="mt-3 text-sm text-text-2">
      {alone ? 'Everything that is kept is the same. ' : ''}
      The values of these fields are not kept, so they may differ too:{' '}
      {paths.map((path, index) => (
        <span key={path}>
          {index > 0 && ', '}
          <code className="font-mono [overflow-wrap:anywhere]">{path}</code>
        </span>
      ))}
      .
    </p>
  );
}
