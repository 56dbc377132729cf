import { Tooltip } from '../components/buttons/tooltip.tsx';
import { useAccountNow } from '../components/values/account-clock.tsx';
import { formatClock, formatTime } from '../lib/amounts/time.ts';
import { timeZone, zoneName } from '../lib/amounts/zone.ts';
import { Link, usePaths } from '../navigation/navigation.tsx';

/** The account's current time with its time zone, in which all pages show their times. */
export function ShopClock() {
  const moment = useAccountNow(10_000);
  const at = new Date(moment).toISOString();
  const zone = timeZone().replaceAll('_', ' ');
  return (
    <Tooltip text={`All times are those of the account, in ${zone}. It shows ${formatTime(at)}.`}>
      <Link
        to={usePaths().settings('business')}
        className="rounded-sm px-1 py-1.5 text-sm whitespace-nowrap text-text-2 tabular-nums hover:text-text hover:underline"
      >
        <span className="max-sm:hidden">{formatClock(at)} </span>
        {zoneName(moment)}
        <span className="sr-only">, the time of the account in {zone}</span>
      </Link>
    </Tooltip>
  );
}
