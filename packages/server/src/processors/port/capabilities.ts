/** The differences between processors that the rest of the server depends on. */

import type { CardBrand } from '../../lib/cards.ts';
import type { EvidenceFile } from './disputes.ts';

/** Maximum length of a descriptor on a statement in characters, including the processor's prefix (spec, "Limits"). */
export const statementLength = 22;

/** Card fields that the processor renders in its own iframes on our hosted page. */
export interface HostedFields {
  /** URL of the SDK's script. The browser must load it from there, because its content changes without notice. */
  readonly script: string;
  /** Name of the global variable that the script defines on `window`. */
  readonly global: string;
  /** Origins of the SDK and of everything that it loads, for the page's content security policy. */
  readonly origins: readonly string[];
  /** Suffix of the host names of the upstream that renders these fields; no simulator supports them. */
  readonly upstreamSuffix: string;
}

/**
 * What a processor can do. Each adapter declares this in its `capabilities.ts` and names the upstream document that says so.
 */
export interface ProcessorCapabilities {
  /**
   * Whether the upstream can report the outcome of a payment: through `lookUp`, and through a repeat of a charge under its
   * key with a withheld instrument. If not, only the upstream's notification or a cancellation settles the payment, and an
   * accepted cancellation request proves nothing.
   */
  readonly canLookUp: boolean;
  /** Whether `cancel` works without any upstream id, by cancelling everything that carries our reference (the payment's id). */
  readonly cancelsByReference: boolean;
  /** How long, in milliseconds, the upstream certainly replays the first response to a repeated charge key. */
  readonly chargeKeyMs: number;
  /** The same for a refund's key. */
  readonly refundKeyMs: number;
  /** Payment methods beside a card sent in the request. The buyer completes both of them in the browser. */
  readonly browserMethods: readonly ('card_fields' | 'wallet')[];
  /**
   * Brands that every account at this processor accepts in card fields, shown to buyers before they type. Other brands may
   * work.
   */
  readonly fieldBrands?: readonly CardBrand[];
  /** Absent if the card fields are always our own. */
  readonly hostedFields?: HostedFields;
  /** The wallet's name as buyers know it; absent if the processor has no wallet. */
  readonly walletName?: string;
  /** Whether a connection requests 3-D Secure unless its owner configures otherwise (decisions, "Payments"). */
  readonly threeDSecureDefault: 'enabled' | 'off';
  /** Whether the processor can authorize a payment now and capture it later. */
  readonly holds: boolean;
  /**
   * Whether accepting a request for information refunds the buyer, as a lost chargeback does. If so, the disputed amount can
   * no longer be refunded.
   */
  readonly inquiryRefunds: boolean;
  /** What evidence a defence of a dispute may contain. */
  readonly evidence: {
    readonly types: readonly EvidenceFile['contentType'][];
    /** One defence takes only a few files, so merchants are asked to merge pages into one file. */
    readonly fewFiles: boolean;
  };
  /** Whether the processor accepts data about the buyer's risk before the charge (spec, `stc`). */
  readonly transactionContext: boolean;
  /**
   * How many characters of the merchant's descriptor fit on a statement after the processor's own prefix.
   * @param brand null: not known yet
   */
  descriptorLimit(method: 'card' | 'wallet', brand: string | null): number;
}
