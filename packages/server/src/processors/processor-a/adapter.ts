import { createHash } from 'node:crypto';
import type { Observe } from '../observation.ts';
import type { ChargeOutcome, ChargeRequest, ProcessorConnection, ProcessorPort } from '../port.ts';
import type { Transport } from '../transport.ts';
import { post, type UpstreamAccess, type UpstreamAnswer } from './client.ts';
import { blamesAddress, errorOutcome, isStillProcessing, noAnswerOutcome } from './error-answer.ts';
import { jsonObject, jsonText } from './json.ts';
import { toUpstreamAmount } from './money.ts';
import { type PaymentRequest, paymentRequest } from './payment-request.ts';
import { chargeOutcome } from './payment-response.ts';

export interface ProcessorAParts {
  readonly transport: Transport;
  /** Resolves after so many milliseconds. */
  delay(ms: number): Promise<void>;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  readonly observe?: Observe | undefined;
}

/** Milliseconds before each repeat of a request whose first copy is still being processed. */
const repeatDelaysMs = [250, 750];

/** Longest idempotency key that the upstream takes (Adyen docs, "API idempotency"). */
const keyLengthMax = 64;

/** The adapter of processor_a: cards through the Adyen Checkout API, version 71. */
export function createProcessorA(parts: ProcessorAParts): ProcessorPort {
  return {
    name: 'processor_a',
    carries: (amount, currency) => toUpstreamAmount(amount, currency) !== undefined,
    async charge(connection, request) {
      const started = parts.elapsed();
      const { outcome, answer } = await charge(parts, connection, request);
      parts.observe?.({
        operation: 'charge',
        outcome: outcome.kind,
        durationMs: parts.elapsed() - started,
        ...(answer === undefined
          ? {}
          : { status: answer.status, upstreamReference: jsonText(jsonObject(answer.body), 'pspReference') }),
      });
      return outcome;
    },
  };
}

interface Charged {
  readonly outcome: ChargeOutcome;
  /** The answer that decided; absent where none came. */
  readonly answer?: UpstreamAnswer;
}

interface Exchange extends Charged {
  /** An earlier copy of the request was still being processed, so it may have been carried out whatever came last. */
  readonly duplicate: boolean;
}

async function charge(
  parts: ProcessorAParts,
  connection: ProcessorConnection,
  request: ChargeRequest,
): Promise<Charged> {
  const { apiKey, merchantAccount } = connection.credentials;
  if (!apiKey || !merchantAccount) {
    return { outcome: notExecuted('credentials missing') };
  }
  const body = paymentRequest(request, merchantAccount);
  if (body === undefined) {
    return { outcome: notExecuted('amount not supported') };
  }
  const access: UpstreamAccess = { baseUrl: connection.baseUrl, apiKey };
  const send = (key: string, payment: PaymentRequest) =>
    exchangeSettled(parts, () => exchange(parts.transport, access, key, payment, request));

  const first = await send(request.upstreamKey, body);
  const bare =
    first.answer !== undefined && blamesAddress(first.answer)
      ? paymentRequest({ ...request, billingAddress: null, deliveryAddress: null }, merchantAccount)
      : undefined;
  const last = bare === undefined ? first : await send(suffixedKey(request.upstreamKey, ':a'), bare);
  return first.duplicate || last.duplicate ? { ...last, outcome: notRuledOut(last.outcome) } : last;
}

/** One exchange, repeated a little later while the upstream still processes an earlier copy of the request. */
async function exchangeSettled(parts: ProcessorAParts, attempt: () => Promise<Charged>): Promise<Exchange> {
  let charged = await attempt();
  let duplicate = false;
  for (const ms of repeatDelaysMs) {
    if (charged.answer === undefined || !isStillProcessing(charged.answer)) {
      break;
    }
    duplicate = true;
    await parts.delay(ms);
    charged = await attempt();
  }
  return { ...charged, duplicate };
}

async function exchange(
  transport: Transport,
  access: UpstreamAccess,
  idempotencyKey: string,
  body: PaymentRequest,
  request: ChargeRequest,
): Promise<Charged> {
  try {
    const answer = await post(transport, access, '/payments', idempotencyKey, body);
    const outcome = answer.status === 200 ? chargeOutcome(answer.body, request) : errorOutcome(answer);
    return { outcome, answer };
  } catch (error) {
    return { outcome: noAnswerOutcome(error) };
  }
}

const notRuledOut = (outcome: ChargeOutcome): ChargeOutcome =>
  outcome.kind === 'not_executed' ? { ...outcome, kind: 'unknown' } : outcome;

/** A key for a changed copy of a request: as readable as fits, else its digest. */
function suffixedKey(key: string, suffix: string): string {
  const suffixed = `${key}${suffix}`;
  return suffixed.length <= keyLengthMax ? suffixed : createHash('sha256').update(suffixed).digest('hex');
}

const notExecuted = (reason: string): ChargeOutcome => ({
  kind: 'not_executed',
  answer: 'provider_error',
  reason,
});
