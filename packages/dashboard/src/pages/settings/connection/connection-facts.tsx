import { useProcessor } from '../../../api/session.ts';
import { Card } from '../../../components/layout/card.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import type { Tone } from '../../../lib/wording/status.ts';
import type { Settings } from '../settings-words.ts';

const states: Readonly<Record<Settings['connection']['live'], { word: string; tone: Tone; text: string }>> = {
  ready: { word: 'Set', tone: 'good', text: 'Live payments reach the processor.' },
  simulated: {
    word: 'Simulated',
    tone: 'warn',
    text: 'The operator lets the simulator stand in for the live processor (TILL_LIVE_SIMULATION). No money moves, in live mode either.',
  },
  credentials_missing: {
    word: 'Missing',
    tone: 'warn',
    text: 'Live payments are refused with provider_not_configured until the operator of this service has set the credentials. The sandbox needs none.',
  },
};

/** Whether live payments can reach the processor, and what is missing. */
export function LiveCard({ settings }: { readonly settings: Settings }) {
  const { live } = settings.connection;
  const { word, tone, text } = states[live];
  const { name = 'the processor', credentials = [] } = useProcessor() ?? {};
  return (
    <Card
      title="Live credentials"
      description={`Your contract with ${name} gives them to you. Only the operator can set them; nobody can read them here.`}
    >
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={tone}>{word}</Badge>
        <span className="text-text-2">{text}</span>
      </p>
      {live !== 'ready' && (
        <>
          <h3 className="mt-4 mb-1 text-sm font-medium">
            {live === 'simulated' ? 'Needed for real payments' : 'What is missing'}
          </h3>
          <ul className="list-disc pl-5 text-text-2">
            {credentials.map((credential) => (
              <li key={credential}>{credential}</li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

/**
 * Who handles card numbers, and which PCI DSS scope results from it.
 * @param hasChoice whether the processor has hosted card fields
 */
export function CardDataCard({ hasChoice }: { readonly hasChoice: boolean }) {
  return (
    <Card
      title="Card data and PCI DSS"
      description="Decide this before you take the first live card: it says how much the card schemes ask of you."
    >
      <dl className="flex max-w-prose flex-col gap-3">
        <div>
          <dt className="font-medium">Your server sends card numbers to the API</dt>
          <dd className="text-text-2">
            They pass through your systems: you are in scope of PCI DSS with the full questionnaire (SAQ D).
          </dd>
        </div>
        <div>
          <dt className="font-medium">Buyers type them on the checkout page of this server</dt>
          <dd className="text-text-2">
            Into fields of its own: numbers go to this server and to nobody else before the processor. Its
            operator is in scope (SAQ D). A shop that only redirects to it can be eligible for SAQ A, where
            the operator is compliant. Ask your acquirer.
            {hasChoice && ' Into the fields of the processor: this server never sees the number.'}
          </dd>
        </div>
        <div>
          <dt className="font-medium">What is kept</dt>
          <dd className="text-text-2">
            Brand, first six and last four digits, expiry, and the processor's token. Never the number, never
            the security code.
          </dd>
        </div>
      </dl>
    </Card>
  );
}
