import { type Static, Type } from 'typebox';

/** What an import came to. */
export const ImportedReport = Type.Object({
  payouts: Type.Integer(),
  lines: Type.Integer(),
  matched: Type.Integer(),
  unmatched: Type.Integer(),
  /** The same file was imported before: nothing changed, but that lines may match by now. */
  repeated: Type.Boolean(),
  /** Lines of payouts imported before that did not match until now. */
  newly_matched: Type.Integer(),
  /** Payouts of which an earlier report said something else. */
  corrected: Type.Integer(),
});
export type ImportedReport = Static<typeof ImportedReport>;
