import { hkdfSync } from 'node:crypto';
import type { Database } from '../store/database.ts';
import { insertMasterKey, lockKeys, masterKeysOnRecord, wrappedUnderOthers } from './store.ts';

/** The values derived from the master key, which protects the keys of the accounts. */
export interface MasterKey {
  /** Distinguishes this master key from others, and reveals nothing else. */
  readonly id: string;
  /** Stored in the database: a process with the same check value has the same master key. */
  readonly checkValue: Buffer;
  readonly wrappingKey: Buffer;
}

/** The current master key, and during a rotation also the other one. */
export interface MasterKeys {
  readonly current: MasterKey;
  readonly previous: MasterKey | null;
}

/** The database was used with another master key; the message says what to do. */
export class MasterKeyError extends Error {}

/** The number of the advisory lock with which a running server shows that it has this master key (`masterKeyLockClass`). */
export const numberOf = ({ id }: MasterKey): number => Number.parseInt(id.slice(0, 8), 16) >>> 1;

/** The master keys that a process has: both during a rotation. */
export const keysOf = ({ current, previous }: MasterKeys): readonly MasterKey[] =>
  previous === null ? [current] : [current, previous];

/** @param current, previous at least 32 random bytes each */
export function deriveMasterKeys(current: Buffer, previous: Buffer | null): MasterKeys {
  return { current: deriveMasterKey(current), previous: previous && deriveMasterKey(previous) };
}

function deriveMasterKey(key: Buffer): MasterKey {
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', key, '', `till vault ${purpose}`, length));
  return {
    id: derive('master key id', 8).toString('hex'),
    checkValue: derive('master key check', 32),
    wrappingKey: derive('wrapping key', 32),
  };
}

/** The master key with this id. @throws MasterKeyError if it is not configured */
export function masterKeyOf(keys: MasterKeys, id: string): MasterKey {
  const found = keysOf(keys).find((key) => key.id === id);
  if (found === undefined) throw new MasterKeyError(foreign);
  return found;
}

const foreign =
  "The database's secrets are protected by another master key. Set TILL_MASTER_KEY, or the file master.key in the data folder, to the key that this database was used with; till backup does not copy it. While you change the key, set the other one as TILL_MASTER_KEY_PREVIOUS.";

/**
 * Checks that this database belongs to the configured master key. The first start records that key.
 * @param now real time
 * @throws MasterKeyError if secrets in the database could not be opened
 */
export async function checkMasterKey(db: Database, keys: MasterKeys, now: Date): Promise<void> {
  const own = keysOf(keys);
  await db.transaction(async (tx) => {
    // Otherwise two servers with different keys that start on an empty database could both record theirs.
    await lockKeys(tx, 'alone');
    const known = await masterKeysOnRecord(tx);
    const isOwn = known.some(({ id, check_value: value }) =>
      own.some((key) => key.id === id && key.checkValue.equals(value)),
    );
    const others = await wrappedUnderOthers(
      tx,
      own.map((key) => key.id),
    );
    if (others || (known.length > 0 && !isOwn)) throw new MasterKeyError(foreign);
    if (known.length === 0) await insertMasterKey(tx, keys.current, now);
  });
}
