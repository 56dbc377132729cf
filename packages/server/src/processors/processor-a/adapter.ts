import { notExecuted } from '../no-answer.ts';
import { type ObservationParts, observed } from '../observation.ts';
import type { NoAnswer, ProcessorConnection, ProcessorPort } from '../port.ts';
import { cancel } from './cancel.ts';
import { capabilities } from './capabilities.ts';
import { charge } from './charge.ts';
import { confirm } from './confirm.ts';
import { acceptDispute, defendDispute } from './disputes.ts';
import { interpretNotification } from './interpret-notification.ts';
import { unsentFields } from './level-two-three.ts';
import { toUpstreamAmount } from './money.ts';
import { notificationReceipt, receiveNotification } from './notification-intake.ts';
import { refund } from './refund.ts';
import { removeInstrument } from './remove-instrument.ts';
import { openSession, type Session, type SessionParts } from './session.ts';

export interface ProcessorAParts extends SessionParts, ObservationParts {}

/**
 * The adapter of processor_a: cards through the Adyen Checkout API, in the version
 * that `upstream-versions.ts` names. It throws for what this processor does
 * not offer (card fields, wallets, manual capture), which nobody may ask of it.
 */
export function createProcessorA(parts: ProcessorAParts): ProcessorPort {
  const operation =
    <Request, Outcome extends { readonly kind: string }>(
      name: string,
      run: (session: Session, request: Request) => Promise<Outcome>,
    ) =>
    (connection: ProcessorConnection, request: Request): Promise<Outcome | NoAnswer> =>
      observed<Outcome | NoAnswer>(parts, connection, name, async (note) => {
        const session = openSession(parts, connection, note);
        return session === undefined
          ? notExecuted('provider_error', 'credentials missing')
          : run(session, request);
      });

  return {
    name: 'processor_a',
    capabilities,
    retryAfterSeconds: (connection) => parts.guard?.retryAfterSeconds(connection) ?? null,
    // Every brand that a card number can tell; the upstream charges no wallets here.
    stores: (method) => method === 'card',
    carries: (amount, currency) => toUpstreamAmount(amount, currency) !== undefined,
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
