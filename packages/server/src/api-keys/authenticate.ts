import { ApiError, type Provider } from '@till/contract';
import type { KeyRestriction } from '@till/contract/dashboard';
import type { AccountContext } from '../accounts/context.ts';
import { joinAccount, joinConnection } from '../accounts/sql.ts';
import type { Activation, Environment, ThreeDSecureSetting } from '../accounts/store.ts';
import { recordDigest } from '../idempotency/claims.ts';
import { joinRecord, recordColumns } from '../idempotency/store.ts';
import type { IdempotencyRecord, LookedUpRecord } from '../lib/idempotency-record.ts';
import { sha256 } from '../lib/keys.ts';
import { type Suspend, suspendNothing } from '../lib/waiting/suspend.ts';
import { Batcher } from '../store/batcher.ts';
import type { Database } from '../store/database.ts';
import { parameterRows } from '../store/sql.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';
import { isOver, mayComeFrom } from './restriction.ts';

/** The owner of a key. The tenant is that of the account's current environment, regardless of the key's mode. */
export interface KeyOwner extends Tenant {
  readonly keyId: string;
}

/** The scope and the `Idempotency-Key` of a request. */
export interface IdempotencyScope {
  readonly scope: string;
  readonly key: string;
}

export interface AuthenticateOptions {
  /** Called with the owner of a known key, even if the key is then refused; the tenant is that of the account's environment. */
  readonly onKnown?: (owner: KeyOwner) => void;
  /** Called right before the statement that looks the key up, so the data that it reads is no older than this call. */
  readonly onLookUp?: () => void;
  /** The scope and the idempotency key of the request; null if it has none. */
  readonly idempotent?: IdempotencyScope | null;
  /** Releases the request's place while it waits. If absent, the request holds no place. */
  readonly suspend?: Suspend;
  /** The client's address. If absent, it is unknown, and a key that is bound to addresses is refused. */
  readonly ip?: string;
}

interface Presented {
  readonly secretKey: string;
  readonly idempotent: IdempotencyScope | null;
  readonly onLookUp: (() => void) | undefined;
}

/** The distinct look-ups of a batch. Most of its requests come from one merchant's server, with the same key. */
function distinctOf(presented: readonly Presented[]) {
  const distinct: Presented[] = [];
  const found = new Map<string, number>();
  const indexes = presented.map((one) => {
    const { secretKey, idempotent } = one;
    const name =
      idempotent === null ? secretKey : JSON.stringify([secretKey, idempotent.scope, idempotent.key]);
    const known = found.get(name);
    if (known !== undefined) return known;
    found.set(name, distinct.length);
    return distinct.push(one) - 1;
  });
  return { distinct, indexes };
}

interface KeyRow {
  readonly n: number;
  readonly id: string;
  readonly tenant: TenantId;
  readonly environment_tenant: TenantId;
  readonly account_id: string;
  readonly livemode: boolean;
  readonly revoked: boolean;
  readonly expires_at: Date | null;
  readonly restriction: KeyRestriction | null;
  readonly name: string;
  readonly time_zone: string;
  readonly environment: Environment;
  readonly activation: Activation;
  readonly processor: Provider;
  readonly store_payment_method_default: boolean;
  readonly clock_offset_ms: number;
  readonly connection_status: string;
  readonly three_d_secure: ThreeDSecureSetting;
}

/** A key, with the idempotency record of the request if there is one. */
type LookedUp = KeyRow & (IdempotencyRecord | { readonly fingerprint: null });

/**
 * Looks up a presented key, together with the account data and the idempotency record that the request needs. Nothing is
 * cached between requests, so a revocation or a switch of the environment takes effect at once. Concurrent look-ups share one
 * statement.
 */
export class Authenticator {
  readonly #lookup: Batcher<Presented, LookedUp | undefined>;
  readonly #now: () => Date;

