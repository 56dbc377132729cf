import { None } from './key-value.tsx';

interface Address {
  readonly line1?: string;
  readonly line2?: string;
  readonly city?: string;
  readonly postal_code?: string;
  readonly state?: string;
  readonly country?: string;
}

/** The name of a country in the language of the page; an unknown code is returned unchanged. */
function countryName(code: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** A postal address in lines; a dash if there is none. */
export function PostalAddress({ address }: { readonly address: Address | null }) {
  if (address === null) return <None />;
  const { line1, line2, city, postal_code: code, state, country } = address;
  const lines = [
    ['line1', line1],
    ['line2', line2],
    ['place', [code, city, state].filter(Boolean).join(' ')],
    ['country', country === undefined ? undefined : countryName(country)],
  ].filter(([, line]) => line !== undefined && line !== '');
  if (lines.length === 0) return <None />;
  return (
    <address className="not-italic">
      {lines.map(([name, line]) => (
        <span key={name} className="block">
          {line}
        </span>
      ))}
    </address>
  );
}
