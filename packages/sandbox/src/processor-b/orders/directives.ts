import { findVirtualBuyer } from '../../buyer/virtual-buyer.ts';
import { reversalDirective } from '../../directives/capture-directives.ts';
import { findDisputeDirective } from '../../directives/dispute-directives.ts';
import { findFault } from '../../directives/faults.ts';
import { findSaveDirective } from '../../directives/save-directives.ts';
import { findWebhookDirective } from '../../directives/webhook-directives.ts';
import { isObject, type JsonObject, objectIn } from '../../lib/json.ts';
import { findDecline } from '../model/declines.ts';

interface Described {
  readonly case: string;
  readonly value: string;
  readonly outcome: string;
}

/** The directives for approvals and holds, in a description or a holder name. Only processor_b has them. */
export const flowDirectives = [
  {
    case: 'W2',
    value: 'SIM-WALLET-APPROVE',
    outcome: 'Wallet: approved by the buyer at once, without a visit to the approval page',
  },
  {
    case: 'W3',
    value: 'SIM-WALLET-NO-APPROVAL-URL',
    outcome: 'Wallet: the processor gives no approval address: 502 missing_approval_url, nothing charged',
  },
  {
    case: 'W4',
    value: 'SIM-WALLET-DECLINED',
    outcome: 'Wallet: the buyer approves, then the funding is declined at confirm',
  },
  {
    case: 'W5',
    value: 'SIM-WALLET-NEVER',
    outcome: 'Wallet: never approved, whatever the buyer does; confirm answers 422 until the window is over',
  },
  {
    case: 'W6',
    value: 'SIM-CARDFIELDS-APPROVE',
    outcome: 'Card fields: filled in at once with 4111111111111111, without a browser',
  },
  {
    case: 'H2',
    value: 'SIM-HOLD-NO-GUARANTEE',
    outcome: 'Manual capture: authorized, and authorization_guaranteed_until is absent',
  },
  {
    case: 'H3',
    value: 'SIM-HOLD-GUARANTEE-PASSED',
    outcome: 'Manual capture: the hold is 4 days old and its capture is declined by the issuer (declined)',
  },
  {
    case: 'H4',
    value: 'SIM-HOLD-EXPIRED',
    outcome: 'Manual capture: the hold is 30 days old, refuses capture and can still be voided',
  },
] as const satisfies readonly Described[];

const flows: ReadonlySet<string> = new Set(flowDirectives.map((row) => row.value));

function isDirective(text: string): boolean {
  return (
    flows.has(text) ||
    text === reversalDirective.value ||
    findDecline(text) !== undefined ||
    findFault(text) !== undefined ||
    findVirtualBuyer(text) !== undefined ||
    findSaveDirective(text, 'processor_b') !== undefined ||
    findWebhookDirective(text) !== undefined ||
    findDisputeDirective(text) !== undefined
  );
}

/**
 * Returns the directive of a request: the card holder's name takes precedence over the description of the
 * purchase.
 */
export function readDirective(body: JsonObject): string | null {
  const units = Array.isArray(body.purchase_units) ? body.purchase_units : [];
  const names = [
    objectIn(objectIn(body, 'payment_source'), 'card').name,
    ...units.map((unit) => (isObject(unit) ? unit.description : undefined)),
  ];
  return names.find((name): name is string => typeof name === 'string' && isDirective(name)) ?? null;
}