  constructor(db: Database, now: () => Date) {
    this.#now = now;
    this.#lookup = new Batcher(async (presented) => {
      for (const { onLookUp } of presented) onLookUp?.();
      const { distinct, indexes } = distinctOf(presented);
      const rows = await db.query<LookedUp>({
        name: 'authenticate',
        generic: true,
        scope: 'everybody',
        text: `select s.n::int, k.id, k.tenant, k.account_id, t.livemode,
                 case when t.livemode = (a.environment = 'live') then t.tenant else (
                   select e.tenant from tenants e where e.account_id = a.account_id and e.livemode <> t.livemode)
                 end as environment_tenant,
                 k.revoked_at is not null as revoked, k.expires_at, k.restriction, a.name, a.time_zone, a.environment,
                 a.activation, a.processor, a.store_payment_method_default, a.clock_offset_ms,
                 c.status as connection_status, c.three_d_secure, ${recordColumns('i')}
               from ${parameterRows('bytea', 'bytea')}
                 with ordinality as s (hash, digest, n)
               join api_keys k on k.secret_sha256 = s.hash
               join tenants t on t.tenant = k.tenant
               ${joinAccount('k')}
               ${joinConnection('k')}
               left ${joinRecord('i', { of: 'k', named: 's' })}`,
        values: [
          distinct.map(({ secretKey }) => sha256(secretKey)),
          distinct.map(({ idempotent }) => idempotent && recordDigest(idempotent)),
        ],
      });
      const found = new Map(rows.map((row) => [row.n, row]));
      return indexes.map((index) => found.get(index + 1));
    });
  }

  /**
   * @returns the caller, and the result of looking up the idempotency key; null if the request has none
   * @throws ApiError `invalid_api_key`, also for a restricted key after its end or from another address; `key_mode_mismatch`
   */
  async authenticate(
    secretKey: string,
    { onKnown, onLookUp, idempotent = null, suspend = suspendNothing, ip }: AuthenticateOptions = {},
  ): Promise<{ caller: AccountContext; lookedUp: LookedUpRecord | null }> {
    const key = await this.#lookup.submit({ secretKey, idempotent, onLookUp });
    const livemode = key?.environment === 'live';
    if (key !== undefined) {
      onKnown?.({ tenant: key.environment_tenant, accountId: key.account_id, livemode, keyId: key.id });
    }
    const isEnded = key?.expires_at != null && key.expires_at <= this.#now();
    if (key === undefined || key.revoked || isEnded) {
      throw new ApiError('invalid_api_key', 'The API key is not known or was revoked.');
    }
    if (key.restriction !== null) this.#requireInForce(key, key.restriction, ip);
    if (key.livemode !== livemode) {
      throw new ApiError(
        'key_mode_mismatch',
        `This is a ${key.livemode ? 'live' : 'sandbox'} key, but the account is in the ${key.environment} environment now. Create a key there.`,
      );
    }
    const lookedUp = idempotent && { record: key.fingerprint === null ? undefined : key };
    return { caller: this.#contextOf(key, suspend), lookedUp };
  }

  /** @throws ApiError `invalid_api_key` */
  #requireInForce(key: KeyRow, restriction: KeyRestriction, ip: string | undefined): void {
    if (isOver(restriction, this.#accountTime(key))) {
      throw new ApiError('invalid_api_key', `This API key ended on ${restriction.ends_at}.`);
    }
    if (!mayComeFrom(restriction, ip)) {
      const from = ip === undefined ? 'here' : `the address ${ip}`;
      throw new ApiError('invalid_api_key', `This API key may not be used from ${from}.`);
    }
  }

  #accountTime({ livemode, clock_offset_ms: offsetMs }: KeyRow): Date {
    return new Date(this.#now().getTime() + (livemode ? 0 : offsetMs));
  }

  #contextOf(key: KeyRow, suspend: Suspend): AccountContext {
    return {
      tenant: key.tenant,
      accountId: key.account_id,
      livemode: key.livemode,
      keyId: key.id,
      restriction: key.restriction,
      accountName: key.name,
      timeZone: key.time_zone,
      now: this.#accountTime(key),
      processor: key.processor,
      activation: key.activation,
      storePaymentMethodDefault: key.store_payment_method_default,
      connection: { connected: key.connection_status === 'connected', threeDSecure: key.three_d_secure },
      suspend,
    };
  }
}
