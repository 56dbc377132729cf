import { Badge } from '../../../components/values/badge.tsx';
import { Time } from '../../../components/values/time.tsx';
import { countOf } from '../../../lib/wording/plural.ts';
import type { ApiKey } from './revoke-key.tsx';

/** A limit applies to each currency separately, so it cannot be shown as an amount of money. */
const minorUnits = (amount: number): string => countOf(amount, 'minor unit');

/** What a restricted key may do, in a few lines of the list. Renders nothing for a full key. */
export function RestrictionShown({ restriction }: Pick<ApiKey, 'restriction'>) {
  if (restriction === null) return null;
  const {
    permissions,
    ends_at: end,
    addresses,
    max_amount: amount,
    max_daily: daily,
    approval_above: above,
  } = restriction;
  return (
    <span className="flex max-w-56 min-w-36 flex-col items-start gap-1 text-sm [overflow-wrap:anywhere]">
      <Badge>Restricted</Badge>
      <code className="font-mono text-xs">{permissions.join(', ')}</code>
      {amount !== null && <span>At most {minorUnits(amount)} at once</span>}
      {daily !== null && <span>At most {minorUnits(daily)} on one day</span>}
      {above !== null && (
        <span>
          {above === 0 ? 'All refunds' : 'Refunds'}, captures and links
          {above > 0 && ` above ${minorUnits(above)}`} wait for approval
        </span>
      )}
      {addresses.length > 0 && <span>Only from {addresses.join(', ')}</span>}
      {end !== null && (
        <span>
          Ends <Time at={end} />
        </span>
      )}
    </span>
  );
}
