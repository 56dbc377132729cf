/**
 * The text of THIRD-PARTY-NOTICES for a bundle: each package with its version, licence and licence text, sorted by name.
 * @param inputs the files that went into the bundle
 * @param folder the folder to which relative paths refer
 */
export function thirdPartyNotices(inputs: Iterable<string>, folder?: string): string;
