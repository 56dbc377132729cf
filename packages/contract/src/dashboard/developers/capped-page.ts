import { type TSchema, Type } from 'typebox';
import { PageOf } from '../operation.ts';

/** A page of a list that filters narrow: matches are counted, and paged through, up to a bound. */
export const CappedPageOf = <S extends TSchema>(item: S) =>
  Type.Object({
    ...PageOf(item).properties,
    /** There are more than `total_count`. */
    capped: Type.Boolean(),
  });
