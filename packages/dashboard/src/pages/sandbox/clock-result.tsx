import type { Answer } from '../../api/calls.ts';
import { ObjectLink } from '../../components/values/object-link.tsx';
import { Time } from '../../components/values/time.tsx';
import { Link, usePaths } from '../../navigation/navigation.tsx';

type Moved = Answer<'advanceSandboxClock'>;

const holds = (count: number) => (count === 1 ? '1 hold' : `${count} holds`);

/** The changes that happened while the clock moved. */
export function ClockResult({ moved }: { readonly moved: Moved }) {
  const paths = usePaths();
  const nothing = moved.events.length === 0 && moved.holds_unguaranteed + moved.holds_expired === 0;
  return (
    <section aria-label="What changed" className="mt-4 rounded-md border border-line bg-sunken px-3 py-2.5">
      <h3 className="text-sm font-medium">
        What changed between <Time at={moved.before} /> and <Time at={moved.now} />
      </h3>
      {nothing && <p className="mt-1 text-sm text-text-2">Nothing: no deadline lay in between.</p>}
      <ul className="mt-1.5 flex flex-col gap-1 text-sm">
        {moved.holds_unguaranteed > 0 && <li>{holds(moved.holds_unguaranteed)} lost the guarantee</li>}
        {moved.holds_expired > 0 && <li>{holds(moved.holds_expired)} expired</li>}
        {moved.events.map(({ id, type, object_id: object }) => (
          <li key={id} className="flex flex-wrap gap-x-2">
            <code className="font-mono">{type}</code>
            <ObjectLink id={object} />
          </li>
        ))}
      </ul>
      {moved.events.length > 0 && (
        <p className="mt-2 text-sm">
          <Link to={paths.events}>{moved.has_more_events ? 'All events' : 'To the events'}</Link>
        </p>
      )}
    </section>
  );
}
