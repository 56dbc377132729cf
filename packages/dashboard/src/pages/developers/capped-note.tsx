/** Says that a list goes on beyond what is counted. */
export const CappedNote = ({ capped }: { readonly capped: boolean }) => (
  <div role="status">
    {capped && (
      <p className="mt-2 text-sm text-text-2">
        There are more: the 10,000 newest are counted. Narrow the dates to see older ones.
      </p>
    )}
  </div>
);
