import { useDataAge } from '../../api/ages.ts';

/** Says how old the lists and figures are that the server read from a standby. Renders nothing if there are none. */
export function DataAge() {
  const seconds = useDataAge();
  return seconds === undefined ? null : (
    <p className="mt-6 text-sm text-text-2">
      Lists and figures are read from a copy of the database: when they were loaded they were at most{' '}
      {seconds === 1 ? '1 second' : `${seconds} seconds`} old.
    </p>
  );
}
