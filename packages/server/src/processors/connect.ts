import type { Provider } from '@till/contract';
import { merchantAccountOf } from '../lib/merchant-account.ts';
import { type Connect, simulatorIdentity } from './port/connected.ts';
import type { ProcessorConnection, ProcessorPort } from './port/port.ts';
import { processors } from './registry.ts';
import type { ConnectionFinding, Hosts, SimulatorSecrets } from './upstream/processor.ts';

/** A simulator in place of an upstream, and the adapter that speaks to it. */
export interface Simulated extends Hosts {
  readonly port: ProcessorPort;
}

/** The upstreams themselves, over the network. */
export interface Upstreams {
  readonly ports: Readonly<Record<Provider, ProcessorPort>>;
  /** An account's own way there; undefined where none was set. */
  find(
    accountId: string,
    livemode: boolean,
  ): Pick<ProcessorConnection, 'baseUrl' | 'disputesUrl' | 'credentials'> | undefined;
}

/** Whether the upstream takes a connection's credentials, as findings; no answer is a finding too. */
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
 * Finds the adapter for an account. Where the operator set credentials for the mode, the upstream itself stands behind
 * it. Otherwise the simulator does in test mode, and in live mode only where the operator lets simulators stand in
 * (`TILL_LIVE_SIMULATION`), which then holds for every account. Each mode has a merchant account of its own there.
 * @returns undefined where the account has no way to its processor in this mode
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
    // Simulators identify accounts by these; what signs notifications is secret all the same, since anybody may send some.
    const secrets = dependencies.secrets(merchantAccount);
    const credentials = processors[processor].simulator.credentials(merchantAccount, secrets, simulated);
    const connection = { accountId, livemode, baseUrl, disputesUrl, credentials, suspend };
    return { port, connection, identity: simulatorIdentity(merchantAccount) };
  };
}

/**
 * Names the merchant account that a connection speaks for, e.g. `live:ShopCOM`. It stays the same when keys, secrets, the
 * client or a proxy's address are replaced. Not secret: processors print it on reports and send it in notifications.
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
