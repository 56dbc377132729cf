import { type Provider, providers } from '@till/contract';
import { type AccountDependencies, createAccount } from '../../accounts/accounts.ts';
import { listAccounts } from '../../accounts/store.ts';
import { createApiKey } from '../../api-keys/api-keys.ts';
import { listCells } from '../../cells/store.ts';
import type { Database } from '../../store/database.ts';
import { createSetupLink } from '../../users/invitations/setup-links.ts';

const demoLock = 7_110_413;

const firstCharge = (
  baseUrl: string,
  key: string,
  nextYear: number,
) => `  curl -s ${baseUrl}/api/v1/payments \\
    -H "Authorization: Bearer ${key}" \\
    -H "Idempotency-Key: first-charge" \\
    -H "Content-Type: application/json" \\
    -d '{"amount": 4990, "currency": "EUR", "reference": "order-1",
         "payment_method": {"type": "card", "number": "4111111111111111", "exp_month": 3, "exp_year": ${nextYear},
                            "cvc": "737", "holder_name": "Jane Smith"},
         "success_url": "https://shop.example/ok", "failure_url": "https://shop.example/failed"}'`;

/**
 * Creates two demo sandbox accounts, one for each processor, if the database has no account.
 * @returns the text to print: their keys and the link for the first login, which are shown only once, and a command that
 *   charges a test card. Undefined if there are accounts already.
 */
export async function createDemoAccounts(
  deps: AccountDependencies & { db: Database },
  baseUrl: string,
): Promise<string | undefined> {
  const demo = await deps.db.transaction(async (db) => {
    // Without the lock, two servers that start on one empty database would both find it empty.
    await db.query({ text: 'select pg_advisory_xact_lock($1)', values: [demoLock], scope: 'anybody' });
    if ((await listAccounts(db)).length > 0 || (await listCells(db)).length > 1) return undefined;
    const open = async (name: string, processor: Provider) => {
      const account = await createAccount({ ...deps, db }, { name, processor, environment: 'sandbox' });
      return {
        ...account,
        ...(await createApiKey({ ...deps, db }, account.account_id, { name: 'First key' })),
      };
    };
    const [first, second] = providers;
    const cards = await open('Demo shop A', first);
    const wallets = await open('Demo shop B', second);
    const link = await createSetupLink({ ...deps, db }, [cards.account_id, wallets.account_id]);
    return { cards, wallets, link };
  });
  if (demo === undefined) return undefined;
  const { cards, wallets, link } = demo;
  const line = (account: typeof cards) =>
    `  ${account.name} (${account.processor}, sandbox)  ${account.account_id}  ${account.secretKey}`;
  return `
Two sandbox accounts were created. Their API keys are shown this once:

${line(cards)}
${line(wallets)}

Open the dashboard. This link makes you the owner of both; it works once, for 24 hours:

  ${baseUrl}${link.path}

Charge a test card:

${firstCharge(baseUrl, cards.secretKey, deps.clock.now().getUTCFullYear() + 4)}

Guides and the API reference: ${baseUrl}/docs
More test cards: ${baseUrl}/docs/testing
`;
}
