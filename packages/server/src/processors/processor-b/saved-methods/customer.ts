import type { SaveRequest } from '../../port/instruments.ts';
import type { Buyer } from '../../port/port.ts';
import { cut, filled } from '../../wire/text.ts';

interface Phone {
  readonly phone_number: { readonly country_code: string; readonly national_number: string };
}

interface Name {
  readonly given_name: string;
  readonly surname?: string | undefined;
}

/** `attributes.customer` of a payment source. Members that the upstream would refuse are left out. */
export interface UpstreamCustomer {
  /** The upstream's own id of the customer. */
  readonly id?: string | undefined;
  readonly merchant_customer_id: string;
  readonly email_address?: string | undefined;
  readonly phone?: Phone | undefined;
  readonly name?: Name | undefined;
}

/**
 * Builds the customer with our own id, which identifies nobody at the upstream. If something is saved, it also has the
 * upstream's id, so that all of a customer's tokens list together (PayPal REST Orders v2, customer).
 */
export const upstreamCustomer = (buyer: Buyer, save: SaveRequest | null): UpstreamCustomer => ({
  id: save?.upstreamCustomer ?? undefined,
  merchant_customer_id: buyer.id,
  email_address: upstreamEmail(buyer.email),
  phone: upstreamPhone(buyer.phone),
  name: upstreamName(buyer.name),
});

const localPart = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+)*";
const domainLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const emailPattern = new RegExp(`^${localPart}@(?:${domainLabel}\\.)+${domainLabel}$`);

/** The e-mail address, or undefined if the upstream would refuse it: it takes only ASCII, up to 254 characters. */
export const upstreamEmail = (email: string): string | undefined =>
  email.length <= 254 && emailPattern.test(email) ? email : undefined;

/** Splits a name at its last space and truncates each part to 140 characters. */
export function upstreamName(name: string | null): Name | undefined {
  const words = filled(name)?.split(/\s+/) ?? [];
  const surname = words.length > 1 ? words.pop() : undefined;
  const given = words.join(' ');
  if (given === '') return undefined;
  return {
    given_name: cut(given, 140),
    surname: surname === undefined ? undefined : cut(surname, 140),
  };
}

/** Country calling codes of one and two digits. All others have three, and no code is a prefix of another (ITU-T E.164). */
const shortCallingCodes: ReadonlySet<string> = new Set(
  `1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86
   90 91 92 93 94 95 98`.split(/\s+/),
);

/** Splits an international number into country code and national number; undefined for any other number. */
export function upstreamPhone(phone: string | null): Phone | undefined {
  const digits = /^\+([1-9]\d{4,14})$/.exec(phone?.replace(/[ ().-]/g, '') ?? '')?.[1];
  if (digits === undefined) return undefined;
  const codeLength = [1, 2].find((length) => shortCallingCodes.has(digits.slice(0, length))) ?? 3;
  return {
    phone_number: {
      country_code: digits.slice(0, codeLength),
      national_number: digits.slice(codeLength),
    },
  };
}
