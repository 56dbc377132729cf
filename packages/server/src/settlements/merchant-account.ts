import { isMadeWith } from '../payments/sql.ts';
import { identitiesOfMerchantAccount, merchantAccountIn } from '../processors/port/connected.ts';
import { ReportError, type ReportLine } from '../processors/port/settlement.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** Whether this tenant ever took payments with a merchant account of this name. It may have been replaced since. */
async function isFormer(tx: Queryable, tenant: Tenant, name: string): Promise<boolean> {
  const [row] = await tx.query<{ former: boolean }>({
    name: 'is_former_merchant_account',
    text: `select ${isMadeWith('$2')} as former`,
    values: [tenant.tenant, identitiesOfMerchantAccount(name)],
    scope: tenant,
  });
  return row?.former === true;
}

/**
 * Restricts a report to lines of the account's own merchant accounts, so that another merchant's lines do not become payouts
 * here.
 * @param connected identity of the merchant account that the account is connected to; null if not connected
 * @returns a check that throws `ReportError` for a line of a merchant account that the account does not have and never had
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
      throw new ReportError(line, null, `it is of the merchant account ${merchantAccount}, and ${ours}`);
    }
    taken.add(merchantAccount);
  };
}
