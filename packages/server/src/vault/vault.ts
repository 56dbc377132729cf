import { createHmac, hkdfSync } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { Database } from '../store/database.ts';
import { MasterKeyError, type MasterKeys, masterKeyOf } from './master-keys.ts';
import { nonceLength, openBytes, sealBytes } from './seal.ts';
import { findWrappedKey, insertWrappedKey, lockKeys, masterKeysOnRecord, newestVersion } from './store.ts';

/** How long, in milliseconds, a process may still seal with an account's former key after a new one was created. */
export const keyCacheMs = 5_000;
const keyLength = 32;
/** The version of the key from which names derive. Rotation adds keys and never removes this one, so names stay the same. */
const firstVersion = 1;

export interface VaultDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly masterKeys: MasterKeys;
}

/** The place to which the wrapping of an account's key is bound. */
export const keyPlace = (accountId: string, version: number): string =>
  `account_keys ${accountId} ${version}`;

/**
 * Seals secrets that must be read again, such as the processors' tokens, with AES-256-GCM under a key of the account, which in
 * turn is wrapped by the master key (docs/operating/configure.md, "Master key"). A copy of the database alone opens nothing.
 */
export class Vault {
  readonly #deps: VaultDependencies;
  /** Unwrapped keys by account and version. They never change, so they are cached from the first look-up on. */
  readonly #keys = new Map<string, Promise<Buffer>>();
  readonly #namingKeys = new Map<string, Buffer>();
  readonly #newest = new Map<string, { readonly version: number; readonly knownUntil: number }>();

  constructor(deps: VaultDependencies) {
    this.#deps = deps;
  }

  /**
   * Seals a text for one place, e.g. the table, account, mode and id of its row (`places.ts`).
   * @returns the sealed text to store, and the version of its key
   */
  async seal(
    accountId: string,
    place: string,
    text: string,
  ): Promise<{ sealed: Buffer; keyVersion: number }> {
    const keyVersion = await this.#newestVersion(accountId);
    const key = await this.#key(accountId, keyVersion);
    return { sealed: sealBytes(key, place, Buffer.from(text), this.#random(nonceLength)), keyVersion };
  }

  /** Opens a sealed text. @throws if it was sealed for another place or account, or was changed */
  async open(accountId: string, place: string, sealed: Buffer, keyVersion: number): Promise<string> {
    return openBytes(await this.#key(accountId, keyVersion), place, sealed).toString('utf8');
  }

  /** A keyed hash to find a secret without opening any: 32 bytes, always the same for one account and text. */
  async name(accountId: string, text: string): Promise<Buffer> {
    const key = this.#namingKeys.get(accountId) ?? (await this.#namingKey(accountId));
    return createHmac('sha256', key).update(text).digest();
  }

  async #namingKey(accountId: string): Promise<Buffer> {
    await this.#newestVersion(accountId);
    const key = await this.#key(accountId, firstVersion);
    const namingKey = Buffer.from(hkdfSync('sha256', key, '', 'till vault name', keyLength));
    this.#namingKeys.set(accountId, namingKey);
    return namingKey;
  }

  /** Creates a new key for the account, which is used for sealing from now on. @returns its version */
  async addKey(accountId: string): Promise<number> {
    const version = (await newestVersion(this.#deps.db, accountId)) + 1;
    await this.#makeKey(accountId, version);
    this.#note(accountId, version);
    return version;
  }

  async #newestVersion(accountId: string): Promise<number> {
    const known = this.#newest.get(accountId);
    if (known !== undefined && this.#deps.clock.elapsed() < known.knownUntil) return known.version;
    const found = await newestVersion(this.#deps.db, accountId);
    if (found === 0) await this.#makeKey(accountId, firstVersion);
    const version = found === 0 ? firstVersion : found;
    this.#note(accountId, version);
    return version;
  }

  #note(accountId: string, version: number): void {
    this.#newest.set(accountId, { version, knownUntil: this.#deps.clock.elapsed() + keyCacheMs });
  }

  #key(accountId: string, version: number): Promise<Buffer> {
    const place = keyPlace(accountId, version);
    const known = this.#keys.get(place);
    if (known !== undefined) return known;
    const key = this.#unwrappedKey(accountId, version);
    this.#keys.set(place, key);
    key.catch(() => this.#keys.delete(place));
    return key;
  }

  async #unwrappedKey(accountId: string, version: number): Promise<Buffer> {
    const row = await findWrappedKey(this.#deps.db, accountId, version);
    if (row === undefined) throw new Error(`${accountId} has no key of version ${version}`);
    const { wrappingKey } = masterKeyOf(this.#deps.masterKeys, row.master_key_id);
    return openBytes(wrappingKey, keyPlace(accountId, version), row.wrapped);
  }

  /** Creates a key. If another process creates the same version at the same moment, the first one stays. */
  async #makeKey(accountId: string, version: number): Promise<void> {
    const { db, clock, masterKeys } = this.#deps;
    const key = Buffer.from(this.#random(keyLength));
    const nonce = this.#random(nonceLength);
    await db.transaction(async (tx) => {
      await lockKeys(tx, 'shared');
      const [inForce] = await masterKeysOnRecord(tx);
      if (inForce === undefined) throw new MasterKeyError('The database has no record of its master key.');
      const { wrappingKey } = masterKeyOf(masterKeys, inForce.id);
      const row = {
        account_id: accountId,
        version,
        master_key_id: inForce.id,
        wrapped: sealBytes(wrappingKey, keyPlace(accountId, version), key, nonce),
      };
      await insertWrappedKey(tx, row, clock.now());
    });
  }

  #random(length: number): Uint8Array {
    return this.#deps.randomBytes(length).subarray(0, length);
  }
}
