/** How the processors differ, as far as the rest of the server depends on it. */

import type { CardBrand } from '../../lib/cards.ts';
import type { EvidenceFile } from './disputes.ts';

/** Characters of a merchant's descriptor on a statement, what is put before it included (spec, "Limits"). */
export const statementLength = 22;

/** Card fields that the processor serves itself, in frames of its own on our hosted page. */
export interface HostedFields {
  /** The SDK's script. It has to be loaded from there: its content changes without notice. */
  readonly script: string;
  /** Under which name the script then stands in the browser's window. */
  readonly global: string;
  /** Origins of the SDK and of what it loads, for the page's policy. */
  readonly origins: readonly string[];
  /** How the host names of the upstream end that knows these fields; no simulator does. */
  readonly upstreamSuffix: string;
}

/** What a processor can do. Each adapter declares it in its `capabilities.ts`, with the document that says so. */
export interface ProcessorCapabilities {
  /**
   * Whether the upstream can be asked what became of a payment: by `lookUp`, and by repeating a charge under its key with a
   * withheld instrument. Where it cannot, only its notification and a cancellation settle it, and that a cancellation was taken
   * proves nothing.
   */
  readonly canLookUp: boolean;
  /** Whether `cancel` without any id of the upstream's ends whatever carries our reference, the payment's id. */
  readonly cancelsByReference: boolean;
  /** For how many milliseconds a repeat of a charge's key is answered with the first answer, on the safe side. */
  readonly chargeKeyMs: number;
  /** The same of a refund's key. */
  readonly refundKeyMs: number;
  /** What pays here beside a card sent with the request: both are completed by the buyer in the browser. */
  readonly browserMethods: readonly ('card_fields' | 'wallet')[];
  /** Brands that every account there takes in card fields, as buyers read them before they type; others may work. */
  readonly fieldBrands?: readonly CardBrand[];
  /** Absent where card fields are always our own. */
  readonly hostedFields?: HostedFields;
  /** How buyers know the wallet; absent where there is none. */
  readonly walletName?: string;
  /** Whether a connection asks for 3-D Secure unless its owner says otherwise (decisions, "Payments"). */
  readonly threeDSecureDefault: 'enabled' | 'off';
  /** Whether money can be held and captured later. */
  readonly holds: boolean;
  /**
   * Whether giving in to a request for information gives the money back to the buyer, as a lost chargeback does: what it
   * covers then cannot be refunded.
   */
  readonly inquiryRefunds: boolean;
  /** What a defence of a dispute may hold. */
  readonly evidence: {
    readonly types: readonly EvidenceFile['contentType'][];
    /** Few files go into one defence: merchants are asked to join pages. */
    readonly fewFiles: boolean;
  };
  /** Whether it takes data about the buyer's risk before the charge (spec, `stc`). */
  readonly transactionContext: boolean;
  /**
   * How many characters of the merchant's descriptor fit on a statement beside what the processor puts before it.
   * @param brand null: not known yet
   */
  descriptorLimit(method: 'card' | 'wallet', brand: string | null): number;
}
