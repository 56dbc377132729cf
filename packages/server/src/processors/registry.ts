import { type Provider, providers } from '@till/contract';
import { merchantAccountOf } from '../lib/merchant-account.ts';
import type { ProcessorCapabilities } from './port/capabilities.ts';
import { type Connect, identityOf, simulatorIdentity } from './port/connected.ts';
import type { ProcessorConnection, ProcessorPort } from './port.ts';
import { capabilities as capabilitiesOfA } from './processor-a/capabilities.ts';
import { capabilities as capabilitiesOfB } from './processor-b/capabilities.ts';

const capabilities: Readonly<Record<Provider, ProcessorCapabilities>> = {
  processor_a: capabilitiesOfA,
  processor_b: capabilitiesOfB,
};

/** What a processor can do, for whoever has no connection to it at hand. */
export const capabilitiesOf = (processor: Provider): ProcessorCapabilities => capabilities[processor];

/** The processors of which something is true, in words for a message. */
export const processorsThat = (can: (capabilities: ProcessorCapabilities) => boolean): string =>
  providers.filter((processor) => can(capabilities[processor])).join(' or ');

/** A simulator in place of an upstream, and the adapter that speaks to it. */
export interface Simulated {
  readonly port: ProcessorPort;
  readonly baseUrl: string;
  readonly disputesUrl: string;
}

/** What a simulator signs a merchant account's notifications with. */
export interface SimulatorSecrets {
  readonly hmacKey: string;
  readonly user: string;
  readonly password: string;
  readonly webhookId: string;
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

export interface RegistryParts {
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
export function createRegistry(parts: RegistryParts): Connect {
  return ({ accountId, livemode, processor }) => {
    const stoodIn = livemode && parts.liveSimulation;
    const own = stoodIn ? undefined : parts.upstreams?.find(accountId, livemode);
    if (own !== undefined && parts.upstreams !== undefined) {
      const { baseUrl, disputesUrl, credentials } = own;
      const connection = { accountId, livemode, baseUrl, disputesUrl, credentials };
      const identity = identityOf(processor, livemode, own);
      return { port: parts.upstreams.ports[processor], connection, identity };
    }
    const simulated = livemode && !parts.liveSimulation ? undefined : parts.simulated[processor];
    if (simulated === undefined) return undefined;
    const { port, baseUrl, disputesUrl } = simulated;
    const merchantAccount = merchantAccountOf(accountId, livemode);
    const credentials = credentialsOf[processor](merchantAccount, parts.secrets(merchantAccount), baseUrl);
    const connection = { accountId, livemode, baseUrl, disputesUrl, credentials };
    return { port, connection, identity: simulatorIdentity(merchantAccount) };
  };
}

type Credentials = (
  merchantAccount: string,
  secrets: SimulatorSecrets,
  baseUrl: string,
) => Readonly<Record<string, string>>;

/** The simulators tell accounts apart by these; what signs notifications is secret all the same, since anybody may send some. */
const credentialsOf: Readonly<Record<Provider, Credentials>> = {
  processor_a: (merchantAccount, { hmacKey, user, password }) => ({
    apiKey: 'sandbox',
    merchantAccount,
    hmacKey,
    notificationUser: user,
    notificationPassword: password,
  }),
  processor_b: (merchantAccount, { webhookId }, baseUrl) => ({
    clientId: merchantAccount,
    clientSecret: 'sandbox',
    merchantId: merchantAccount,
    webhookId,
    certificateUrl: `${baseUrl}/v1/notifications/certs/CERT-SANDBOX`,
  }),
};
