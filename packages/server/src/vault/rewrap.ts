import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { Database, Queryable } from '../store/database.ts';
import { type MasterKeys, masterKeyOf, numberOf } from './master-keys.ts';
import { cellPlace, userTotpPlace } from './places.ts';
import { nonceLength, openBytes, sealBytes } from './seal.ts';
import {
  forgetMasterKeys,
  insertMasterKey,
  lockKeys,
  serversWithout,
  takeCellsUnderOthers,
  takeTotpUnderOthers,
  takeWrappedUnderOthers,
  updateCell,
  updateTotp,
  updateWrappedKeys,
} from './store.ts';
import { keyPlace } from './vault.ts';

/** A running server lacks the new master key, and could no longer open any secret. */
export class ServerWithoutKeyError extends Error {}

const batchSize = 1_000;

export interface RewrapDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly masterKeys: MasterKeys;
}

/**
 * Rewraps the keys of all accounts under the current master key, which is in force from then on, and reseals the secrets of
 * authenticators and the addresses of cells with it: all or nothing, in one commit. Text sealed with the accounts' keys does not
 * change.
 * @returns how many keys were rewrapped
 * @throws MasterKeyError if a key is wrapped under neither the current nor the previous master key
 * @throws ServerWithoutKeyError if a running server does not have the current master key
 */
export async function rewrapKeys(deps: RewrapDependencies): Promise<number> {
  const { db, clock, masterKeys } = deps;
  const { current } = masterKeys;
  return db.transaction(async (tx) => {
    await lockKeys(tx, 'alone');
    // A server that starts now waits for the lock before it reads which key is in force.
    await requireKeyOfServers(deps, tx);
    await forgetMasterKeys(tx);
    await insertMasterKey(tx, current, clock.now());
    await resealTotp(deps, tx);
    await resealCells(deps, tx);
    let count = 0;
    for (;;) {
      const keys = await takeWrappedUnderOthers(tx, current.id, batchSize);
      if (keys.length === 0) return count;
      const anew = keys.map((row) => ({
        ...row,
        master_key_id: current.id,
        wrapped: reseal(deps, keyPlace(row.account_id, row.version), row.wrapped, row.master_key_id),
      }));
      await updateWrappedKeys(tx, anew);
      count += keys.length;
    }
  });
}

async function requireKeyOfServers({ masterKeys }: RewrapDependencies, tx: Queryable): Promise<void> {
  const servers = await serversWithout(tx, numberOf(masterKeys.current));
  if (servers.length === 0) return;
  const names = servers.map(({ name, address }) => (address === null ? name : `${name} at ${address}`));
  throw new ServerWithoutKeyError(
    `These run without the key of TILL_MASTER_KEY and could read no secret any more: ${names.join('; ')}. Restart them with the same TILL_MASTER_KEY and TILL_MASTER_KEY_PREVIOUS as this command has, then call it again (docs/operating/configure.md, "Master key").`,
  );
}

async function resealTotp(deps: RewrapDependencies, tx: Queryable): Promise<void> {
  const { current } = deps.masterKeys;
  for (;;) {
    const rows = await takeTotpUnderOthers(tx, current.id, batchSize);
    if (rows.length === 0) return;
    const anew = rows.map((row) => ({
      ...row,
      master_key_id: current.id,
      secret: reseal(deps, userTotpPlace(row.user_id), row.secret, row.master_key_id),
    }));
    await updateTotp(tx, anew);
  }
}

async function resealCells(deps: RewrapDependencies, tx: Queryable): Promise<void> {
  const { current } = deps.masterKeys;
  for (const row of await takeCellsUnderOthers(tx, current.id)) {
    const url = reseal(deps, cellPlace(row.name), row.url, row.master_key_id);
    await updateCell(tx, { name: row.name, master_key_id: current.id, url });
  }
}

/** Opens a text with the named master key and seals it with the current one. */
function reseal(
  { masterKeys, randomBytes }: RewrapDependencies,
  place: string,
  sealed: Buffer,
  masterKeyId: string,
): Buffer {
  const plain = openBytes(masterKeyOf(masterKeys, masterKeyId).wrappingKey, place, sealed);
  const nonce = randomBytes(nonceLength).subarray(0, nonceLength);
  return sealBytes(masterKeys.current.wrappingKey, place, plain, nonce);
}
