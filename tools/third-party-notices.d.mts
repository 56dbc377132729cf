/**
 * The text of THIRD-PARTY-NOTICES for a bundle: each package with version, licence and its text, by name.
 * @param inputs the files that went into the bundle
 * @param folder where relative ones of them begin
 */
export function thirdPartyNotices(inputs: Iterable<string>, folder?: string): string;
