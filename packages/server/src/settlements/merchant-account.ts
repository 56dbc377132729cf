import { isMadeWith } from '../payments/sql.ts';
import { identitiesNamed, merchantAccountIn } from '../processors/port/connected.ts';
import { ReportFault, type ReportLine } from '../processors/port/settlement.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** Whether anything was paid here by a merchant account of this name: it may have been replaced since. */
async function isFormer(tx: Queryable, tenant: Tenant, name: string): Promise<boolean> {
  const [row] = await tx.query<{ former: boolean }>({
    name: 'is_former_merchant_account',
    text: `select ${isMadeWith('$2')} as former`,
    values: [tenant.tenant, identitiesNamed(name)],
    scope: tenant,
  });
  return row?.former === true;
}

/**
 * Whose lines a report may have: a line of another merchant's would be a payout of this account.
 * @param connected identity of the merchant account that the account is connected to; null: to none
 * @returns what refuses a line of a merchant account that the account has not and never had
 */
export function ownLinesOnly(
  tx: Queryable,
  tenant: Tenant,
  connected: string | null,
): (line: ReportLine) => Promise<void> {
  const own = connected === null ? null : merchantAccountIn(connected);
  const taken = new Set([own]);
  return async ({ merchantAccount, line }) => {
    if (taken.has(merchantAccount)) return;
    if (!(await isFormer(tx, tenant, merchantAccount))) {
      const ours = own === null ? 'this account has none' : `that of this account is ${own}`;
      throw new ReportFault(line, null, `it is of the merchant account ${merchantAccount}, and ${ours}`);
    }
    taken.add(merchantAccount);
  };
}
