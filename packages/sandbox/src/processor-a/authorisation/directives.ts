import { findVirtualBuyer } from '../../buyer/virtual-buyer.ts';
import { isCaptureFailure } from '../../directives/capture-directives.ts';
import { type DisputeDirective, findDisputeDirective } from '../../directives/dispute-directives.ts';
import { type Fault, findFault } from '../../directives/faults.ts';
import { findSaveDirective, type SaveBehaviour } from '../../directives/save-directives.ts';
import { findWebhookDirective, type WebhookDirective } from '../../directives/webhook-directives.ts';
import { isOfferClosing } from './challenges.ts';
import { findRefusal, type Refusal } from './refusals.ts';

/** What the texts of a payment ask for. */
export interface Directives {
  readonly refusal?: Refusal | undefined;
  readonly fault?: Fault | undefined;
  readonly buyer?: string | undefined;
  readonly saving?: SaveBehaviour | undefined;
  readonly delivery?: WebhookDirective['does'] | undefined;
  readonly dispute?: DisputeDirective | undefined;
  /** The capture fails after it was confirmed. */
  readonly captureFails: boolean;
  /** Nobody can answer the challenge. */
  readonly offerCloses: boolean;
}

function decidesOutcome(text: string): boolean {
  return (
    findRefusal(text) !== undefined || findFault(text) !== undefined || findVirtualBuyer(text) !== undefined
  );
}

const savingOf = (text: string) => findSaveDirective(text, 'processor_a');

/** The first element that a function finds something for, as what it finds. */
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

/** Reads directives, the earlier text before the later one. Only the first that decides the payment's outcome counts. */
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

/** The texts that are directives; nothing else of them may be kept, as a buyer types anything into a name. */
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

/** The directives that a stored card keeps: its holder's name, and how the payment that saved it asked to be saved. */
export function directivesToKeep(
  holderName: string | undefined,
  texts: readonly string[],
): readonly string[] {
  const ofHolder = holderName === undefined ? [] : directivesAmong([holderName]);
  return [...new Set([...ofHolder, ...texts.filter((text) => savingOf(text) !== undefined)])];
}
