import type { Provider } from '@till/contract';
import { merchantAccountOf } from '../lib/merchant-account.ts';
import { type Connect, simulatorIdentity } from './port/connected.ts';
import type { ProcessorConnection, ProcessorPort } from './port/port.ts';
import { processors } from './registry.ts';
import type { ConnectionFinding, Hosts, SimulatorSecrets } from './upstream/processor.ts';

/** A simulator in place of an upstream, with the adapter that speaks to it. */
export interface Simulated extends Hosts {
  readonly port: ProcessorPort;
}

/** The real upstreams, over the network. */
export interface Upstreams {
  readonly ports: Readonly<Record<Provider, ProcessorPort>>;
  /** An account's own connection; undefined if none is set. */
  find(
    accountId: string,
    livemode: boolean,
  ): Pick<ProcessorConnection, 'baseUrl' | 'disputesUrl' | 'credentials'> | undefined;
}

/** Checks whether the upstream accepts a connection's credentials. The absence of a response is a finding too. */
export type CheckConnection = (
  processor: Provider,
  connection: ProcessorConnection,
) => Promise<readonly ConnectionFinding[]>;

export interface ConnectDependencies {
  readonly upstreams?: Upstreams | undefined;
  readonly simulated: Readonly<Partial<Record<Provider, Simulated>>>;
  readonly secrets: (merchantAccount: string) => SimulatorSecrets;
  readonly liveSimulation: boolean;
}

/**
 * Finds the adapter for an account. If the operator set credentials for the mode, it connects to the real upstream. Otherwise
 * it connects to the simulator: always in test mode, and in live mode only if the operator allows it for every account with
 * `TILL_LIVE_SIMULATION`. Each mode has its own merchant account at the simulator.
 * @returns undefined if the account has no connection to its processor in this mode
 */
export function createConnect(dependencies: ConnectDependencies): Connect {
  const { upstreams, liveSimulation } = dependencies;
  return ({ accountId, livemode, processor, suspend }) => {
    const stoodIn = livemode && liveSimulation;
    const own = stoodIn ? undefined : upstreams?.find(accountId, livemode);
    if (own !== undefined && upstreams !== undefined) {
      const { baseUrl, disputesUrl, credentials } = own;
      const connection = { accountId, livemode, baseUrl, disputesUrl, credentials, suspend };
      return { port: upstreams.ports[processor], connection, identity: identityOf(processor, livemode, own) };
    }
    const simulated = livemode && !liveSimulation ? undefined : dependencies.simulated[processor];
    if (simulated === undefined) return undefined;
    const { port, baseUrl, disputesUrl } = simulated;
    const merchantAccount = merchantAccountOf(accountId, livemode);
    // Simulators identify accounts by these credentials. The secrets that sign notifications must still be secret, because
    // anybody may send a notification.
    const secrets = dependencies.secrets(merchantAccount);
    const credentials = processors[processor].simulator.credentials(merchantAccount, secrets, simulated);
    const connection = { accountId, livemode, baseUrl, disputesUrl, credentials, suspend };
    return { port, connection, identity: simulatorIdentity(merchantAccount) };
  };
}

/**
 * Identifies the merchant account behind a connection, e.g. `live:ShopCOM`. The identity stays the same when keys, secrets,
 * the client or a proxy's address are replaced. It is not secret: processors print it on reports and send it in
 * notifications.
 */
export function identityOf(
  processor: Provider,
  livemode: boolean,
  { baseUrl, credentials }: Pick<ProcessorConnection, 'baseUrl' | 'credentials'>,
): string {
  const { environmentHosts, merchantAccountKey } = processors[processor];
  const known = (['test', 'live'] as const).find((environment) =>
    environmentHosts[environment].test(baseUrl),
  );
  return `${known ?? (livemode ? 'live' : 'test')}:${credentials[merchantAccountKey]}`;
}
