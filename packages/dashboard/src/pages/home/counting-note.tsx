/** Says that the sums are still growing because older payments are being counted. */
export const CountingNote = ({ complete }: { readonly complete: boolean }) => (
  <div role="status">
    {!complete && (
      <p className="rounded-md bg-info-soft px-3 py-2 text-sm text-info">
        Older payments are still being counted. The figures are too small for a few moments.
      </p>
    )}
  </div>
);
