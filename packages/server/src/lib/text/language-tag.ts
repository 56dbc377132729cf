/** The languages that have extended subtags (IANA registry), such as zh-yue. */
const extended = 'ar|kok|lv|ms|sgn|sw|uz|zh';

/**
 * The ABNF of RFC 5646, section 2.1, without forms that no registered tag uses: languages of four or more letters, and extended
 * subtags of other languages, which are mistaken countries such as en-GBR.
 */
const langtag = new RegExp(
  [
    `^(?:(?:${extended})(?:-[a-z]{3}){1,3}|[a-z]{2,3})`,
    '(?:-[a-z]{4})?',
    '(?:-(?:[a-z]{2}|\\d{3}))?',
    '(?:-(?:[a-z\\d]{5,8}|\\d[a-z\\d]{3}))*',
    '(?:-[a-wyz\\d](?:-[a-z\\d]{2,8})+)*',
    '(?:-x(?:-[a-z\\d]{1,8})+)?$',
  ].join(''),
  'i',
);
const privateUse = /^x(?:-[a-z\d]{1,8})+$/i;

/** Tags registered before the rules existed (RFC 5646, "irregular" and "regular"), except those that match the rules. */
const grandfathered = new Set(
  `en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu sgn-be-fr
   sgn-be-nl sgn-ch-de no-bok no-nyn`.split(/\s+/),
);

/** Whether a text is a well-formed language tag (BCP 47), in any letter case. */
export function isLanguageTag(text: string): boolean {
  return langtag.test(text) || privateUse.test(text) || grandfathered.has(text.toLowerCase());
}

/** The main parts of a language tag, in their conventional letter case. */
export interface Locale {
  readonly language: string;
  readonly script: string | undefined;
  /** A country as two letters, or a region of the world as three digits. */
  readonly region: string | undefined;
}

const leading =
  /^(?<language>[a-z]{2,3})(?:-[a-z]{3}){0,3}(?:-(?<script>[a-z]{4}))?(?:-(?<region>[a-z]{2}|\d{3}))?(?=-|$)/i;

/** The language, script and region of a tag, which may have underscores; undefined if it names no language. */
export function localeOf(tag: string): Locale | undefined {
  const { language, script, region } = leading.exec(tag.replaceAll('_', '-'))?.groups ?? {};
  if (language === undefined) return undefined;
  return {
    language: language.toLowerCase(),
    script: script === undefined ? undefined : script.charAt(0).toUpperCase() + script.slice(1).toLowerCase(),
    region: region?.toUpperCase(),
  };
}
