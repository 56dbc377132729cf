export type Values = Readonly<Record<string, string>>;

/** Edits over saved values. */
export interface Draft<T extends Values> {
  /** The saved values that the edits started from. */
  readonly base: T;
  readonly typed: T;
  /** The fields with unsaved edits whose saved value has changed meanwhile. */
  readonly changedMeanwhile: readonly (keyof T & string)[];
}

const namesOf = <T extends Values>(values: T) => Object.keys(values) as (keyof T & string)[];

const isTyped = <T extends Values>(typed: T, saved: T, name: keyof T) =>
  typed[name]?.trim() !== saved[name]?.trim();

export const draftOf = <T extends Values>(saved: T): Draft<T> => ({
  base: saved,
  typed: saved,
  changedMeanwhile: [],
});

export const isSame = <T extends Values>(one: T, other: T): boolean =>
  namesOf(one).every((name) => one[name] === other[name]);

/**
 * Rebases the draft on the current saved values: fields without edits take the new value, edited fields keep their
 * text.
 */
export function rebased<T extends Values>({ base, typed, changedMeanwhile }: Draft<T>, saved: T): Draft<T> {
  const kept = namesOf(saved).filter((name) => isTyped(typed, base, name) && isTyped(typed, saved, name));
  return {
    base: saved,
    typed: { ...saved, ...Object.fromEntries(kept.map((name) => [name, typed[name]])) },
    changedMeanwhile: kept.filter((name) => saved[name] !== base[name] || changedMeanwhile.includes(name)),
  };
}
