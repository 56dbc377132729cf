import { localeOf } from '../../../lib/text/language-tag.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { ptBr } from './pt-br.ts';
import { sv } from './sv.ts';
import type { Texts } from './texts.ts';
import { zhCn } from './zh-cn.ts';

export interface Language {
  /** BCP 47 tag, as the `lang` attribute has it. */
  readonly tag: string;
  /** In the language itself. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  /** Locale for amounts. It uses digits that the card fields accept, in every language. */
  readonly format: string;
  /** Locale for dates and times, in the style of the buyer's region if it is known. */
  readonly dates: string;
  /** Separates the items of a list. */
  readonly comma: string;
  readonly texts: Texts;
}

/** The Gregorian calendar and western digits, as in the card form, even if others are usual in the language. */
const datesOf = (tag: string) => `${tag}-u-ca-gregory-nu-latn`;

const commas: Readonly<Record<string, string>> = { ja: '、', 'zh-CN': '、', ar: '، ' };

const language = (tag: string, name: string, texts: Texts): Language => ({
  tag,
  name,
  direction: tag === 'ar' ? 'rtl' : 'ltr',
  format: `${tag}-u-nu-latn`,
  dates: datesOf(tag),
  comma: commas[tag] ?? ', ',
  texts,
});

export const english = language('en', 'English', en);

/** In the order in which the page offers them. */
export const languages: readonly Language[] = [
  english,
  language('de', 'Deutsch', de),
  language('fr', 'Français', fr),
  language('es', 'Español', es),
  language('it', 'Italiano', it),
  language('nl', 'Nederlands', nl),
  language('pt-BR', 'Português (Brasil)', ptBr),
  language('pl', 'Polski', pl),
  language('sv', 'Svenska', sv),
  language('ja', '日本語', ja),
  language('zh-CN', '简体中文', zhCn),
  language('ar', 'العربية', ar),
];

/** Regions in which a Chinese tag without a script means traditional Chinese, which we do not have. */
const traditional: ReadonlySet<string | undefined> = new Set(['TW', 'HK', 'MO']);

/**
 * The language that fits a tag best: the same one or, failing that, one of the same primary language. Traditional Chinese
 * never fits, since our Chinese texts are in the simplified script.
 */
export function findLanguage(tag: string): Language | undefined {
  const wanted = localeOf(tag.trim());
  if (wanted === undefined) return undefined;
  const { language: primary, region } = wanted;
  const script = wanted.script ?? (traditional.has(region) ? 'Hant' : undefined);
  if (primary === 'zh' && script === 'Hant') return undefined;
  return (
    languages.find((known) => known.tag === `${primary}-${region}`) ??
    languages.find((known) => known.tag.split('-', 1)[0] === primary)
  );
}

/** The tags of an `Accept-Language` header, the most preferred first. */
function tagsOf(header: string): string[] {
  return header
    .split(',')
    .slice(0, 20)
    .map((part, place) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const quality = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find(Boolean);
      return { tag, quality: quality === undefined ? 1 : Number(quality), place };
    })
    .filter(({ tag, quality }) => tag !== '' && quality > 0)
    .sort((one, other) => other.quality - one.quality || one.place - other.place)
    .map(({ tag }) => tag);
}

/**
 * The sources that may give the buyer's language, in order of precedence; null if a source gives none. The first language
 * that we have is used.
 */
export interface LanguagePreferences {
  /** Chosen on the page. */
  readonly chosen: string | null;
  readonly customer: string | null;
  readonly browserInfo: string | null;
  /** The `Accept-Language` header. */
  readonly accepted: string | null;
  /** The account's default. */
  readonly account: string | null;
}

/** The language of a page, with the region of the first preference for it that names one; English if none fits. */
export function chooseLanguage(preferences: LanguagePreferences): Language {
  const tags = [
    preferences.chosen,
    preferences.customer,
    preferences.browserInfo,
    ...tagsOf(preferences.accepted ?? ''),
    preferences.account,
  ];
  for (const tag of tags) {
    const found = tag === null ? undefined : findLanguage(tag);
    if (found !== undefined) return inRegion(found, tags);
  }
  return english;
}

function inRegion(found: Language, tags: readonly (string | null)[]): Language {
  for (const tag of tags) {
    if (tag === null || findLanguage(tag)?.tag !== found.tag) continue;
    const { language: primary, region } = localeOf(tag.trim()) ?? {};
    if (region !== undefined) return { ...found, dates: datesOf(`${primary}-${region}`) };
  }
  return found;
}
