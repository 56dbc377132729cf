import type { NoAnswer, ProcessorConnection, ProcessorPort } from '../port/port.ts';
import { notExecuted } from '../upstream/no-answer.ts';
import { type ObservationDependencies, observed } from '../upstream/observation.ts';
import { capabilities } from './capabilities.ts';
import { charge } from './charges/charge.ts';
import { confirm } from './charges/confirm.ts';
import { unsentFields } from './charges/level-two-three.ts';
import { acceptDispute, defendDispute } from './disputes/disputes.ts';
import { cancel } from './modifications/cancel.ts';
import { refund } from './modifications/refund.ts';
import { interpretNotification } from './notifications/interpret-notification.ts';
import { notificationReceipt, receiveNotification } from './notifications/notification-intake.ts';
import { removeInstrument } from './saved-methods/remove-instrument.ts';
import { toUpstreamAmount } from './wire/money.ts';
import { openSession, type Session, type SessionDependencies } from './wire/session.ts';

export interface ProcessorADependencies extends SessionDependencies, ObservationDependencies {}

/**
 * The adapter of processor_a: cards through the Adyen Checkout API, in the version given in `upstream-versions.ts`. It throws
 * for operations that this processor does not offer (card fields, wallets, manual capture) and that its capabilities rule
 * out.
 */
export function createProcessorA(deps: ProcessorADependencies): ProcessorPort {
  const operation =
    <Request, Outcome extends { readonly kind: string }>(
      name: string,
      run: (session: Session, request: Request) => Promise<Outcome>,
    ) =>
    (connection: ProcessorConnection, request: Request): Promise<Outcome | NoAnswer> =>
      observed<Outcome | NoAnswer>(deps, connection, name, async (note) => {
        const session = openSession(deps, connection, note);
        return session === undefined
          ? notExecuted('provider_error', 'credentials missing')
          : run(session, request);
      });

  return {
    name: 'processor_a',
    capabilities,
    retryAfterSeconds: (connection) => deps.guard?.retryAfterSeconds(connection) ?? null,
    // Cards of every brand can be stored; the upstream charges no wallets here.
    canSave: (method) => method === 'card',
    supportsAmount: (amount, currency) => toUpstreamAmount(amount, currency) !== undefined,
    unsentFields,
    charge: operation('charge', charge),
    confirm: operation('confirm', confirm),
    capture: async () => holdsNotOffered(),
    void: async () => holdsNotOffered(),
    lookUp: async () => ({ kind: 'cannot_tell' }),
    cancel: operation('cancel', cancel),
    removeInstrument: operation('remove_instrument', removeInstrument),
    refund: operation('refund', refund),
    acceptDispute: operation('accept_dispute', acceptDispute),
    defendDispute: operation('defend_dispute', defendDispute),
    notificationReceipt,
    receiveNotification,
    interpretNotification: (_connection, body) => interpretNotification(body),
  };
}

function holdsNotOffered(): never {
  throw new Error('processor_a holds no payments');
}
