import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { objectIn } from '../../lib/json.ts';
import type { Call } from '../call/call.ts';
import { findInstrument, type Instrument, removeInstrument } from '../model/instruments.ts';
import type { readVaultId } from '../model/saving.ts';
import { saveBehaviour } from '../model/saving.ts';
import { unprocessable } from '../wire/errors.ts';
import { readDirective } from './directives.ts';
import { readCredential } from './stored-credential.ts';

type VaultId = NonNullable<ReturnType<typeof readVaultId>>;

function isRevoked(instrument: Instrument, call: Call): boolean {
  return saveBehaviour(readDirective(call.body) ?? instrument.facts.directive) === 'revoked';
}

/**
 * Returns the instrument of a vault id if it can be charged. With the directive for a revoked agreement, the
 * first merchant-initiated charge of a wallet and all later ones are refused.
 * @throws Refusal if it cannot be charged
 */
export async function chargeable(
  { database }: Pick<SandboxDependencies, 'database'>,
  call: Call,
  { kind, token }: VaultId,
): Promise<Instrument> {
  const { merchantAccount, now } = call;
  const at = `/payment_source/${kind}`;
  const instrument = await findInstrument(database, merchantAccount, token, now);
  if (instrument === null) throw unprocessable('TOKEN_ID_NOT_FOUND', `${at}/vault_id`);
  const { facts, removed } = instrument;
  if ('wallet' in facts !== (kind === 'paypal')) {
    throw unprocessable('MISMATCHED_VAULT_ID_TO_PAYMENT_SOURCE', `${at}/vault_id`);
  }
  const revokedWallet = 'wallet' in facts && isRevoked(instrument, call);
  if (removed) {
    throw unprocessable(
      revokedWallet ? 'AGREEMENT_ALREADY_CANCELLED' : 'TOKEN_ID_NOT_FOUND',
      `${at}/vault_id`,
    );
  }
  const source = objectIn(objectIn(call.body, 'payment_source'), kind);
  if (revokedWallet && readCredential(source, kind) === 'MERCHANT') {
    await removeInstrument(database, merchantAccount, { token, now, events: [] });
    throw unprocessable('AGREEMENT_ALREADY_CANCELLED', `${at}/vault_id`);
  }
  return instrument;
}
