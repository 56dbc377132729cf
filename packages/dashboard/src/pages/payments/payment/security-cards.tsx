import { Card } from '../../../components/layout/card.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import { KeyValue } from '../../../components/values/key-value.tsx';
import { PostalAddress } from '../../../components/values/postal-address.tsx';
import { directoryLetter, liabilityText } from '../../../lib/wording/liability.ts';
import type { Detail } from './detail.ts';

const demands = {
  never: 'Not asked for',
  automatic: 'Asked for, as the issuer decides',
  always: 'Asked for, with a challenge',
} as const;

/** The results of 3-D Secure and of the address check, as reported, with explanations. */
export function AuthenticationCard({ detail: { payment, processing } }: { readonly detail: Detail }) {
  const { three_d_secure: result, avs } = payment;
  const { word, tone, meaning } = liabilityText(result?.liability_shift);
  const letter = (text: string | undefined) =>
    text === undefined ? undefined : <code className="font-mono text-sm">{directoryLetter(text)}</code>;
  return (
    <Card title="3-D Secure">
      <p>
        <Badge tone={tone}>{word}</Badge>
      </p>
      <p className="mt-1.5 mb-3 text-sm text-text-2">{meaning}</p>
      <KeyValue
        pairs={[
          { key: 'Request', value: demands[processing.authentication] },
          ...(result === undefined
            ? []
            : [
                {
                  key: 'liability_shift',
                  value: <code className="font-mono text-sm">{result.liability_shift}</code>,
                },
                { key: 'enrollment_status', value: letter(result.enrollment_status) },
                { key: 'authentication_status', value: letter(result.authentication_status) },
              ]),
        ]}
      />
      {avs !== undefined && <AddressCheck avs={avs} />}
    </Card>
  );
}

const matches = { match: 'Matches', no_match: 'Does not match', not_checked: 'Not checked' } as const;
const tones = { match: 'good', no_match: 'bad', not_checked: 'neutral' } as const;

function AddressCheck({ avs }: { readonly avs: NonNullable<Detail['payment']['avs']> }) {
  const verdict = (value: keyof typeof matches) => <Badge tone={tones[value]}>{matches[value]}</Badge>;
  return (
    <div className="mt-4 border-t border-line pt-3">
      <h3 className="mb-2 font-medium">Address check</h3>
      <KeyValue
        pairs={[
          { key: 'Street', value: verdict(avs.address) },
          { key: 'Postal code', value: verdict(avs.postal_code) },
          { key: 'Security code', value: verdict(avs.cvc) },
          { key: 'Code', value: <code className="font-mono text-sm">{avs.code}</code> },
        ]}
      />
    </div>
  );
}

/** The risk data that was sent to the processor. */
export function RiskCard({ detail: { risk } }: { readonly detail: Detail }) {
  const { browser_info: browser, stc } = risk;
  const context = Object.entries(stc ?? {});
  return (
    <Card title="Risk data" description="What was passed on for the check of the risk.">
      <KeyValue
        pairs={[
          { key: 'IP address of the buyer', value: risk.shopper_ip ?? undefined },
          { key: 'Device fingerprint', value: risk.device_fingerprint ?? undefined },
          { key: 'Browser', value: browser?.user_agent },
          { key: 'Language', value: browser?.language },
          { key: 'Billing address', value: <PostalAddress address={risk.billing_address} /> },
          { key: 'Delivery address', value: <PostalAddress address={risk.delivery_address} /> },
          ...context.map(([key, value]) => ({ key, value })),
        ]}
      />
    </Card>
  );
}
