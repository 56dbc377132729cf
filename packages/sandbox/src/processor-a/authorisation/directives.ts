import { findVirtualBuyer } from '../../buyer/virtual-buyer.ts';
import { isCaptureFailure } from '../../directives/capture-directives.ts';
import { type DisputeDirective, findDisputeDirective } from '../../directives/dispute-directives.ts';
import { type Fault, findFault } from '../../directives/faults.ts';
import { findSaveDirective, type SaveBehaviour } from '../../directives/save-directives.ts';
import { findWebhookDirective, type WebhookDirective } from '../../directives/webhook-directives.ts';
import { isOfferClosing } from './challenges.ts';
import { findRefusal, type Refusal } from './refusals.ts';

/** What the directives in a payment's texts ask for. */
export interface Directives {
  readonly refusal?: Refusal | undefined;
  readonly fault?: Fault | undefined;
  readonly buyer?: string | undefined;
  readonly saving?: SaveBehaviour | undefined;
  readonly delivery?: WebhookDirective['does'] | undefined;
  readonly dispute?: DisputeDirective | undefined;
  /** The capture fails after it was confirmed. */
  readonly captureFails: boolean;
  /** The challenge cannot be answered, because its offer is closed. */
  readonly offerCloses: boolean;
}

function decidesOutcome(text: string): boolean {
  return (
    findRefusal(text) !== undefined || findFault(text) !== undefined || findVirtualBuyer(text) !== undefined
  );
}

const savingOf = (text: string) => findSaveDirective(text, 'processor_a');

/** Returns the first result that `find` has for one of the texts. */
function first<Found>(
  texts: readonly string[],
  find: (text: string) => Found | undefined,
): Found | undefined {
  for (const text of texts) {
    const found = find(text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Interprets directives; earlier texts take precedence. Only the first directive that decides the payment's
 * outcome counts.
 */
export function interpretDirectives(texts: readonly string[]): Directives {
  const outcome = texts.find(decidesOutcome);
  return {
    ...(outcome === undefined
      ? {}
      : {
          refusal: findRefusal(outcome),
          fault: findFault(outcome),
          buyer: findVirtualBuyer(outcome)?.value,
        }),
    saving: first(texts, savingOf)?.does,
    delivery: first(texts, findWebhookDirective)?.does,
    dispute: first(texts, findDisputeDirective),
    captureFails: texts.some(isCaptureFailure),
    offerCloses: texts.some(isOfferClosing),
  };
}

/**
 * Returns the texts that are directives. Only these may be stored, since buyers can type anything into a
 * name.
 */
export function directivesAmong(texts: readonly string[]): readonly string[] {
  return texts.filter(
    (text) =>
      decidesOutcome(text) ||
      savingOf(text) !== undefined ||
      findWebhookDirective(text) !== undefined ||
      findDisputeDirective(text) !== undefined ||
      isCaptureFailure(text) ||
      isOfferClosing(text),
  );
}

/**
 * Returns the directives to store with a card: those in its holder name, and those with which the payment
 * asked how to save it.
 */
export function directivesToKeep(
  holderName: string | undefined,
  texts: readonly string[],
): readonly string[] {
  const ofHolder = holderName === undefined ? [] : directivesAmong([holderName]);
  return [...new Set([...ofHolder, ...texts.filter((text) => savingOf(text) !== undefined)])];
}
