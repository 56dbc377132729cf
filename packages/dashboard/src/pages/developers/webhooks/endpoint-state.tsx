import { CircleCheck, type LucideIcon, OctagonAlert, Pause, TriangleAlert } from 'lucide-react';
import type { Answer } from '../../../api/calls.ts';
import { Icon } from '../../../components/buttons/icon.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import type { Tone } from '../../../lib/wording/status.ts';

export type Endpoint = Answer<'retrieveWebhookEndpoint'>;

/** The name that the merchant chose, or else the URL. */
export const endpointName = ({ name, url }: Pick<Endpoint, 'name' | 'url'>): string => name ?? url;

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
  /** What the state means and what to do. */
  readonly hint: string;
}

/** The state of an endpoint and its meaning, in words. */
export function endpointLook({ status, paused_reason, failing_since }: Endpoint): Look {
  if (status === 'paused') {
    return {
      word: 'Paused',
      tone: paused_reason === 'failing' ? 'bad' : 'neutral',
      icon: Pause,
      hint:
        paused_reason === 'failing'
          ? 'Every attempt failed for five days, so nothing is sent any more. Repair the receiver, then resume: what waits is sent.'
          : 'Somebody paused it. New events wait and are sent once you resume.',
    };
  }
  if (failing_since !== null) {
    return {
      word: 'Failing',
      tone: 'bad',
      icon: OctagonAlert,
      hint: 'The latest attempts failed. Each delivery is tried seven times over 17 hours; after five days without success the endpoint is paused.',
    };
  }
  return { word: 'Active', tone: 'good', icon: CircleCheck, hint: 'Events are sent as they happen.' };
}

/** The state of an endpoint, with an icon, a word and a colour. */
export function EndpointState({ endpoint }: { readonly endpoint: Endpoint }) {
  const { word, tone, icon, hint } = endpointLook(endpoint);
  return (
    <span title={hint} className="inline-flex align-middle">
      <Badge tone={tone}>
        <Icon of={icon} className="size-3.5" />
        {word}
      </Badge>
    </span>
  );
}

/** Warns about a URL without encryption. Renders nothing for other URLs. */
export const PlainHttpBadge = ({ url }: { readonly url: string }) =>
  isPlainHttp(url) && (
    <Badge tone="warn">
      <Icon of={TriangleAlert} className="size-3.5" />
      Not encrypted
    </Badge>
  );

export const isPlainHttp = (url: string): boolean => /^http:\/\//i.test(url.trim());
