import { findTestCard } from '../../directives/cards.ts';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { randomDigits, randomReference } from '../../lib/random.ts';
import {
  type AnswerIds,
  authorise,
  authoriseStored,
  type ChallengeNeeded,
  type PaymentResponse,
} from '../authorisation/authorise.ts';
import { keptCard } from '../authorisation/card.ts';
import { challengePath } from '../authorisation/challenges.ts';
import { type Directives, directivesAmong } from '../authorisation/directives.ts';
import { ServiceRefusal, serviceErrorBody } from '../authorisation/errors.ts';
import type { Instrument, IssuedCard } from '../authorisation/instruments.ts';
import {
  type KeptPayment,
  readPaymentRequest,
  readStoredPayment,
  withoutCardSecrets,
  withoutSecurityCode,
} from '../authorisation/payment-request.ts';
import { offerClosedEvent, planned } from '../notifications/notification-items.ts';
import type { ChallengeColumns, RequestRow } from '../store/store.ts';
import type { AnsweredRow, Call } from './call.ts';
import { conclude } from './outcome.ts';

/** A payment request with everything that its decision depends on. */
export interface DecisionInput {
  readonly call: Call;
  /**
   * The stored card that the request names. Null if its token is unknown, undefined if the request contains a
   * card.
   */
  readonly instrument: Instrument | null | undefined;
  readonly texts: readonly string[];
  readonly directives: Directives;
  readonly now: Date;
}

interface Verdict {
  readonly payment: KeptPayment;
  readonly card: IssuedCard | undefined;
  readonly received: unknown;
  readonly answer: PaymentResponse | ChallengeNeeded;
}

/** Generates the random parts of a response. */
export function generateIds(deps: Pick<SandboxDependencies, 'randomBytes'>): AnswerIds {
  const bytes = deps.randomBytes(37);
  return {
    pspReference: randomReference(bytes.subarray(0, 16)),
    authCode: randomDigits(bytes.subarray(16, 22)),
    networkTxReference: randomDigits(bytes.subarray(22, 37)),
  };
}

function judge({ call, instrument, directives, now }: DecisionInput, ids: AnswerIds): Verdict {
  const { body } = call;
  if (instrument === undefined) {
    const payment = readPaymentRequest(body, now);
    const card = findTestCard(payment.card.number);
    const received = withoutCardSecrets(body, payment.card);
    return { payment, card, received, answer: authorise(payment, card, directives.refusal, ids) };
  }
  const { payment, card } = readStoredPayment(body, instrument);
  const answer = authoriseStored(payment, card, directives, ids, now);
  return { payment, card, received: withoutSecurityCode(body), answer };
}

function keepChallenge(
  { payment, received }: Verdict,
  { challenge, brand }: ChallengeNeeded,
  challengeId: string,
  texts: readonly string[],
): ChallengeColumns {
  return {
    reference: payment.reference,
    challenge_id: challengeId,
    challenge: {
      payment: { ...payment, card: keptCard(payment.card) },
      challenge,
      brand,
      received,
      directives: directivesAmong(texts),
    },
  };
}

function redirectTo(url: string) {
  return {
    resultCode: 'RedirectShopper',
    action: { type: 'redirect', method: 'GET', url, paymentMethodType: 'scheme' },
  };
}

/**
 * Decides the response and its effects without carrying them out. The effects of the returned row apply if
 * its key is free.
 */
export async function decide(deps: SandboxDependencies, input: DecisionInput): Promise<AnsweredRow> {
  const { call, texts, directives, now } = input;
  const { merchantAccount } = call;
  const ids = generateIds(deps);
  const row = (status: number, body: string, effects?: Partial<RequestRow>): AnsweredRow => ({
    merchant_account: merchantAccount,
    idempotency_key: call.idempotencyKey ?? null,
    psp_reference: ids.pspReference,
    at: now.toISOString(),
    ...effects,
    status,
    body,
  });
  try {
    const verdict = judge(input, ids);
    const { payment, card, received, answer } = verdict;
    if (answer.resultCode === 'RedirectShopper') {
      const challengeId = randomReference(deps.randomBytes(20));
      const action = redirectTo(`${deps.publicUrl()}${challengePath}${challengeId}`);
      const closed = planned(offerClosedEvent(payment, ids.pspReference), { merchantAccount, at: now });
      return row(200, JSON.stringify(action), {
        ...keepChallenge(verdict, answer, challengeId, texts),
        notifications: directives.offerCloses ? [closed] : [],
      });
    }
    const answered = { merchantAccount, payment, answer, card, received, texts, directives, now };
    const { answer: concluded, effects } = await conclude(deps, answered);
    return row(200, JSON.stringify(concluded), effects);
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error;
    return row(error.status, serviceErrorBody(error, ids.pspReference));
  }
}
