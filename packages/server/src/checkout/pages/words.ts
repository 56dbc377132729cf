import { formatAmount } from '../../lib/money.ts';
import { type Html, html, isolated } from './html.ts';
import type { Language } from './texts/languages.ts';
import type { TextKey } from './texts/texts.ts';

export type Values = Readonly<Record<string, string | Html>>;

const placeholder = /\{([a-z0-9]+)\}/g;

/** The Unicode characters FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE, for text without tags such as titles. */
const isolates = ['\u2068', '\u2069'] as const;

/** All texts of a page in one language. */
export class Words {
  readonly language: Language;

  constructor(language: Language) {
    this.language = language;
  }

  /** A text as HTML. Each value is isolated from the direction of the text around it. */
  text(key: TextKey, values: Values = {}): Html {
    const parts = this.language.texts[key].split(placeholder);
    return html`${parts.map((part, index) => {
      if (index % 2 === 0) return html`${part}`;
      const value = values[part] ?? '';
      return typeof value === 'string' ? isolated(value) : value;
    })}`;
  }

  /** A text without tags, for titles and attributes. */
  plain(key: TextKey, values: Readonly<Record<string, string>> = {}): string {
    const [before, behind] = this.language.direction === 'rtl' ? isolates : ['', ''];
    return this.language.texts[key].replaceAll(
      placeholder,
      (_match, name: string) => `${before}${values[name] ?? ''}${behind}`,
    );
  }

  /** A list of names from outside. */
  list(names: readonly string[]): Html {
    return html`${names.map((name, index) => html`${index === 0 ? '' : this.language.comma}${isolated(name)}`)}`;
  }

  /** An amount in minor units as people of this language write it, with exactly the currency's decimals. */
  amount(amount: number, currency: string): string {
    // The number of decimals comes from our own table: `Intl` has wrong ones for HUF, IDR and others.
    const decimal = formatAmount(amount, currency);
    const digits = decimal.includes('.') ? decimal.length - decimal.indexOf('.') - 1 : 0;
    return new Intl.NumberFormat(this.language.format, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(decimal as `${number}`);
  }

  /** The currency's code if the amount does not show it itself, since several currencies share a sign; else ''. */
  codeBeside(amount: string, currency: string): string {
    return amount.includes(currency) ? '' : currency;
  }

  /** Hour and minute of a time in UTC, with its zone. */
  minute(moment: Date): string {
    return this.#utc({ hour: '2-digit', minute: '2-digit' }, moment);
  }

  /** A time in UTC, with its zone. The page's script rewrites it in the reader's own zone. */
  moment(moment: Date): Html {
    return html`<time datetime="${moment.toISOString()}" data-locale="${this.language.dates}">${this.momentText(moment)}</time>`;
  }

  /** A time in UTC, with its zone. */
  momentText(moment: Date): string {
    return this.#utc(
      { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
      moment,
    );
  }

  #utc(shown: Intl.DateTimeFormatOptions, moment: Date): string {
    return new Intl.DateTimeFormat(this.language.dates, {
      ...shown,
      hourCycle: 'h23',
      timeZone: 'UTC',
      timeZoneName: 'short',
    }).format(moment);
  }
}
