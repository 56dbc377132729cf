import { ApiError, type Provider } from '@till/contract';
import { type AccountParts, OperatorError, requireAccount } from '../accounts/accounts.ts';
import type { AccountContext, Activation, Environment, ThreeDSecureSetting } from '../accounts/context.ts';
import { newId, randomBase62 } from '../lib/ids.ts';
import { sha256 } from '../lib/keys.ts';
import { Batcher } from '../store/batcher.ts';
import type { Database, Queryable } from '../store/database.ts';

export interface ApiKeyRow {
  readonly id: string;
  readonly livemode: boolean;
  readonly hint: string;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

/**
 * Makes a key of the account's current environment. Only its SHA-256 is kept: this is the one time that it is shown.
 * @throws OperatorError `account_not_found`
 */
export async function createApiKey(
  parts: AccountParts,
  accountId: string,
): Promise<{ id: string; secretKey: string }> {
  const account = await requireAccount(parts, accountId);
  const livemode = account.environment === 'live';
  const secretKey = `${livemode ? 'sk_live_' : 'sk_test_'}${randomBase62(32, parts.randomBytes)}`;
  const now = parts.clock.now();
  const id = newId('key', now, parts.randomBytes);
  await parts.db.query({
    text: `insert into api_keys (account_id, id, livemode, secret_sha256, hint, created_at)
           values ($1, $2, $3, $4, $5, $6)`,
    values: [
      accountId,
      id,
      livemode,
      sha256(secretKey),
      `${secretKey.slice(0, 8)}…${secretKey.slice(-4)}`,
      now,
    ],
  });
  return { id, secretKey };
}

/** Ends a key: the very next request with it is refused, on every process. @throws OperatorError `key_not_found` */
export async function revokeApiKey(parts: AccountParts, keyId: string): Promise<void> {
  const rows = await parts.db.query({
    text: 'update api_keys set revoked_at = coalesce(revoked_at, $2) where id = $1 returning id',
    values: [keyId, parts.clock.now()],
  });
  if (rows.length === 0) throw new OperatorError('key_not_found', `There is no API key ${keyId}.`);
}

export async function listApiKeys(db: Queryable, accountId: string): Promise<ApiKeyRow[]> {
  return db.query<ApiKeyRow>({
    text: `select id, livemode, hint, created_at, revoked_at from api_keys where account_id = $1 order by id`,
    values: [accountId],
  });
}

interface KeyRow {
  readonly n: number;
  readonly id: string;
  readonly account_id: string;
  readonly livemode: boolean;
  readonly revoked: boolean;
  readonly name: string;
  readonly environment: Environment;
  readonly activation: Activation;
  readonly processor: Provider;
  readonly store_payment_method_default: boolean;
  readonly clock_offset_ms: number;
  readonly connection_status: string;
  readonly three_d_secure: ThreeDSecureSetting;
}

/**
 * Looks a presented key up, with all that a request needs to know of its account. Nothing is cached between requests,
 * so a revocation or a switch of the environment holds at once; concurrent look-ups share one statement.
 */
export class Authenticator {
  readonly #lookup: Batcher<Buffer, KeyRow | undefined>;
  readonly #now: () => Date;

  constructor(db: Database, now: () => Date) {
    this.#now = now;
    this.#lookup = new Batcher(async (hashes) => {
      const rows = await db.query<KeyRow>({
        name: 'authenticate',
        text: `select s.n::int, k.id, k.account_id, k.livemode, k.revoked_at is not null as revoked, a.name, a.environment,
                 a.activation, a.processor, a.store_payment_method_default, a.clock_offset_ms,
                 c.status as connection_status, c.three_d_secure
               from unnest($1::bytea[]) with ordinality as s (hash, n)
               join api_keys k on k.secret_sha256 = s.hash
               join accounts a on a.account_id = k.account_id
               join connections c on c.account_id = k.account_id`,
        values: [hashes],
      });
      const found = new Map(rows.map((row) => [row.n, row]));
      return hashes.map((_hash, index) => found.get(index + 1));
    });
  }

  /** @throws ApiError `invalid_api_key`, `key_mode_mismatch` */
  async authenticate(secretKey: string): Promise<AccountContext> {
    const key = await this.#lookup.submit(sha256(secretKey));
    if (key === undefined || key.revoked) {
      throw new ApiError('invalid_api_key', 'The API key is not known or was revoked.');
    }
    if (key.livemode !== (key.environment === 'live')) {
      throw new ApiError(
        'key_mode_mismatch',
        `This is a ${key.livemode ? 'live' : 'sandbox'} key, but the account is in the ${key.environment} environment now. Create a key there.`,
      );
    }
    return {
      accountId: key.account_id,
      livemode: key.livemode,
      keyId: key.id,
      accountName: key.name,
      now: new Date(this.#now().getTime() + (key.livemode ? 0 : key.clock_offset_ms)),
      processor: key.processor,
      activation: key.activation,
      storePaymentMethodDefault: key.store_payment_method_default,
      connection: { connected: key.connection_status === 'connected', threeDSecure: key.three_d_secure },
    };
  }
}
