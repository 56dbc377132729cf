import { type Static, Type } from 'typebox';

/** The result of importing a report. */
export const ImportedReport = Type.Object({
  payouts: Type.Integer(),
  lines: Type.Integer(),
  matched: Type.Integer(),
  unmatched: Type.Integer(),
  /** Whether the same file was imported before. Then nothing changes, except that lines may match by now. */
  repeated: Type.Boolean(),
  /** Number of lines in previously imported payouts that match for the first time. */
  newly_matched: Type.Integer(),
  /** Number of payouts for which an earlier report contained different data. */
  corrected: Type.Integer(),
});
export type ImportedReport = Static<typeof ImportedReport>;
