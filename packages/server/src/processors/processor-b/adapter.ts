import { notExecuted } from '../no-answer.ts';
import { type ObservationParts, observed } from '../observation.ts';
import type { NoAnswer, ProcessorConnection, ProcessorPort } from '../port.ts';
import { cancel } from './cancel.ts';
import { charge } from './charge.ts';
import { confirm } from './confirm.ts';
import { capture, voidHold } from './hold.ts';
import { lookUp } from './look-up.ts';
import { toMoney } from './money.ts';
import { openSession, type Session, type SessionParts } from './session.ts';
import { submitCard } from './submit-card.ts';
import { tokenCache } from './token-cache.ts';

export interface ProcessorBParts extends SessionParts, ObservationParts {
  /** Wall clock, for the lifetime of access tokens. */
  now(): Date;
}

/** The adapter of processor_b: cards, card fields and wallets through PayPal REST, Orders v2 and Payments v2. */
export function createProcessorB(
  parts: ProcessorBParts,
): ProcessorPort & Required<Pick<ProcessorPort, 'submitCard'>> {
  const tokens = tokenCache(parts);
  const operation =
    <Request, Outcome extends { readonly kind: string }>(
      name: string,
      run: (session: Session, request: Request) => Promise<Outcome>,
    ) =>
    (connection: ProcessorConnection, request: Request): Promise<Outcome | NoAnswer> =>
      observed<Outcome | NoAnswer>(parts, name, async (note) => {
        const session = openSession(parts, tokens, connection, note);
        return session === undefined
          ? notExecuted('provider_error', 'credentials missing')
          : run(session, request);
      });

  return {
    name: 'processor_b',
    carries: (amount, currency) => toMoney(amount, currency) !== undefined,
    charge: operation('charge', charge),
    confirm: operation('confirm', confirm),
    submitCard: operation('submit_card', submitCard),
    capture: operation('capture', capture),
    void: operation('void', voidHold),
    lookUp: operation('look_up', lookUp),
    cancel: operation('cancel', cancel),
  };
}
