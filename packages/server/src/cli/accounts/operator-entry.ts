import { requireAccount } from '../../accounts/accounts.ts';
import { currentTenant } from '../../accounts/store.ts';
import { writeAudit } from '../../users/audit/audit.ts';

/** Records an operator's action in an account's audit log. @param deps with the transaction that makes the change */
export async function noteOperator(
  deps: Parameters<typeof writeAudit>[0] & Parameters<typeof requireAccount>[0],
  accountId: string,
  entry: {
    readonly action: string;
    readonly objectId: string | null;
    readonly before?: object | null;
    readonly after: object | null;
  },
): Promise<void> {
  const account = await requireAccount(deps, accountId);
  const actor = { type: 'operator' } as const;
  await writeAudit(deps, { ...currentTenant(account), before: null, ...entry, ip: null, actor });
}
