import { Link, usePaths } from '../../navigation/navigation.tsx';
import { withQuery } from '../../navigation/paths.ts';

/** The id of an object, as a link to its page if it has one. */
export function ObjectLink({ id }: { readonly id: string }) {
  const paths = usePaths();
  const pages: Readonly<Record<string, () => string>> = {
    pay: () => paths.payment(id),
    pl: () => paths.paymentLink(id),
    cus: () => paths.customer(id),
    dsp: () => paths.dispute(id),
    re: () => withQuery(paths.refunds, { search: id }),
    we: () => paths.webhook(id),
  };
  const to = pages[id.slice(0, Math.max(0, id.indexOf('_')))]?.();
  const text = <code className="font-mono text-sm break-words">{id}</code>;
  return to === undefined ? text : <Link to={to}>{text}</Link>;
}
