import type { Tenant } from '../../../store/tenant.ts';

/** Greater than every text that begins like the one before it, in the order of code points (collation "C"). */
const last = '\u{10FFFF}';

/** The conditions of one statement and their values. `$1` is the tenant. */
export class Where {
  readonly values: unknown[];
  readonly #conditions: string[] = [];

  constructor(tenant: Tenant) {
    this.values = [tenant.tenant];
  }

  /** The parameter that stands for a value. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(condition: string): this {
    this.#conditions.push(condition);
    return this;
  }

  /** Adds a condition on a value, unless that is null. */
  is(value: unknown, condition: (parameter: string) => string): this {
    return value === null ? this : this.add(condition(this.value(value)));
  }

  /** One of several words; one alone is compared by `=`, so that an index on it gives the order of what follows. */
  oneOf(column: string, words: readonly string[] | null): this {
    if (words === null) return this;
    const [word] = words;
    return words.length === 1
      ? this.is(word, (p) => `${column} = ${p}`)
      : this.is(words, (p) => `${column} = any(${p})`);
  }

  /** SQL for "begins with this text", which an index of collation "C" answers. */
  begins(column: string, text: string): string {
    return `${column} >= ${this.value(text)} and ${column} < ${this.value(text + last)}`;
  }

  /** All conditions, to follow the one on the tenant. */
  get sql(): string {
    return this.#conditions.map((condition) => ` and ${condition}`).join('');
  }
}
