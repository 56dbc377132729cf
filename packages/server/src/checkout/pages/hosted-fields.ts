import { type Provider, providers } from '@till/contract';
import type { CardFieldsMode } from '../../accounts/store.ts';
import { parseUrl } from '../../lib/web/url.ts';
import type { HostedFields } from '../../processors/port/capabilities.ts';
import { capabilitiesOf } from '../../processors/registry.ts';

/** The card fields of every processor that has its own. */
export const hostedFields: readonly HostedFields[] = providers.flatMap(
  (processor) => capabilitiesOf(processor).hostedFields ?? [],
);

/**
 * Which fields take live cards if the account has not chosen: the processor's own if the connection leads to the real
 * processor. Simulators have no such fields.
 */
export function defaultCardFields(processor: Provider, upstreamUrl: string): CardFieldsMode {
  const suffix = capabilitiesOf(processor).hostedFields?.upstreamSuffix;
  const isTheirs = suffix !== undefined && parseUrl(upstreamUrl)?.hostname.endsWith(suffix) === true;
  return isTheirs ? 'processor' : 'first_party';
}
