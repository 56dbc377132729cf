import type { Answer } from '../../api/calls.ts';
import type { Tone } from '../../lib/wording/status.ts';

export type Settings = Answer<'retrieveSettings'>;

interface Explained {
  readonly word: string;
  readonly tone: Tone;
  readonly text: string;
}

/** The states of live processing and what they mean for the merchant. */
export const activations: Readonly<Record<Settings['activation'], Explained>> = {
  not_activated: {
    word: 'Not activated',
    tone: 'neutral',
    text: 'Live payments are refused with processing_not_enabled. The sandbox works without limits. The operator of this service activates the account.',
  },
  active: { word: 'Active', tone: 'good', text: 'Payments are taken while the workspace is live.' },
  suspended: {
    word: 'Suspended',
    tone: 'bad',
    text: 'New live payments and captures are refused with processing_not_active until the operator ends the suspension. Voids and refunds work.',
  },
  restricted: {
    word: 'Restricted',
    tone: 'warn',
    text: 'New live payments and captures are refused with processing_not_active while the operator restricts the account. Voids and refunds work.',
  },
  closed: {
    word: 'Closed',
    tone: 'bad',
    text: 'No new live payments or captures: they are refused with processing_not_active. Voids and refunds work.',
  },
};

export const environments = {
  sandbox: { word: 'Sandbox', tone: 'warn', text: 'Test data only. No money moves.' },
  live: { word: 'Live', tone: 'good', text: 'Real cards, real money.' },
} as const satisfies Record<Settings['environment'], Explained>;
