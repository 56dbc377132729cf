import type { NotificationRequest } from '../port/notifications.ts';
import type { NoAnswer, ProcessorConnection, ProcessorPort } from '../port/port.ts';
import { notExecuted } from '../upstream/no-answer.ts';
import { type ObservationDependencies, observed } from '../upstream/observation.ts';
import { capabilities } from './capabilities.ts';
import { charge } from './charges/charge.ts';
import { confirm } from './charges/confirm.ts';
import { submitCard } from './charges/submit-card.ts';
import { acceptDispute, defendDispute } from './disputes/dispute-moves.ts';
import { cancel } from './modifications/cancel.ts';
import { capture, voidHold } from './modifications/hold.ts';
import { lookUp } from './modifications/look-up.ts';
import { lookUpRefund, refund } from './modifications/refund.ts';
import { certificateCache } from './notifications/certificates.ts';
import { interpretNotification } from './notifications/interpret-notification.ts';
import { receiveNotification, verificationBudgets } from './notifications/receive-notification.ts';
import { unsentFields } from './orders/level-two-three.ts';
import { clientToken, removeInstrument } from './saved-methods/instruments.ts';
import { toMoney } from './wire/money.ts';
import { openSession, type Session, type SessionDependencies } from './wire/session.ts';
import { tokenCache } from './wire/token-cache.ts';

export interface ProcessorBDependencies extends SessionDependencies, ObservationDependencies {
  /** Wall clock, for the lifetime of access tokens and certificates. */
  now(): Date;
}

/**
 * The adapter of processor_b, which uses PayPal REST: cards, card fields and wallets, new or saved (Orders v2, Payments v2,
 * Payment Method Tokens v3), disputes (Disputes v1) and notifications (Webhooks v1).
 */
export function createProcessorB(
  deps: ProcessorBDependencies,
): ProcessorPort & Required<Pick<ProcessorPort, 'submitCard' | 'clientToken' | 'lookUpRefund'>> {
  const tokens = tokenCache(deps);
  const verification = {
    certificates: certificateCache(deps),
    budgets: verificationBudgets(deps),
    now: () => deps.now(),
  };
  const operation =
    <Request, Outcome extends { readonly kind: string }>(
      name: string,
      run: (session: Session, request: Request) => Promise<Outcome>,
    ) =>
    (connection: ProcessorConnection, request: Request): Promise<Outcome | NoAnswer> =>
      observed<Outcome | NoAnswer>(deps, connection, name, async (note) => {
        const session = openSession(deps, tokens, connection, note);
        return session === undefined
          ? notExecuted('provider_error', 'credentials missing')
          : run(session, request);
      });

  const interpret = operation('interpret_notification', interpretNotification);
  return {
    name: 'processor_b',
    capabilities,
    retryAfterSeconds: (connection) => deps.guard?.retryAfterSeconds(connection) ?? null,
    // The upstream cannot store Maestro cards; a card of unknown brand may be storable.
    canSave: (method, brand) => method === 'wallet' || brand !== 'maestro',
    supportsAmount: (amount, currency) => toMoney(amount, currency) !== undefined,
    unsentFields,
    charge: operation('charge', charge),
    confirm: operation('confirm', confirm),
    submitCard: operation('submit_card', submitCard),
    capture: operation('capture', capture),
    void: operation('void', voidHold),
    lookUp: operation('look_up', lookUp),
    cancel: operation('cancel', cancel),
    removeInstrument: operation('remove_instrument', removeInstrument),
    clientToken: operation('client_token', clientToken),
    refund: operation('refund', refund),
    lookUpRefund: operation('look_up_refund', lookUpRefund),
    acceptDispute: operation('accept_dispute', acceptDispute),
    defendDispute: operation('defend_dispute', defendDispute),
    notificationReceipt: '',
    receiveNotification: operation('receive_notification', (session, request: NotificationRequest) =>
      receiveNotification(verification, session, request),
    ),
    async interpretNotification(connection, body) {
      const outcome = await interpret(connection, body);
      return outcome.kind === 'interpreted' ? outcome.effects : outcome;
    },
  };
}
