import type { Provider } from '@till/contract';
import type { ProcessorConnection, ProcessorPort } from './port.ts';

/** An adapter bound to one account's way to its upstream. */
export interface Connected {
  readonly port: ProcessorPort;
  readonly connection: ProcessorConnection;
}

/**
 * Finds the adapter for an account. In test mode the simulator stands behind it; in live mode only where the operator
 * lets simulators stand in (`TILL_LIVE_SIMULATION`).
 * @returns undefined where the account has no way to its processor in this mode
 */
export function createRegistry(parts: {
  readonly simulated: Readonly<Partial<Record<Provider, { port: ProcessorPort; baseUrl: string }>>>;
  readonly liveSimulation: boolean;
}): (account: { accountId: string; livemode: boolean; processor: Provider }) => Connected | undefined {
  return ({ accountId, livemode, processor }) => {
    const simulated = livemode && !parts.liveSimulation ? undefined : parts.simulated[processor];
    if (simulated === undefined) return undefined;
    return {
      port: simulated.port,
      connection: {
        accountId,
        livemode,
        baseUrl: simulated.baseUrl,
        // The simulators tell accounts apart by these; they guard nothing.
        credentials: {
          apiKey: 'sandbox',
          merchantAccount: accountId,
          clientId: accountId,
          clientSecret: 'sandbox',
          merchantId: accountId,
        },
      },
    };
  };
}
